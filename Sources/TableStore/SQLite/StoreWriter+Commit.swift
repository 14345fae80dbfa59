import Foundation
import GRDB
import TableModel

extension StoreWriter {
  /// Writes what a commit does to one record, within a transaction.
  ///
  /// - Parameter durability: of all that is written as one.
  mutating func write(_ commit: Commit, _ durability: Commit.Durability, in db: Database) throws {
    // Taken out while it changes, so that its arrays are not copied.
    var feed = try feeds[commit.table] ?? open(commit.table, in: db)
    if commit.version != nil, durability == .process, !feed.isAtRisk {
      try db.cachedStatement(sql: "UPDATE feed SET at_risk = 1 WHERE id = ?").execute(arguments: [feed.id])
      feed.isAtRisk = true
    }
    let ahead = ahead?.stamp == commit.stamp ? ahead : nil
    let record = try commit.version.map { try write($0, as: commit.table, ahead, of: &feed, in: db) }
    if commit.version != nil || commit.layout != nil, feed.layout != commit.layout {
      try db.cachedStatement(sql: "UPDATE feed SET layout = ? WHERE id = ?").execute(arguments: [
        commit.layout, feed.id,
      ])
      feed.layout = commit.layout
    }
    if let items = commit.items { try write(items, of: &feed, in: db) }
    if let ahead, ahead.objects > 0 { feed.hasRowObjects = true }
    var objects = commit.objects
    if let inputs = commit.inputs {
      // Nobody else writes here: it is enough that the records are known that the table shows.
      if !(feed.inputs?.haveSameRecords(as: inputs) ?? false) { objects.append(inputs.object) }
      feed.inputs = inputs
    }
    try write(objects, from: ahead?.objects ?? 0, of: commit.table, with: record, in: &feed, db)
    for toggle in commit.toggles { try write(toggle, feed: feed.id, in: db) }
    if let version = commit.version, feed.keyFrames.last == version.number {
      try prune(&feed, upTo: version.number, in: db)
    }
    feeds[commit.table] = feed
  }

  /// The state of a table that was not restored in this run, or is new.
  func open(_ table: String, in db: Database) throws -> FeedState {
    let sql = "SELECT id, epoch, at_risk, next_item, layout FROM feed WHERE name = ?"
    if let row = try GRDB.Row.fetchOne(db, sql: sql, arguments: [table]) {
      let id: Int64 = try row.decode(forColumn: "id")
      let epoch: Int64? = try row.decode(forColumn: "epoch")
      let nextItem: Int64? = try row.decode(forColumn: "next_item")
      guard (0..<StoreSchema.feedLimit).contains(id), nextItem ?? 0 >= 0 else {
        throw RecordError(description: "table \(table) has a number that can't be")
      }
      return FeedState(
        id: id,
        epoch: epoch.map { Epoch(rawValue: UInt64(bitPattern: $0)) },
        isAtRisk: try row.decode(forColumn: "at_risk"),
        nextItem: nextItem.map { UInt64(bitPattern: $0) },
        hasRowObjects: try hasRowObjects(id, in: db),
        layout: try row.decode(forColumn: "layout")
      )
    }
    try db.execute(sql: "INSERT INTO feed (name) VALUES (?)", arguments: [table])
    guard db.lastInsertedRowID < StoreSchema.feedLimit else { throw StoreError.failed("too many tables") }
    return FeedState(id: db.lastInsertedRowID, isAtRisk: false)
  }

  private func hasRowObjects(_ feed: Int64, in db: Database) throws -> Bool {
    let keys = StoreSchema.keys(feed: feed)
    let sql = "SELECT EXISTS (SELECT 1 FROM row_object WHERE key BETWEEN ? AND ?)"
    return try Bool.fetchOne(db, sql: sql, arguments: [keys.lowerBound, keys.upperBound]) ?? false
  }

  // MARK: - Versions

  func isKeyFrame(_ version: Version, after feed: FeedState) -> Bool {
    feed.keyFrames.last.map { version.number >= $0 + UInt64(history) } ?? true
  }

  /// - Parameter ahead: its rows, where they are written.
  /// - Returns: its record, with the rows that were written.
  private func write(
    _ version: Version,
    as table: String,
    _ ahead: RowsAhead?,
    of feed: inout FeedState,
    in db: Database
  ) throws -> VersionRecord {
    if feed.last == nil || feed.epoch != version.cursor.epoch {
      if ahead == nil {
        try nameObjects(of: &feed, table: table, in: db)
        try deleteVersions(feed: feed.id, in: db)
      }
      try startEpoch(version.cursor.epoch, of: &feed, in: db)
    }
    let isKeyFrame = isKeyFrame(version, after: feed)
    let record =
      ahead?.record
      ?? VersionRecord(
        of: version.table,
        after: feed.last.map { ($0.version.table, $0.numbers) },
        isKeyFrame: isKeyFrame,
        nextRow: feed.nextRow
      )
    if ahead == nil, !record.added.isEmpty {
      let insertion = try RecordStatement("INSERT OR REPLACE INTO row (key, record) VALUES (?, ?)", in: db)
      var writer = RecordWriter()
      for (number, row) in record.added {
        writer.clear()
        writer.write(row)
        try insertion.execute(StoreSchema.key(feed: feed.id, number: number), writer.bytes)
      }
    }
    var gone = RecordWriter()
    for (number, _) in record.gone { gone.write(number) }
    try db.cachedStatement(
      sql: "INSERT INTO version (feed, number, key_frame, gone, record) VALUES (?, ?, ?, ?, ?)"
    )
    .execute(arguments: [
      feed.id, Int64(bitPattern: version.number), isKeyFrame, Data(gone.bytes), Data(record.bytes),
    ])
    feed.last = (version, record.numbers)
    feed.nextRow = record.nextRow
    if isKeyFrame { feed.keyFrames.append(version.number) }
    return record
  }

