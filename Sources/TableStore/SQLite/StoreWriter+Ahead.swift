import GRDB
import TableModel

/// A version with very many new rows is written in slices, so that the commits of other tables come in between: first the
/// rows and their objects, under numbers that no version has; then, in one transaction as always, what makes them a version.
/// Where that does not come about, they are no more than numbers that are written anew, or removed when the table is
/// restored.
extension StoreWriter {
  /// The parts of the version's record, made off the table's queue.
  struct AheadPlan: Sendable {
    let feed: Int64
    let last: (version: Version, numbers: [[UInt64]])?
    let isKeyFrame: Bool
    let nextRow: UInt64
  }

  /// Rows that were written ahead of a commit.
  struct RowsAhead: Sendable {
    /// The stamp of the commit.
    let stamp: UInt64
    let record: VersionRecord
    /// How many of the commit's first objects.
    var objects = 0
  }

  /// Rows of a version, with their objects, if they have any: as they are written.
  struct Slice: Sendable {
    var rows: [(key: Int64, record: [UInt8])] = []
    var objects: [(key: Int64, body: [UInt8])] = []
  }

  /// Fewer rows take no longer than others may wait.
  static let fewestAhead = 10_000

  /// Nil where a commit is written at once: most of its rows are written already, or it is not the next one. Not called
  /// within a transaction.
  mutating func planAhead(_ commit: Commit, in db: Database) throws -> AheadPlan? {
    guard let version = commit.version, version.table.rowCount >= Self.fewestAhead, canWrite,
      !isSuperseded(commit, at: revision(of: commit.table))
    else { return nil }
    let feed = try feeds[commit.table] ?? open(commit.table, in: db)
    if let last = feed.last {
      guard feed.epoch == version.cursor.epoch, last.version.table.rowCount <= version.table.rowCount / 2 else {
        return nil
      }
    } else {
      guard feed.epoch == nil else { return nil }
      // Rows that an earlier run began and did not end.
      try deleteVersions(feed: feed.id, in: db)
    }
    feeds[commit.table] = feed
    return AheadPlan(
      feed: feed.id,
      last: feed.last,
      isKeyFrame: isKeyFrame(version, after: feed),
      nextRow: feed.nextRow
    )
  }

  /// Writes a slice, in a transaction of its own that waits for no disk: the version's does.
  mutating func write(_ slice: Slice, in db: Database) throws {
    try setLevel(.process, in: db)
    try db.inTransaction(.immediate) {
      let row = try RecordStatement("INSERT OR REPLACE INTO row (key, record) VALUES (?, ?)", in: db)
      for entry in slice.rows { try row.execute(entry.key, entry.record) }
      let object = try RecordStatement("INSERT OR REPLACE INTO row_object (key, body) VALUES (?, ?)", in: db)
      for entry in slice.objects { try object.execute(entry.key, entry.body) }
      return .commit
    }
  }

  /// Removes rows from a number on: those that no version has.
  func removeRows(from number: UInt64, feed: Int64, in db: Database) throws {
    let last = StoreSchema.keys(feed: feed).upperBound
    for name in ["row", "row_object"] {
      try db.execute(
        sql: "DELETE FROM \(name) WHERE key BETWEEN ? AND ?",
        arguments: [StoreSchema.key(feed: feed, number: number), last]
      )
    }
  }
}

/// The slices of a commit, one after the other.
struct SliceMaking {
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
      let key = StoreSchema.key(feed: plan.feed, number: number)
      writer.clear()
      writer.write(row)
      slice.rows.append((key, writer.bytes))
      // Objects come in the order of their rows; from one on that does not, they are written with the version.
      guard ahead.objects < objects.count, objects[ahead.objects].row == row.id, let body = objects[ahead.objects].bytes
      else { continue }
      slice.objects.append((key, body))
      ahead.objects += 1
    }
    next += slice.rows.count
    return slice
  }
}
