internal import JSON
public import TableModel

extension MappingResult {
  /// Returns the edits of a source's items, to be edited on; nil where the items don't stand in one list of its only
  /// response, the one that was mapped. The items are numbered as ``RepresentedItem/position`` and
  /// ``identity(ofItemAt:of:)`` have them. O(1).
  public func edits(of source: String, in content: SourceContent) -> ListEdits? {
    guard let cached = cache.sources[source], !content.areGiven, content.pages.count == 1, cached.lists.count == 1,
      cached.lists[0] != nil, cached.texts.areParts(of: content.pages)
    else { return nil }
    return content.edits ?? ListEdits(count: cached.items.count)
  }

  /// A response's list as edits have left it.
  struct EditedList: Sendable {
    let edits: ListEdits
    let layout: ItemLayout
  }

  /// Goes on from the lists of rows that a table has made of this one's, as they share what they can with those of the
  /// version before it (``Table/sharing(with:)``). O(sections); where all are the same ones, comparisons of references.
  public mutating func goOn(from table: Table) {
    guard !sections.elementsEqual(table.sections, by: ===), var layout else { return }
    var isOther = false
    var others = table.sections.makeIterator()
    for place in layout.sections.indices {
      guard let own = layout.sections[place].shown else { continue }
      guard let other = others.next(), other.id == own.id else { return }
      if other !== own { isOther = layout.sections[place].goOn(from: other) || isOther }
    }
    guard isOther else { return }
    change { result in
      if let edited = result.edited {
        result.edited = EditedList(edits: edited.edits, layout: layout)
      } else {
        result.cache = result.cache.with(layout)
      }
      result.sections = layout.sections.shown
    }
  }

  /// The rows of its sections, by their identities.
  var rowLists: [ExactText: RowList] {
    Dictionary(sections.map { (ExactText($0.id), $0.rows) }) { first, _ in first }
  }
}

extension MappingResult.Values {
  /// Shows what changes were laid out on.
  mutating func show(_ layout: ItemLayout) {
    let rowCount = self.rowCount ?? sections.reduce(0) { $0 + $1.rows.count }
    let shown = layout.sections.shown
    let count = shown.rowCount(knowing: rowCount, of: sections)
    (sections, self.rowCount) = (shown, count)
    omittedSections = layout.sections.count - sections.count
    // Without duplicate identities no item is skipped.
    if !layout.hasDuplicates { skippedItems = layout.items.skipped.count }
  }
}
