import Foundation
import GRDB
import TableModel

extension StoreWriter {
  /// Reads all that is stored of a table, and remembers what writing its next version needs.
  mutating func restore(_ table: String, in db: Database) throws -> StoredTable {
    var result = StoredTable()
    let exists = try Bool.fetchOne(db, sql: "SELECT 1 FROM feed WHERE name = ?", arguments: [table]) ?? false
    guard exists else {
      result.revision = revision(of: table)
      return result
    }
    var feed = try open(table, in: db)
    result.feed = try restoreVersions(of: &feed, name: table, in: db)
    result.items = try restoreItems(of: feed, in: db)
    result.objects = try restoreObjects(of: feed, in: db)
    result.toggled = try String.fetchSet(db, sql: "SELECT row FROM toggle WHERE feed = ?", arguments: [feed.id])
    feeds[table] = feed
    result.revision = revision(of: table)
    return result
  }

  func restoreVersions(of feed: inout FeedState, name: String, in db: Database) throws -> StoredFeed? {
    guard let epoch = feed.epoch else { return nil }
    let rows = try restoreRows(of: &feed, in: db)
    var reading = VersionReading(name: name, rows: rows, names: NameTable())
    var versions: [Version] = []
    let records = try GRDB.Row.fetchCursor(
      db,
      sql: "SELECT number, key_frame, record FROM version WHERE feed = ? ORDER BY number",
      arguments: [feed.id]
    )
    while let row = try records.next() {
      let stored: Int64 = row["number"]
      let number = UInt64(bitPattern: stored)
      if let last = versions.last, last.number &+ 1 != number {
        throw RecordError(description: "version \(last.number + 1) of table \(name) is missing")
      }
      if row["key_frame"] { feed.keyFrames.append(number) }
      let record: Data = row["record"]
      let table = try reading.read(Array(record))
      versions.append(Version(cursor: Cursor(epoch: epoch, version: number), table: table))
    }
    guard let last = versions.last, let numbers = reading.last?.numbers else { return nil }
    // What was written ahead of a version that did not come about.
    let next = reading.highest.map { $0 + 1 } ?? 0
    if feed.nextRow > next {
      try removeRows(from: next, feed: feed.id, in: db)
      feed.nextRow = next
    }
    feed.last = (last, numbers)
    return StoredFeed(epoch: epoch, versions: versions.suffix(history))
  }

  private func restoreRows(of feed: inout FeedState, in db: Database) throws -> NumberedRows {
    let keys = StoreSchema.keys(feed: feed.id)
    var batches = RowBatches()
    let statement = try RecordStatement("SELECT key, record FROM row WHERE key BETWEEN ? AND ? ORDER BY key", in: db)
    try statement.forEach(keys) { key, record in try batches.append(UInt64(key - keys.lowerBound), record) }
    if let last = batches.last { feed.nextRow = max(feed.nextRow, last + 1) }
    return try batches.finish()
  }

  private func restoreItems(of feed: FeedState, in db: Database) throws -> LocalItems? {
    guard let nextItem = feed.nextItem else { return nil }
    let keys = StoreSchema.keys(feed: feed.id)
    var stored: [StoredItem] = []
    let statement = try RecordStatement(
      "SELECT key, body, rank FROM item WHERE key BETWEEN ? AND ? ORDER BY key",
      in: db
    )
    try statement.forEach(keys) { key, body, rank in
      let id = ItemID(rawValue: UInt64(key - keys.lowerBound))
      stored.append(StoredItem(item: Item(id: id, body: Array(body)), rank: rank))
    }
    return LocalItems(stored: stored, nextID: nextItem)
  }
}
