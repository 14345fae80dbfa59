internal import TableModel

/// How much memory a mapping may still take: what it keeps of its sources' answers, and the rows that it makes of them.
struct MappingBudget {
  private let maximum: Int
  private var remaining: Int

  /// In bytes.
  init(_ maximum: Int) { (self.maximum, remaining) = (maximum, maximum) }

  var isExceeded: Bool { remaining < 0 }
  var spent: Int { maximum - remaining }

  /// A response is kept for its items.
  mutating func charge(page: borrowing [UInt8]) { remaining -= page.count }

  /// An item, beside its bytes, with its rows.
  @inline(__always)
  mutating func charge(_ item: MappedItem) { remaining -= item.cost }

  /// Items that take so much.
  mutating func charge(_ cost: Int) { remaining -= cost }

  /// What an item takes beside its bytes. O(its rows).
  static func cost(row: Row?, _ details: MappedItem.Details?) -> Int {
    var cost = item + (row?.footprint ?? 0)
    guard let details else { return cost }
    cost += self.details + (details.skip?.reason.utf8.count ?? 0) + (details.warning?.utf8.count ?? 0)
    for placement in details.others { cost += placement.row.footprint }
    return cost
  }

  /// For whoever reads the table's problem.
  var failure: SourceFailure {
    SourceFailure(
      kind: .tooLarge,
      detail: "its items and their rows take more than \(maximum >> 20) MB (`limits.mappingBytes`); "
        + "ask the upstream for fewer, or bound them with `maxItems`"
    )
  }

  // Objects with their headers, the ends of their allocations, and their places in lists and tables.
  private static let item = 160
  private static let details = 160
}
