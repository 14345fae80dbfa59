internal import Expressions
internal import HashTreeCollections
internal import TableModel

/// How the items of a local source were laid out: what an edit of a few of them is laid out on (``LayoutEdit``).
///
/// A value whose copies share everything: it costs O(log items) to have another one with another item. Where a row stands
/// is found by going down its section's rows, as each leads to its item, and that to what orders it.
struct LocalLayout: Sendable {
  let source: String
  /// By the identities that the service gave them.
  var items: TreeDictionary<UInt64, LaidItem> = [:]
  /// The items by the fingerprints of what they are found by: the identities of their rows, or of the row that they would
  /// have.
  var names: TreeDictionary<UInt64, UInt64> = [:]
  /// Those that a section takes and that have no row.
  var skipped: TreeSet<UInt64> = []
  /// In their order; those that are left out too.
  var sections: [LaidSection] = []
  /// Of groups, by their identities: where they stand among the sections.
  var groups: [ExactText: Int] = [:]

  /// What a whole mapping has made; nil where two things have one identity, as then the order of all items decides who
  /// has it. O(items).
  ///
  /// - Parameters:
  ///   - given: The source's items.
  ///   - mapped: What became of them, in the same order.
  ///   - shown: By section, what is shown of it.
  init?(source: String, given: [SourceItem], mapped: [MappedItem], _ sections: [(ArrangedSection, shown: Section?)]) {
    self.source = source
    guard given.count == mapped.count else { return nil }
    for (item, mapped) in zip(given, mapped) {
      guard let owned = item.owned,
        items.updateValue(LaidItem(mapped, owned.rank, item.bytes), forKey: owned.number) == nil,
        add(namesOf: mapped, for: owned.number)
      else { return nil }
    }
    self.sections = sections.map { LaidSection($0, shown: $1) }
    indexGroups()
  }

  /// What is found by an identity.
  func item(named id: String) -> (number: UInt64, item: LaidItem)? {
    guard let number = names[Fingerprint(of: id).rawValue], let item = items[number], item.mapped.isNamed(id) else {
      return nil
    }
    return (number, item)
  }

  /// What became of an item, if it was the same one. O(1) where it is the very one.
  func mapped(_ item: SourceItem) -> MappedItem? {
    guard let owned = item.owned, let laid = items[owned.number], laid.bytes == item.bytes else { return nil }
    return laid.mapped
  }

  /// In the order of the source. O(items · log items).
  var ordered: [LaidItem] { items.values.sorted { $0.rank < $1.rank } }

  /// The first items without a row, with the reason. O(items).
  func firstSkipped(_ count: Int) -> [SkippedItem] {
    guard !skipped.isEmpty else { return [] }
    let found = ordered.enumerated().lazy.compactMap { position, item in
      item.mapped.details?.skip.map { SkippedItem($0, of: source, at: position) }
    }
    return Array(found.prefix(count))
  }

  // MARK: Names

  /// False where one is taken.
  mutating func add(namesOf item: MappedItem, for number: UInt64) -> Bool {
    var areFree = true
    item.forEachName { areFree = areFree && names.updateValue(number, forKey: $0.rawValue) == nil }
    if item.details?.skip != nil { skipped.insert(number) }
    return areFree
  }

  mutating func remove(namesOf item: MappedItem, for number: UInt64) {
    item.forEachName { names[$0.rawValue] = nil }
    if item.details?.skip != nil { skipped.remove(number) }
  }

  // MARK: Places

  /// The item of a row that is laid out.
  func item(of row: Row) -> LaidItem? { names[row.key.identity.rawValue].flatMap { items[$0] } }

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
    for (place, section) in sections.enumerated() { groups[ExactText(section.id)] = place }
  }
}

/// An item as it was laid out.
struct LaidItem: Sendable {
  let mapped: MappedItem
  /// What orders it among the others.
  let rank: Int64
  let bytes: [UInt8]

  init(_ mapped: MappedItem, _ rank: Int64, _ bytes: [UInt8]) {
    (self.mapped, self.rank, self.bytes) = (mapped, rank, bytes)
  }
}

/// A section as it was laid out.
struct LaidSection: Sendable {
  let id: String
  /// What its header sees as `$key`.
  var key: SortKey
  let plan: SectionPlan
  let arrangement: Arrangement
  /// The table's definition names it: it is there without rows too.
  let isDeclared: Bool
  /// In their order; those that a limit keeps out of sight too.
  var rows: RowList
  /// The same in the order of their items, where that is another one and matters: the first of a group decides where
  /// it stands and what its header sees as `$key`.
  var met: RowList?
  /// Nil: it is left out.
  var shown: Section?

  init(_ section: ArrangedSection, shown: Section?) {
    (id, key, plan, arrangement) = (section.id, section.key, section.plan, section.arrangement)
    isDeclared = section.isDeclared
    self.shown = shown
    if let shown, shown.rows.count == section.sorted.count { rows = shown.rows } else { rows = RowList(section.sorted) }
    met = section.isDeclared || section.plan.sort.isEmpty ? nil : RowList(section.met)
  }

  /// A group whose first row has come.
  init(_ group: MappedItem.GroupKey, plan: SectionPlan, _ arrangement: Arrangement) {
    (id, key, self.plan, self.arrangement) = (group.id, group.key, plan, arrangement)
    (isDeclared, rows, met) = (false, [], plan.sort.isEmpty ? nil : [])
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
  var first: Row? { (met ?? rows).first }

  /// Those that are shown.
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

  /// What one of its rows is sorted by.
  func sortKeys(of row: Row) -> [SortKey] {
    guard let details else { return [] }
    if details.others.isEmpty || self.row?.key.identity == row.key.identity { return details.sortKeys }
    return details.others.first { $0.row.key.identity == row.key.identity }?.sortKeys ?? []
  }
}
