internal import TableModel

/// How a source's items were put into sections: what a refresh is laid out on that changes some of them where they stand
/// (``RefreshInPlace``).
struct SettledLayout: Sendable {
  let lookup: ItemLookup
  /// In their order; those that are left out too.
  private(set) var sections: LayoutSections
  /// The places of groups among the sections, by the groups' identities.
  let groups: [ExactText: Int]
  /// The items' memory, about.
  let cost: Int
  /// The work of evaluating the items (``MappedItem/work``).
  let work: Int
  let skippedItems: Int
  let firstSkipped: [SkippedItem]?
  /// The places of items that a section takes and that have no row.
  let skipped: [Int]
  /// Two things have one identity.
  let hasDuplicates: Bool

  /// - Parameter shown: by section, what is shown of it.
  /// - Returns: nil where rows are out of sight, or where something has to be said that a refresh may take back.
  init?(_ sections: [(ArrangedSection, shown: Section?)], _ assembly: SectionAssembly, _ report: MappingReport) {
    guard report.warnings.isEmpty, sections.allSatisfy({ $0.0.rows.count == $0.0.unsortedRows.count }) else {
      return nil
    }
    lookup = assembly.lookup
    (cost, work) = lookup.items.reduce((0, 0)) { ($0.0 + $1.cost, $0.1 + $1.work) }
    self.sections = LayoutSections(sections.map { LayoutSection($0, shown: $1) })
    let places = sections.enumerated().map { (ExactText($1.0.id), $0) }
    groups = Dictionary(places) { first, _ in first }
    (skippedItems, firstSkipped) = (report.skippedItems, report.skipped)
    (skipped, hasDuplicates) = (assembly.skipped, assembly.hasDuplicates)
  }

  private init(_ other: SettledLayout, _ sections: LayoutSections, _ lookup: ItemLookup, cost: Int, work: Int) {
    (self.sections, self.lookup, groups, self.cost, self.work) = (sections, lookup, other.groups, cost, work)
    (skippedItems, firstSkipped) = (other.skippedItems, other.firstSkipped)
    (skipped, hasDuplicates) = (other.skipped, other.hasDuplicates)
  }

  /// The section that an item's row stands in.
  func section(of item: MappedItem) -> Int? {
    item.details?.group.map { groups[ExactText($0.id)] } ?? item.section
  }

  /// Returns the place of an item's row in its section; nil where it has none, as another one has its identity. O(log²
  /// rows).
  ///
  /// - Parameters:
  ///   - position: the item's place among all.
  ///   - guess: looked at first.
  func place(ofRowAt position: Int, in section: Int, near guess: Int) -> Int? {
    guard sections.indices.contains(section), sections[section].shown != nil else { return nil }
    let rows = sections[section].rows
    if rows.indices.contains(guess), rows[guess] === lookup.items[position].row { return guess }
    return place(ofRowAt: position, among: rows, sections[section].arrangement)
  }

  /// - Parameter arrangement: nil: rows in the order of their items.
  private func place(ofRowAt position: Int, among rows: RowList, _ arrangement: Arrangement?) -> Int? {
    let item = lookup.items[position]
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      guard let other = lookup.position(of: rows[middle]) else { return nil }
      let order = arrangement?.order(lookup.items[other].sortKeys, item.sortKeys) ?? 0
      if order == 0 ? other < position : order < 0 { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low] === item.row ? low : nil
  }

  /// With other rows in some sections, and other items in their places; nil where one is not where it should be.
  ///
  /// - Parameters:
  ///   - rows: by section, in ascending places.
  ///   - growth: of what the items take, and of the work for them.
  func replacing(_ rows: [Int: [PlacedRow]], _ items: MappedItems, growth: (cost: Int, work: Int)) -> SettledLayout? {
    var sections = sections
    for (place, rows) in rows {
      guard let shown = sections[place].shown else { continue }
      let list = sections[place].rows.replacing(rows.map { ($0.place, $0.row) })
      sections[place].rows = list
      sections[place].shown = Section(id: shown.id, header: shown.header, footer: shown.footer, rows: list)
      guard let unsortedRows = sections[place].unsortedRows else { continue }
      let inOrder = rows.sorted { $0.position < $1.position }
      let places = inOrder.map { self.place(ofRowAt: $0.position, among: unsortedRows, nil) }
      guard !places.contains(nil) else { return nil }
      sections[place].unsortedRows = unsortedRows.replacing(
        zip(places, inOrder).compactMap { place, row in place.map { ($0, row.row) } }
      )
    }
    return SettledLayout(
      self,
      sections,
      ItemLookup(items: items, index: lookup.index),
      cost: cost + growth.cost,
      work: work + growth.work
    )
  }
}

/// A row that takes the place of one that is laid out.
struct PlacedRow {
  /// Among the rows of its section.
  let place: Int
  let row: Row
  /// The position of its item among all.
  let position: Int
}

extension ItemLookup {
  /// The place among all of the item that a row which is shown is of; nil for a row that is not an item's first.
  func position(of row: Row) -> Int? { index.first(row.key.identity) { items[$0].row === row } }
}

extension MappedItem {
  /// The keys that its first row is sorted by.
  var sortKeys: [SortKey] { details?.sortKeys ?? [] }
}
