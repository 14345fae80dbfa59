import Dispatch
import Foundation
import GRDB
import Synchronization
import TableModel

extension StoreWriter {
  /// Reads all that is stored of a table, and remembers what writing its next version needs.
  mutating func restore(_ table: String, in db: Database, _ readers: StoreReaders?) throws -> StoredTable {
    var result = StoredTable()
    let exists = try Bool.fetchOne(db, sql: "SELECT 1 FROM feed WHERE name = ?", arguments: [table]) ?? false
    guard exists else {
      result.revision = revision(of: table)
      return result
    }
    var feed = try open(table, in: db)
    let reading = try RecordReading(of: feed, in: db)
    try reading.read(with: readers, in: db)
    let records = feed.epoch == nil ? nil : try VersionRecords(of: feed, in: db)
    // None needs the others, and each takes a while where there are many rows; the connection is this thread's.
    let nextItem = feed.nextItem
    let made = Mutex<(history: Result<VersionHistory?, any Error>, items: LocalItems?)>((.success(nil), nil))
    let group = DispatchGroup()
    let beside: (@escaping @Sendable () -> Void) -> Void = { body in
      if readers == nil { body() } else { DispatchQueue.global().async(group: group, execute: body) }
    }
    beside {
      let history = Result { try records.map { try VersionHistory($0, name: table, rows: reading.rows) } }
      made.withLock { $0.history = history }
    }
    if let nextItem {
      beside {
        let items = LocalItems(stored: reading.items, nextID: nextItem)
        made.withLock { $0.items = items }
      }
    }
    let objects = Result { try NumberedObjects(of: feed, in: db) }
    group.wait()
    let (history, items) = made.withLock { $0 }
    result.versions = try takeOver(try history.get(), highest: reading.highestRow, of: &feed, in: db)
    result.items = items
    result.objects = try namedObjects(of: feed, in: db)
    let ofRows = try objects.get().named(by: feed.last)
    result.objects.reserveCapacity(result.objects.count + ofRows.count)
    for (name, bytes) in ofRows { result.objects[name] = bytes }
    let inputs = InputRevisions(takingFrom: &result.objects)
    feed.inputs = feeds[table]?.inputs
    result.inputs = feed.inputs ?? inputs
    result.toggled = try String.fetchSet(db, sql: "SELECT row FROM toggle WHERE feed = ?", arguments: [feed.id])
    result.layout = feed.layout
    feeds[table] = feed
    result.revision = revision(of: table)
    return result
  }

  /// The versions alone, within a transaction too.
  func restoreVersions(of feed: inout FeedState, name: String, in db: Database) throws {
    guard feed.epoch != nil else { return }
    let reading = try RecordReading(of: feed, withItems: false, in: db)
    try reading.read(with: nil, in: db)
    let history = try VersionHistory(try VersionRecords(of: feed, in: db), name: name, rows: reading.rows)
    _ = try takeOver(history, highest: reading.highestRow, of: &feed, in: db)
  }

  /// Goes on from the versions that are stored.
  private func takeOver(
    _ history: VersionHistory?,
    highest: UInt64?,
    of feed: inout FeedState,
    in db: Database
  ) throws -> StoredVersions? {
    if let highest { feed.nextRow = max(feed.nextRow, highest + 1) }
    guard let epoch = feed.epoch, let history, let last = history.last else { return nil }
    feed.keyFrames += history.keyFrames
    if let forgotten = history.forgotten { try forget(forgotten, of: feed, in: db) }
    // Rows written ahead of a version that was never committed.
    let next = history.highestRow.map { $0 + 1 } ?? 0
    if feed.nextRow > next {
      try removeRows(from: next, feed: feed.id, in: db)
      feed.nextRow = next
    }
    let versions = history.tables.map { number, table in
      Version(cursor: Cursor(epoch: epoch, version: number), table: table)
    }
    guard let newest = versions.last else { return nil }
    feed.last = (newest, last.numbers)
    return StoredVersions(epoch: epoch, versions: versions.suffix(self.history))
  }
}

/// The records of a table's versions, oldest first.
private struct VersionRecords: Sendable {
  private(set) var records: [(number: UInt64, isKeyFrame: Bool, bytes: [UInt8])] = []

  init(of feed: StoreWriter.FeedState, in db: Database) throws {
    let stored = try GRDB.Row.fetchCursor(
      db,
      sql: "SELECT number, key_frame, record FROM version WHERE feed = ? ORDER BY number",
      arguments: [feed.id]
    )
    while let row = try stored.next() {
      let number: Int64 = try row.decode(forColumn: "number")
      let record: Data = try row.decode(forColumn: "record")
      guard number > 0, number < .max else { throw RecordError(description: "a version has the number \(number)") }
      records.append((UInt64(number), try row.decode(forColumn: "key_frame"), Array(record)))
    }
  }
}

/// The content of the records of a table's versions.
private struct VersionHistory: Sendable {
  /// Oldest first.
  private(set) var tables: [(number: UInt64, table: TableModel.Table)] = []
  private(set) var keyFrames: [UInt64] = []
  private(set) var last: (table: TableModel.Table, numbers: [[UInt64]])?
  /// The highest number of a row that a version has; nil where none has rows.
  private(set) var highestRow: UInt64?
  /// Before these: versions that an earlier run was about to forget.
  private(set) var forgotten: Range<UInt64>?

  /// - Throws: ``RecordError`` where a version or a row is missing, or a record can't be read.
  init(_ records: VersionRecords, name: String, rows: NumberedRows) throws(RecordError) {
    var reading = VersionReading(name: name, rows: rows, names: NameTable())
    // Versions before the first key frame are being forgotten (``StoreWriter/Forgetting``).
    let first = records.records.firstIndex(where: \.isKeyFrame) ?? records.records.endIndex
    if first > 0 {
      guard first < records.records.endIndex else {
        throw RecordError(description: "no version of table \(name) can be read by itself")
      }
      forgotten = records.records[0].number..<records.records[first].number
    }
    for (number, isKeyFrame, bytes) in records.records[first...] {
      if let last = tables.last, last.number &+ 1 != number {
        throw RecordError(description: "version \(last.number &+ 1) of table \(name) is missing")
      }
      if isKeyFrame { keyFrames.append(number) }
      tables.append((number, try reading.read(bytes)))
    }
    (last, highestRow) = (reading.last, reading.highest)
  }
}
