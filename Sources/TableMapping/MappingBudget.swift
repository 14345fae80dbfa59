internal import TableModel

/// The bounds that a mapping has left: of memory, for what it keeps of its sources' answers and the rows that it makes
/// of them; and of work, for the items of one source after the other.
///
/// Both count all items, mapped anew or taken from the cache: the cost of a mapping depends neither on which of them
/// were known before, nor on how many threads map them.
struct MappingBudget {
  private let maximum: Int
  private var remaining: Int
  /// In steps, of the source that is read.
  private(set) var work = 0
  private var maximumWork: Int
  private let workPerItem: Int

  /// - Parameters:
  ///   - maximum: in bytes.
  ///   - workPerItem: in steps, for each of a source's items and for ``spareItems`` more.
  init(_ maximum: Int, workPerItem: Int) {
    (self.maximum, remaining, self.workPerItem) = (maximum, maximum, workPerItem)
    maximumWork = Self.maximumWork(ofItems: 0, each: workPerItem)
  }

  /// For what is mapped however much it is.
  static let unlimited = MappingBudget(.max, workPerItem: 1 << 32)

  var isExceeded: Bool { remaining < 0 || work > maximumWork }
  var spent: Int { maximum - remaining }

  /// Another source is read.
  mutating func beginSource() { (work, maximumWork) = (0, Self.maximumWork(ofItems: 0, each: workPerItem)) }

  /// The source has so many more items, which are read next.
  mutating func expect(items: Int) { maximumWork += items * workPerItem }

  /// A response is kept for its items.
  mutating func charge(page: borrowing [UInt8]) { remaining -= page.count }

  /// An item, beside its bytes, with its rows.
  @inline(__always)
  mutating func charge(_ item: MappedItem) {
    remaining -= item.cost
    work += item.work
  }

  /// Items that take so much.
  mutating func charge(_ cost: Int, work: Int) {
    remaining -= cost
    self.work += work
  }

  /// Returns the memory of an item beside its bytes. O(its rows).
  static func cost(row: Row?, _ details: MappedItem.Details?) -> Int {
    var cost = item + (row?.footprint ?? 0)
    guard let details else { return cost }
    cost += self.details + (details.skip?.reason.utf8.count ?? 0) + (details.warning?.utf8.count ?? 0)
    for placement in details.others { cost += placement.row.footprint }
    for case .many(let keys) in details.lookupKeys { cost += keys.count * key }
    return cost
  }

  /// Returns the work that counts of an item's evaluation: an amount linear in its bytes is never too much.
  static func work(_ steps: Int, bytes: Int) -> Int { max(0, steps - bytes * stepsOfByte) }

  /// Returns the most work that may be counted of a source with so many items.
  static func maximumWork(ofItems count: Int, each workPerItem: Int) -> Int { (count + spareItems) * workPerItem }

  /// For whoever reads the table's problem.
  var failure: SourceFailure {
    guard work <= maximumWork else { return Self.failure(workPerItem) }
    return SourceFailure(
      kind: .tooLarge,
      detail: "its items and their rows take more than \(maximum >> 20) MB (`limits.mappingBytes`); "
        + "ask the upstream for fewer, or bound them with `maxItems`"
    )
  }

  static func failure(_ workPerItem: Int) -> SourceFailure {
    SourceFailure(
      kind: .tooMuchWork,
      detail: "the expressions for its items take too much work, more than \(workPerItem) steps an item on average "
        + "(`limits.mappingWork`): what they read of texts and lists must not grow faster than these"
    )
  }

  // Objects with their headers, the ends of their allocations, and their places in lists and tables.
  private static let item = 160
  private static let details = 160
  /// The memory of a lookup's key.
  private static let key = 40
  /// As if a source had so many items more: a few may be expensive.
  private static let spareItems = 10_000
  /// The work that is free for each byte: its parse, and everything that is done once with it.
  private static let stepsOfByte = 50
}
