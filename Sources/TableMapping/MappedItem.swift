internal import Definitions
internal import TableModel

/// What became of an item. Immutable; kept from refresh to refresh for as long as the item's bytes are the same.
///
/// What is read of every item at every refresh comes first, so that it lies in one line of the processor's cache.
final class MappedItem: Sendable {
  /// In the first of its sections; nil where it has none.
  let row: Row?
  /// Nil where there is nothing else to be said of the item.
  let details: Details?
  // In as little memory as it takes: there are as many of them as rows.
  private let sectionNumber: UInt32
  private let shortCost: UInt32
  private let shortIndex: UInt32
  private let sourceNumber: UInt16
  /// It is no item at all.
  let isMalformed: Bool
  /// The identity that the service gave it, for an item of a local table.
  let givenID: String?

  /// Of the row: among the table's declared sections, 0 where it has groups.
  var section: Int { Int(sectionNumber) }
  /// What it takes of memory, about, with its rows and without its text: a ``MappingBudget`` counts all of them.
  var cost: Int { Int(shortCost) }
  /// Its place in the source's list when it was mapped.
  var index: Int { Int(shortIndex) }
  /// Among the plan's sources.
  var source: Int { Int(sourceNumber) }

  init(
    source: Int,
    givenID: String?,
    index: Int,
    outcome: Outcome,
    lookupKeys: [LookupKey?] = [],
    warning: String? = nil,
    isMalformed: Bool = false
  ) {
    (self.givenID, self.isMalformed) = (givenID, isMalformed)
    (sourceNumber, shortIndex) = (UInt16(truncatingIfNeeded: source), UInt32(truncatingIfNeeded: index))
    let section: Int
    switch outcome {
    case .unplaced(let address):
      (row, section) = (nil, 0)
      details = Details(address: address, lookupKeys: lookupKeys, warning: warning)
    case .skipped(let skip, let address):
      (row, section) = (nil, 0)
      details = Details(skip: skip, address: address, lookupKeys: lookupKeys, warning: warning)
    case .placed(let placement, let others):
      (row, section) = (placement.row, placement.section)
      details = Details(placement, others: others, lookupKeys: lookupKeys, warning: warning)
    }
    sectionNumber = UInt32(truncatingIfNeeded: section)
    shortCost = UInt32(clamping: MappingBudget.cost(row: row, details))
  }

  /// One of which there is nothing to be said but its row, which stands in the first section.
  init(source: Int, index: Int, row: Row) {
    (sourceNumber, shortIndex) = (UInt16(truncatingIfNeeded: source), UInt32(truncatingIfNeeded: index))
    (self.row, details, givenID, sectionNumber, isMalformed) = (row, nil, nil, 0, false)
    shortCost = UInt32(clamping: MappingBudget.cost(row: row, nil))
  }

  /// What most items have nothing of.
  final class Details: Sendable {
    let group: GroupKey?
    let sortKeys: [SortKey]
    /// In further sections.
    let others: [Placement]
    let skip: Skip?
    let address: Address?
    /// What was looked for in the sources of the table's lookups, in their order.
    let lookupKeys: [LookupKey?]
    /// What went wrong without costing the row.
    let warning: String?

    /// Nil where there is nothing.
    init?(
      _ placement: Placement? = nil,
      others: [Placement] = [],
      skip: Skip? = nil,
      address: Address? = nil,
      lookupKeys: [LookupKey?],
      warning: String?
    ) {
      let sortKeys = placement?.sortKeys ?? []
      guard
        placement?.group != nil || !sortKeys.isEmpty || !others.isEmpty || skip != nil || address != nil
          || !lookupKeys.isEmpty || warning != nil
      else { return nil }
      (group, self.sortKeys, self.others) = (placement?.group, sortKeys, others)
      (self.skip, self.address, self.lookupKeys, self.warning) = (skip, address, lookupKeys, warning)
    }
  }

  enum Outcome {
    /// No section takes it.
    case unplaced(Address?)
    case skipped(Skip, Address? = nil)
    case placed(Placement, others: [Placement] = [])
  }

  /// What an item without a row is edited by: those of a local source have one.
  struct Address: Sendable {
    /// The identity that its row would have.
    var id: String
    var permissions: Permissions
  }

  struct Skip: Sendable {
    var id: String?
    var type: String?
    var reason: String
    var field: String?
  }

  struct Placement: Sendable {
    /// Among the table's declared sections; 0 where it has groups.
    var section: Int
    var group: GroupKey? = nil
    var row: Row
    var sortKeys: [SortKey]
  }

  /// What a group is told by, and what its header sees as `$key`.
  struct GroupKey: Sendable {
    /// The key's text; `none` for items without a key.
    var id: String
    var key: SortKey

    /// Of items whose key is gone or empty.
    static let absent = GroupKey(id: "none", key: .none)
  }

  /// What may be done with it.
  var permissions: Permissions { row?.permissions ?? details?.address?.permissions ?? [] }

  /// Whether the item is found by an identity.
  func isNamed(_ id: String) -> Bool { hasRow(id) || details?.address?.id.isExactly(id) == true }

  /// Whether the item makes a row of this identity.
  func hasRow(_ id: String) -> Bool {
    row?.id.isExactly(id) == true || details?.others.contains { $0.row.id.isExactly(id) } == true
  }
}
