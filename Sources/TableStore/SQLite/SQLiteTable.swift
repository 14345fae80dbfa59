import TableModel

/// The writer's state of one record, a table's or a source's items: all that it needs to write the next version.
struct SQLiteTable {
  let id: Int64
  var epoch: Epoch?
  /// The version stored last and the numbers of its rows; nil where it was not restored: then the next one
  /// begins anew.
  var last: (version: Version, numbers: [RowNumberList])?
  var nextRow: UInt64 = 0
  /// There may be rows from ``nextRow`` on that no version has (``StoreWriter/AheadPlan``).
  var hasRowsAhead = false
  /// Numbers of the key frames that are stored, growing. The oldest record is one.
  var keyFrames: [UInt64] = []
  var isAtRisk: Bool
  var nextItem: UInt64?
  /// Objects lie under the numbers of their rows.
  var hasRowObjects = false
  /// The inputs of the last version in this run: between runs revisions begin anew.
  var inputs: InputRevisions?
  /// The layout of the last version.
  var layout: String?
  /// The rest of forgetting old versions.
  var forgetting: StoreWriter.Forgetting?
}
