internal import Definitions
internal import TableModel

/// An item and what became of it. Immutable; kept from refresh to refresh for as long as the item's bytes are the same.
public final class MappedItem: Sendable {
  /// The represented object, as the source gave it.
  public let bytes: [UInt8]
  public let source: String
  /// The identity that the service gave it, for an item of a local table.
  public let givenID: String?
  /// Its place in the source's list when it was mapped.
  let index: Int
  let outcome: Outcome
  /// What went wrong without costing the row.
  let warning: String?

  init(
    bytes: [UInt8],
    source: String,
    givenID: String?,
    index: Int,
    outcome: Outcome,
    warning: String?
  ) {
    (self.bytes, self.source, self.givenID) = (bytes, source, givenID)
    (self.index, self.outcome, self.warning) = (index, outcome, warning)
  }

  enum Outcome: Sendable {
    /// No section takes it.
    case unplaced
    case skipped(id: String?, type: String?, reason: String, field: String? = nil)
    case placed(Placement)
    /// In several sections.
    case placedOften([Placement])
  }

  struct Placement: Sendable {
    /// Among the table's declared sections; 0 where it has groups.
    var section: Int
    var group: GroupKey?
    var row: Row
    var sortKeys: [SortKey]
  }

  /// What a group is told by, and what its header sees as `$key`.
  struct GroupKey: Sendable {
    /// The key's text; `none` for items without a key.
    var id: String
    var key: SortKey
  }
}

extension MappedItem {
  /// The identity of the item's row; of the first where it stands in several sections.
  var rowID: String? {
    switch outcome {
    case .placed(let placement): placement.row.id
    case .placedOften(let placements): placements.first?.row.id
    case .unplaced, .skipped: nil
    }
  }
}