  private func startEpoch(_ epoch: Epoch, of feed: inout FeedState, in db: Database) throws {
    try db.execute(
      sql: "UPDATE feed SET epoch = ? WHERE id = ?",
      arguments: [Int64(bitPattern: epoch.rawValue), feed.id]
    )
    feed.epoch = epoch
    feed.last = nil
    feed.keyFrames = []
    feed.nextRow = 0
    feed.forgetting = nil
  }

  /// Forgets all versions, with their rows.
  func deleteVersions(feed: Int64, in db: Database) throws {
    let keys = StoreSchema.keys(feed: feed)
    try db.execute(sql: "DELETE FROM version WHERE feed = ?", arguments: [feed])
    for name in ["row", "row_object"] {
      try db.execute(
        sql: "DELETE FROM \(name) WHERE key BETWEEN ? AND ?",
        arguments: [keys.lowerBound, keys.upperBound]
      )
    }
  }

  // MARK: - Items, toggles

  private func write(_ changes: ItemChanges, of feed: inout FeedState, in db: Database) throws {
    for id in changes.deleted {
      try db.cachedStatement(sql: "DELETE FROM item WHERE key = ?")
        .execute(arguments: [StoreSchema.key(feed: feed.id, number: id.rawValue)])
    }
    for entry in changes.stored {
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO item (key, rank, body, name) VALUES (?, ?, ?, ?)")
        .execute(arguments: [
          StoreSchema.key(feed: feed.id, number: entry.item.id.rawValue), entry.rank, Data(entry.item.body),
          entry.item.name,
        ])
    }
    if feed.nextItem.map({ $0 < changes.nextID }) ?? true {
      try db.cachedStatement(sql: "UPDATE feed SET next_item = ? WHERE id = ?")
        .execute(arguments: [Int64(bitPattern: changes.nextID), feed.id])
      feed.nextItem = changes.nextID
    }
  }

  private func write(_ change: ToggleChange, feed: Int64, in db: Database) throws {
    let sql =
      change.isToggled
      ? "INSERT OR IGNORE INTO toggle (feed, row) VALUES (?, ?)" : "DELETE FROM toggle WHERE feed = ? AND row = ?"
    try db.cachedStatement(sql: sql).execute(arguments: [feed, change.row])
  }

  // MARK: - Renaming and removing

  /// Keeps what is kept under one name under another, where nothing is.
  mutating func rename(_ record: String, to name: String, in db: Database) throws {
    let isTaken = try Bool.fetchOne(db, sql: "SELECT 1 FROM feed WHERE name = ?", arguments: [name]) ?? false
    guard !isTaken else { return }
    try mayWrite()
    try setLevel(.full, in: db)
    try db.inTransaction(.immediate) {
      try db.execute(sql: "UPDATE feed SET name = ? WHERE name = ?", arguments: [name, record])
      try renameInput(record, to: name, in: db)
      return .commit
    }
    moved(record, to: name)
  }

  /// Forgets all about a table and, where it is a family, its members.
  mutating func remove(_ table: String, in db: Database) throws {
    try mayWrite()
    let prefix = memberPrefix(of: table)
    let found = try GRDB.Row.fetchAll(
      db,
      sql: "SELECT id, name FROM feed WHERE name = ? OR substr(name, 1, ?) = ?",
      arguments: [table, prefix.unicodeScalars.count, prefix]
    )
    try db.inTransaction(.immediate) {
      for feed in found { try remove(feed: try feed.decode(forColumn: "id"), in: db) }
      try db.execute(sql: "DELETE FROM answer WHERE feed = ?", arguments: [table])
      return .commit
    }
    answers = AnswerSums()
    for feed in found { forget(try feed.decode(forColumn: "name")) }
  }

  private func remove(feed id: Int64, in db: Database) throws {
    let keys = StoreSchema.keys(feed: id)
    try deleteVersions(feed: id, in: db)
    try db.execute(
      sql: "DELETE FROM item WHERE key BETWEEN ? AND ?",
      arguments: [keys.lowerBound, keys.upperBound]
    )
    for name in ["object", "toggle"] {
      try db.execute(sql: "DELETE FROM \(name) WHERE feed = ?", arguments: [id])
    }
    try db.execute(sql: "DELETE FROM feed WHERE id = ?", arguments: [id])
  }
}
