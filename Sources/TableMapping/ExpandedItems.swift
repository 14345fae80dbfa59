internal import Expressions
internal import JSON
internal import TableModel

/// The rows' items where a table's `items` names lists inside a source's items.
struct ExpandedItems: Sendable {
  /// The items around, in their order.
  private var parents = ItemTexts()
  /// The range of each item's own items among all.
  private var ranges: [Range<Int>] = []
  private var places: [Fingerprint: Int] = [:]

  mutating func begin(text: [UInt8]) { parents.begin(text) }

  /// An item that stands in the text that was begun last, with its own ones.
  ///
  /// - Parameter fingerprint: nil where `maxItems` has cut its list.
  mutating func append(_ fingerprint: Fingerprint?, at range: Range<Int>, items: Range<Int>) {
    parents.append(range)
    if let fingerprint, places[fingerprint] == nil { places[fingerprint] = ranges.count }
    ranges.append(items)
  }

  /// Returns the range of the items of one with the same bytes.
  func items(of fingerprint: Fingerprint) -> Range<Int>? { places[fingerprint].map { ranges[$0] } }

  /// The item around another one. O(log items).
  func parent(ofItemAt place: Int) -> [UInt8]? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= place { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(place) ? parents.bytes(of: low) : nil
  }
}

extension SourceReader {
  /// Reads the lists that the source's items have. What stands in one whose bytes are those of the last time is taken from
  /// the cache; else it is mapped, as it may show what stands around it.
  mutating func readExpanded(by list: Expression) throws(SourceFailure) {
    var expanded = ExpandedItems()
    if let given = content.items {
      for item in given {
        expanded.begin(text: item.bytes)
        try item.bytes.withUnsafeBufferPointer { bytes throws(SourceFailure) in
          try expand(UnsafeRawBufferPointer(bytes), at: bytes.indices, by: list, into: &expanded)
        }
      }
    } else {
      for number in content.pages.indices {
        try expand(page: number, by: list, into: &expanded)
        pageEnds.append(items.count)
      }
    }
    self.expanded = expanded
  }

  private mutating func expand(
    page number: Int,
    by list: Expression,
    into expanded: inout ExpandedItems
  ) throws(SourceFailure) {
    let found: PageItems
    do throws(JSONError) {
      found = try PageItems(ofPage: number, of: content, at: source.items, scope: scope)
    } catch {
      throw SourceFailure(error, page: number, of: content.pages.count)
    }
    lists.append(nil)
    switch found {
    case .list(let text):
      expanded.begin(text: text.bytes)
      for place in text.elements.indices where !isCut {
        let item = ItemPlace(position: place, list: text, page: (number, content.pages.count))
        try text.withBytes(of: place) { bytes throws(SourceFailure) in
          try expand(bytes, at: text.elements[place].range, item, by: list, into: &expanded)
        }
      }
    case .values(let values, let document):
      for value in values where !isCut {
        let text = value.written
        expanded.begin(text: text)
        try text.withUnsafeBufferPointer { bytes throws(SourceFailure) in
          try expand(UnsafeRawBufferPointer(bytes), at: bytes.indices, by: list, into: &expanded)
        }
      }
      withExtendedLifetime(document) {}
    }
  }

  private mutating func expand(
    _ bytes: UnsafeRawBufferPointer,
    at range: Range<Int>,
    _ place: ItemPlace? = nil,
    by list: Expression,
    into expanded: inout ExpandedItems
  ) throws(SourceFailure) {
    let start = items.count
    let fingerprint = Fingerprint(of: bytes)
    if let previous, let known = previous.expanded?.items(of: fingerprint), areUsable(known, of: previous) {
      expect(items: known.count)
      for place in known {
        begin(text: previous.texts.text(of: place))
        take(place, of: previous, at: previous.texts.range(of: place))
      }
    } else {
      try mapItems(of: bytes, place, by: list)
    }
    // A list that was cut is not to be taken for a whole one the next time.
    expanded.append(isCut ? nil : fingerprint, at: range, items: start..<items.count)
    try checkCount()
    guard !isOverBudget else { throw budget.failure }
  }

  /// Returns whether all of them show here what they showed.
  private func areUsable(_ places: Range<Int>, of previous: CachedSource) -> Bool {
    guard items.count + places.count <= source.maxItems else { return false }
    if plan.dependencies.contains(.index), places.lowerBound != items.count, !places.isEmpty { return false }
    return places.allSatisfy { !isStale($0) }
  }

  private mutating func mapItems(
    of bytes: UnsafeRawBufferPointer,
    _ place: ItemPlace?,
    by list: Expression
  ) throws(SourceFailure) {
    let document: Document
    let parent: Value
    do throws(JSONError) {
      document = try Document(bytes)
      parent = Value(try document.unmanagedRoot())
    } catch {
      throw SourceFailure(malformed: place, because: "\(error)")
    }
    defer { withExtendedLifetime(document) {} }
    var scope = scope
    (scope.item, scope.parent) = (parent, .null)
    scope.work = Budget(ofResponse: bytes.count)
    let found: Value
    do throws(EvaluationError) {
      found = try list.evaluate(in: scope)
    } catch {
      return skip("`items`: “\(list)”: \(error)", of: parent)
    }
    guard found.kind == .array else {
      let hint = found.isNull ? "; write `${\(list) ?? []}` where it may be missing" : ""
      return skip("`items`: “\(list)” is \(found.sample); a list is expected\(hint)", of: parent)
    }
    mapper.enter(parent)
    defer { mapper.enter(.null) }
    expect(items: found.count)
    for element in found.elements ?? [] where !isOverBudget {
      guard items.count < source.maxItems else { return isCut = true }
      let text = element.written
      begin(text: text)
      append(at: text.indices, element)
    }
  }

  /// One item in place of the list that another one should have.
  private mutating func skip(_ reason: String, of parent: Value) {
    let text = Array("null".utf8)
    begin(text: text)
    var scope = scope
    (scope.item, scope.parent, scope.work) = (.null, parent, Budget())
    var item = MappedItem.Parts(source: source.number, index: items.count, outcome: .unplaced(nil))
    if plan.sectionPlans.mayTell(of: source.name, in: scope) {
      item.outcome = .skipped(MappedItem.Skip(reason: reason))
    } else {
      item.warning = "`items` gives no list for some items, and nobody is told of them, as it is to say whose they are"
    }
    append(at: text.indices, .item(item, givenID: nil))
  }

  private func checkCount() throws(SourceFailure) {
    guard isCut, source.failsWhenMore else { return }
    throw SourceFailure(
      kind: .tooLarge,
      detail: "there are more than \(source.maxItems) items in the items' lists (`maxItems`)"
    )
  }
}
