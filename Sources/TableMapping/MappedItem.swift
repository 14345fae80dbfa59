internal import Definitions
internal import FieldValues
internal import TableModel

/// The outcome of mapping an item. Immutable; kept from refresh to refresh for as long as the item's bytes are the
/// same.
///
/// The properties that every refresh reads of every item come first, so that they lie in one line of the processor's
/// cache.
///
/// `@unchecked Sendable`, as there is a class below it: nothing in either is ever written but in `init`.
class MappedItem: @unchecked Sendable {
  /// In the first of its sections; nil where it has none.
  final let row: Row?
  /// Nil where there is nothing else to be said of the item.
  final let details: Details?
  // In as little memory as it takes: there are as many of them as rows.
  private final let sectionNumber: UInt32
  private final let shortCost: UInt32
  private final let shortWork: UInt32
  private final let shortIndex: UInt32
  private final let sourceNumber: UInt16
  /// It is no item at all.
  final let isMalformed: Bool

  /// The identity that the service gave it, for an item of a local table.
  var givenID: String? { nil }

  /// The number of the row's section among the table's declared sections, 0 where it has groups.
  final var section: Int { Int(sectionNumber) }
  /// Its memory, about, with its rows and without its text: a ``MappingBudget`` counts all of them.
  final var cost: Int { Int(shortCost) }
  /// The work of evaluating it beyond what its bytes give (``MappingBudget/work(_:bytes:)``), in steps.
  final var work: Int { Int(shortWork) }
  /// Its place in the source's list when it was mapped.
  final var index: Int { Int(shortIndex) }
  /// Among the plan's sources.
  final var source: Int { Int(sourceNumber) }

  /// The parts that an item is made of.
  struct Parts {
    /// Among the plan's sources.
    var source: Int
    var index: Int
    var outcome: Outcome
    var work = 0
    var lookupKeys: [SoughtKeys] = []
    var warning: String?
    var isMalformed = false
  }

  /// - Parameter givenID: as for ``givenID``.
  static func item(_ parts: Parts, givenID: String?) -> MappedItem {
    givenID.map { OwnedMappedItem($0, parts) } ?? MappedItem(parts)
  }

  fileprivate init(_ parts: Parts) {
    let (lookupKeys, warning) = (parts.lookupKeys, parts.warning)
    isMalformed = parts.isMalformed
    (sourceNumber, shortIndex) = (
      UInt16(truncatingIfNeeded: parts.source), UInt32(truncatingIfNeeded: parts.index)
    )
    let section: Int
    switch parts.outcome {
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
    shortWork = UInt32(clamping: parts.work)
  }

  /// One of which there is nothing to be said but its row, which stands in the first section.
  init(source: Int, index: Int, row: Row, work: Int = 0) {
    (sourceNumber, shortIndex) = (UInt16(truncatingIfNeeded: source), UInt32(truncatingIfNeeded: index))
    (self.row, details, sectionNumber, isMalformed) = (row, nil, 0, false)
    shortCost = UInt32(clamping: MappingBudget.cost(row: row, nil))
    shortWork = UInt32(clamping: work)
  }

  /// Properties that most items don't have.
  final class Details: Sendable {
    let group: GroupKey?
    let sortKeys: [SortKey]
    /// In further sections.
    let others: [Placement]
    let skip: Skip?
    let address: Address?
    /// The keys that were looked for in the sources of the table's lookups, in their order.
    let lookupKeys: [SoughtKeys]
    /// A problem that did not cost the row.
    let warning: String?

    /// Nil where there is nothing.
    init?(
      _ placement: Placement? = nil,
      others: [Placement] = [],
      skip: Skip? = nil,
      address: Address? = nil,
      lookupKeys: [SoughtKeys],
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

  /// The identity by which an item without a row is edited: those of a local source have one.
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

  /// The identity of a group, and the value of `$key` in its header.
  struct GroupKey: Sendable {
    /// The key's text; `none` for items without a key.
    var id: String
    var key: SortKey

    /// The group of items whose key is gone or empty.
    static let absent = GroupKey(id: "none", key: .none)
  }

  /// The edits that are allowed.
  final var permissions: Permissions { row?.permissions ?? details?.address?.permissions ?? [] }

  /// Returns whether the item is found by an identity.
  final func isNamed(_ id: String) -> Bool { hasRow(id) || details?.address?.id.isExactly(id) == true }

  /// Returns whether the item makes a row of this identity.
  final func hasRow(_ id: String) -> Bool {
    row?.id.isExactly(id) == true || details?.others.contains { $0.row.id.isExactly(id) } == true
  }
}

/// One that the service owns.
private final class OwnedMappedItem: MappedItem, @unchecked Sendable {
  private let ownID: String

  override var givenID: String? { ownID }

  init(_ givenID: String, _ parts: Parts) {
    ownID = givenID
    super.init(parts)
  }
}
