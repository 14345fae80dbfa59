internal import Expressions
internal import TableModel

/// How the items of a source were laid out: what an edit of a few of them is laid out on (``LayoutEdit``).
///
/// A value whose copies share everything: it costs O(log items) to have another one with another item. Where a row stands
/// is found by going down its section's rows, as each leads to its item, and that to what orders it.
struct ItemLayout: Sendable {
  let source: String
  var items: LayoutItems
  /// In their order; those that are left out too.
  var sections: LayoutSections
  /// The places of groups among the sections, by the groups' identities.
  var groups: [ExactText: Int]
  /// Of the headers and footers as they are shown.
  var totals: ModelTotals
  /// Two things have one identity: the order of all items decides who has it.
  let hasDuplicates: Bool

  /// Takes the result of a whole mapping of items that the service owns, no two of which share an identity.
  /// O(sections).
  init(source: String, _ items: LayoutItems, _ sections: [LayoutSection]) {
    (self.source, self.items, self.sections) = (source, items, LayoutSections(sections))
    (totals, groups, hasDuplicates) = (self.sections.totals, [:], false)
    indexGroups()
  }

  /// Takes the layout of a response. O(sections).
  init(source: String, _ layout: SettledLayout, _ texts: ItemTexts) {
    items = LayoutItems(texts, layout.lookup, skipped: layout.skipped)
    (self.source, sections, groups) = (source, layout.sections, layout.groups)
    (totals, hasDuplicates) = (layout.sections.totals, layout.hasDuplicates)
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
    guard let owned = item.owned, let laid = items[owned.number], laid.bytes == item.bytes else { return nil }
    return laid.mapped
  }

  /// The first items without a row, with the reason. O(items).
  func firstSkipped(_ count: Int) -> [SkippedItem] {
    guard items.skipped.count > 0 else { return [] }
    let found = items.ordered.enumerated().lazy.compactMap { position, entry in
      entry.item.mapped.details?.skip.map { SkippedItem($0, of: source, at: position) }
    }
    return Array(found.prefix(count))
  }

  // MARK: Places

  /// The section that shows an item's first row. O(1).
  func shownSection(of item: LayoutItem) -> Section? {
    item.mapped.placements.first.flatMap { section($0) }.flatMap {
      sections.indices.contains($0) ? sections[$0].shown : nil
    }
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
  func section(_ placement: MappedItem.Placement) -> Int? {
    placement.group.map { groups[ExactText($0.id)] } ?? placement.section
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

/// A section as it was laid out.
struct LayoutSection: Sendable {
  let id: String
  /// The value of `$key` in its header.
  var key: SortKey
  let plan: SectionPlan
  let arrangement: Arrangement
  /// The table's definition names it: it is there without rows too.
  let isDeclared: Bool
  /// In their order; those that a limit keeps out of sight too.
  var rows: RowList
  /// The same in the order of their items, where that is another one and matters: the first of a group decides where
  /// it stands and what its header sees as `$key`.
  var unsortedRows: RowList?
  /// Nil: it is left out.
  var shown: Section?
  /// The cost of its header and footer, in steps; nil: more than they may.
  var modelWork: Int? = 0

  init(_ section: ArrangedSection, shown: Section?) {
    (id, key, plan, arrangement) = (section.id, section.key, section.plan, section.arrangement)
    (isDeclared, modelWork) = (section.isDeclared, section.modelWork)
    self.shown = shown
    if let shown, shown.rows.count == section.sorted.count { rows = shown.rows } else { rows = RowList(section.sorted) }
    unsortedRows = section.isDeclared || section.plan.sort.isEmpty ? nil : RowList(section.unsortedRows)
  }

  /// A group whose first row has come.
  init(_ group: MappedItem.GroupKey, plan: SectionPlan, _ arrangement: Arrangement) {
    (id, key, self.plan, self.arrangement) = (group.id, group.key, plan, arrangement)
    (isDeclared, rows, unsortedRows) = (false, [], plan.sort.isEmpty ? nil : [])
  }

  /// Takes over a list of rows that was made of this section's: the same rows, but for a few that were toggled. False
  /// where it is another one.
  mutating func goOn(from other: Section) -> Bool {
    guard let own = shown, own.rows.count == other.rows.count, !own.rows.isVery(other.rows) else { return false }
    var list = other.rows
    var left = Self.maximumToggles
    while let place = RowList.firstDifference(list, own.rows) {
      guard left > 0, place < list.count else { return false }
      list = list.replacing(place, with: own.rows[place])
      left -= 1
    }
    shown = Section(id: own.id, header: own.header, footer: own.footer, rows: list)
    rows = rows.count == list.count ? list : rows.replacing(0..<list.count, with: list)
    return true
  }

  private static let maximumToggles = 256

  /// The first in the order of the items.
  var first: Row? { (unsortedRows ?? rows).first }

  /// The rows that are shown.
  var visible: RowList { arrangement.limit.map { rows.first(max(0, $0)) } ?? rows }
}

extension MappedItem {
  /// The fingerprints of all that the item is found by.
  func forEachName(_ body: (Fingerprint) -> Void) {
    if let row { body(row.key.identity) }
    guard let details else { return }
    for other in details.others { body(other.row.key.identity) }
    if let address = details.address { body(Fingerprint(of: address.id)) }
  }

  /// Its rows, and where they go.
  var placements: [Placement] {
    guard let row else { return [] }
    let first = Placement(section: section, group: details?.group, row: row, sortKeys: details?.sortKeys ?? [])
    return [first] + (details?.others ?? [])
  }

  /// Returns the keys that one of its rows is sorted by.
  func sortKeys(of row: Row) -> [SortKey] {
    guard let details else { return [] }
    if details.others.isEmpty || self.row?.key.identity == row.key.identity { return details.sortKeys }
    return details.others.first { $0.row.key.identity == row.key.identity }?.sortKeys ?? []
  }
}
