internal import TableModel

/// How a source's items were put into sections: what a refresh is laid out on that changes some of them where they stand
/// (``RefreshInPlace``).
struct SettledLayout: Sendable {
  let lookup: ItemLookup
  /// In their order; those that are left out too.
  private(set) var sections: [SettledSection]
  /// Of groups, by their identities: where they stand among the sections.
  private let groups: [ExactText: Int]
  /// What the items take of memory, about.
  let cost: Int
  let skippedItems: Int
  let firstSkipped: [SkippedItem]?

  struct SettledSection: Sendable {
    let arrangement: Arrangement
    /// Nil: it is left out.
    var shown: Section?
  }

  /// - Parameter shown: by section, what is shown of it.
  /// - Returns: nil where rows are out of sight, or where something has to be said that a refresh may take back.
  init?(_ sections: [(ArrangedSection, shown: Section?)], lookup: ItemLookup, _ report: MappingReport) {
    guard report.warnings.isEmpty, sections.allSatisfy({ $0.0.rows.count == $0.0.met.count }) else { return nil }
    self.lookup = lookup
    cost = lookup.items.reduce(0) { $0 + $1.cost }
    self.sections = sections.map { SettledSection(arrangement: $0.arrangement, shown: $1) }
    let places = sections.enumerated().map { (ExactText($1.0.id), $0) }
    groups = Dictionary(places) { first, _ in first }
    (skippedItems, firstSkipped) = (report.skippedItems, report.skipped)
  }

  private init(_ other: SettledLayout, _ sections: [SettledSection], _ lookup: ItemLookup, cost: Int) {
    (self.sections, self.lookup, self.cost, groups) = (sections, lookup, cost, other.groups)
    (skippedItems, firstSkipped) = (other.skippedItems, other.firstSkipped)
  }

  /// The section that an item's row stands in.
  func section(of item: MappedItem) -> Int? {
    item.details?.group.map { groups[ExactText($0.id)] } ?? item.section
  }

  /// Where an item's row stands in its section; nil where it does not, as another one has its identity. O(log² rows).
  ///
  /// - Parameters:
  ///   - position: the item's place among all.
  ///   - guess: looked at first.
  func place(ofRowAt position: Int, in section: Int, near guess: Int) -> Int? {
    guard sections.indices.contains(section), let rows = sections[section].shown?.rows else { return nil }
    let item = lookup.items[position]
    if rows.indices.contains(guess), rows[guess] === item.row { return guess }
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      guard let other = lookup.position(of: rows[middle]) else { return nil }
      let order = sections[section].arrangement.order(lookup.items[other].sortKeys, item.sortKeys)
      if order == 0 ? other < position : order < 0 { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low] === item.row ? low : nil
  }

  /// With other rows in some sections, and other items in their places.
  ///
  /// - Parameters:
  ///   - rows: by section, in ascending places.
  ///   - growth: of what the items take.
  func replacing(_ rows: [Int: [(place: Int, row: Row)]], _ items: [MappedItem], growth: Int) -> SettledLayout {
    var sections = sections
    for (section, rows) in rows {
      guard let shown = sections[section].shown else { continue }
      sections[section].shown = Section(
        id: shown.id,
        header: shown.header,
        footer: shown.footer,
        rows: shown.rows.replacing(rows)
      )
    }
    return SettledLayout(self, sections, ItemLookup(items: items, index: lookup.index), cost: cost + growth)
  }
}

extension ItemLookup {
  /// The place among all of the item that a row which is shown is of; nil for a row that is not an item's first.
  func position(of row: Row) -> Int? { index.first(row.key.identity) { items[$0].row === row } }
}

extension MappedItem {
  /// What its first row is sorted by.
  var sortKeys: [SortKey] { details?.sortKeys ?? [] }
}
