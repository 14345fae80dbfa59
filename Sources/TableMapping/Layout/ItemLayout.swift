internal import Expressions
internal import TableModel

/// How the items of a table's only source were laid out, be they the service's own or those of a response: what changes of a
/// few of them are laid out on (``LayoutEdit``).
///
/// A value whose copies share everything: it costs O(log items) to have another one with another item. Where a row stands
/// is found by going down its section's rows, as each leads to its item, and that to what orders it.
struct ItemLayout: Sendable {
  let source: String
  var items: LayoutItems
  /// The same as their source has them, where the service owns them.
  var owned: (any OwnedItems)?
  /// In their order; those that are left out too.
  var sections: LayoutSections
  /// The places of groups among the sections, by the groups' identities.
  var groups: [ExactText: Int] = [:]
  /// Of the headers and footers as they are shown.
  var totals: ModelTotals
  /// Two things have one identity: the order of all items decides who has it.
  let hasDuplicates: Bool
  /// The items' memory, about, without the response that they are parts of.
  var cost: Int
  /// The work of evaluating the items (``MappedItem/work``).
  var work: Int

  /// Takes the result of a whole mapping. O(sections).
  init(
    source: String,
    _ items: LayoutItems,
    _ sections: [LayoutSection],
    hasDuplicates: Bool,
    cost: Int,
    work: Int
  ) {
    (self.source, self.items, self.sections) = (source, items, LayoutSections(sections))
    (self.hasDuplicates, self.cost, self.work) = (hasDuplicates, cost, work)
    totals = self.sections.totals
    indexGroups()
  }

  /// Returns the item with an identity.
  func item(named id: String) -> (number: UInt64, item: LayoutItem)? {
    guard let number = items.number(named: Fingerprint(of: id), where: { $0.isNamed(id) }), let item = items[number],
      item.mapped.isNamed(id)
    else { return nil }
    return (number, item)
  }

  /// Returns the mapped item of an item that is the same one. O(1) where it is the same in memory.
  func mapped(_ item: SourceItem) -> MappedItem? {
    guard let owned = item.owned, let laid = items[owned.number], laid.bytes == item.bytes,
      laid.mapped.givenID == item.id
    else { return nil }
    return laid.mapped
  }

  /// The first items without a row, with the reason. O(items without one · log items) where the service owns them and few have none, as
  /// whoever logs them asks with each edit; else O(items).
  func firstSkipped(_ count: Int) -> [SkippedItem] {
    guard items.skipped.count > 0 else { return [] }
    if let owned, items.skipped.count <= Self.fewSkipped {
      let found = items.skipped.compactMap { number -> (place: Int, skip: MappedItem.Skip)? in
        guard let skip = items[number]?.mapped.details?.skip, let place = owned.place(of: number) else { return nil }
        return (place, skip)
      }
      return found.sorted { $0.place < $1.place }.prefix(count).map { SkippedItem($0.skip, of: source, at: $0.place) }
    }
    let found = items.ordered.enumerated().lazy.compactMap { position, entry in
      entry.item.mapped.details?.skip.map { SkippedItem($0, of: source, at: position) }
    }
    return Array(found.prefix(count))
  }

  /// Of more of them the first ones are found faster in the order of all items.
  private static let fewSkipped = 1_000

  // MARK: Places

  /// The section that shows an item's first row. O(1).
  func shownSection(of item: LayoutItem) -> Section? {
    guard item.mapped.row != nil, let place = section(of: item.mapped), sections.indices.contains(place) else {
      return nil
    }
    return sections[place].shown
  }

  /// The item of a row that is laid out.
  func item(of row: Row) -> LayoutItem? {
    items.number(named: row.key.identity) { $0.hasRow(row.id) }.flatMap { items[$0] }
  }

  /// The items of rows, as a JSON list. O(bytes).
  func list(of rows: RowList) -> [UInt8] {
    var list = [UInt8(ascii: "[")]
    for row in rows {
      if list.count > 1 { list.append(UInt8(ascii: ",")) }
      list += item(of: row)?.bytes ?? []
    }
    list.append(UInt8(ascii: "]"))
    return list
  }

  // MARK: Sections

  /// The section that takes a row of an item; nil: a group that there is not yet.
  func section(_ placement: MappedItem.Placement) -> Int? { section(placement.group, placement.section) }

  /// The section of an item's first row.
  func section(of item: MappedItem) -> Int? { section(item.details?.group, item.section) }

  private func section(_ group: MappedItem.GroupKey?, _ section: Int) -> Int? {
    guard let group else { return section }
    return groups[ExactText(group.id)]
  }

  mutating func indexGroups() {
    groups = [:]
    indexGroups(from: 0)
  }

  /// Updates the places of groups from a section on; none has gone that is still in ``groups``.
  mutating func indexGroups(from first: Int) {
    for place in first..<sections.count { groups[ExactText(sections[place].id)] = place }
  }
}
