import FieldValues
import TableModel

/// The slices of a commit, one after the other.
struct SliceMaker {
  private let plan: StoreWriter.AheadPlan
  private let objects: [ObjectChange]
  private(set) var ahead: StoreWriter.RowsAhead
  private var next = 0
  private var writer = RecordWriter()

  /// Some milliseconds of writing.
  private static let size = 1_000

  /// O(rows).
  init(_ commit: Commit, _ version: Version, _ plan: StoreWriter.AheadPlan) {
    (self.plan, objects) = (plan, commit.objects)
    let record = VersionRecord(
      of: version.table,
      after: plan.last.map { ($0.version.table, $0.numbers) },
      isKeyFrame: plan.isKeyFrame,
      nextRow: plan.nextRow
    )
    ahead = StoreWriter.RowsAhead(stamp: commit.stamp, record: record)
  }

  /// Nil: all rows were in those before.
  mutating func slice() -> StoreWriter.Slice? {
    let added = ahead.record.added
    guard next < added.count else { return nil }
    var slice = StoreWriter.Slice()
    for (number, row) in added[next..<min(next + Self.size, added.count)] {
      let key = StoreSchema.key(of: plan.tableID, number: number)
      writer.clear()
      writer.write(row)
      slice.rows.append((key, writer.bytes))
      // Objects come in the order of their rows; from one on that does not, they are written with the version.
      guard ahead.objects < objects.count else { continue }
      let object = objects[ahead.objects]
      guard ByteText(object.row) == ByteText(row.id), let body = object.bytes else { continue }
      slice.objects.append((key, body))
      ahead.objects += 1
    }
    next += slice.rows.count
    return slice
  }
}
