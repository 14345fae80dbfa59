import Foundation
import GRDB
import TableModel

extension StoreWriter {
  /// Writes what a commit does to one record, within a transaction.
  ///
  /// - Parameter durability: of all that is written as one.
  mutating func write(_ commit: Commit, _ durability: Commit.Durability, in db: Database) throws {
    var table = try tables[commit.table] ?? open(commit.table, in: db)
    if commit.version != nil, durability == .process, !table.isAtRisk {
      try db.cachedStatement(sql: "UPDATE feed SET at_risk = 1 WHERE id = ?").execute(arguments: [table.id])
      table.isAtRisk = true
    }
    let ahead = ahead?.stamp == commit.stamp ? ahead : nil
    let record = try commit.version.map { try write($0, as: commit.table, ahead, of: &table, in: db) }
    if commit.version != nil || commit.layout != nil, table.layout != commit.layout {
      try db.cachedStatement(sql: "UPDATE feed SET layout = ? WHERE id = ?").execute(arguments: [
        commit.layout, table.id,
      ])
      table.layout = commit.layout
    }
    if let items = commit.items { try write(items, of: &table, in: db) }
    if let ahead, ahead.objects > 0 { table.hasRowObjects = true }
    var objects = commit.objects
    if let inputs = commit.inputs {
      // Nobody else writes here: it is enough that the records are known that the table shows.
      if !(table.inputs?.haveSameRecords(as: inputs) ?? false) { objects.append(inputs.object) }
      table.inputs = inputs
    }
    try write(objects, from: ahead?.objects ?? 0, with: record, of: &table, name: commit.table, in: db)
    for toggle in commit.toggles { try write(toggle, of: table.id, in: db) }
    if let version = commit.version, table.keyFrames.last == version.number {
      try prune(&table, upTo: version.number, in: db)
    }
    tables[commit.table] = table
  }

  /// The state of a table that was not restored in this run, or is new.
  func open(_ name: String, in db: Database) throws -> SQLiteTable {
    let sql = "SELECT id, epoch, at_risk, next_item, layout FROM feed WHERE name = ?"
    if let row = try GRDB.Row.fetchOne(db, sql: sql, arguments: [name]) {
      let id: Int64 = try row.decode(forColumn: "id")
      let epoch: Int64? = try row.decode(forColumn: "epoch")
      let nextItem: Int64? = try row.decode(forColumn: "next_item")
      guard (0..<StoreSchema.tableLimit).contains(id), nextItem ?? 0 >= 0 else {
        throw RecordError(description: "table \(name) has a number that can't be")
      }
      return SQLiteTable(
        id: id,
        epoch: epoch.map { Epoch(rawValue: UInt64(bitPattern: $0)) },
        isAtRisk: try row.decode(forColumn: "at_risk"),
        nextItem: nextItem.map { UInt64(bitPattern: $0) },
        hasRowObjects: try hasRowObjects(id, in: db),
        layout: try row.decode(forColumn: "layout")
      )
    }
    try db.execute(sql: "INSERT INTO feed (name) VALUES (?)", arguments: [name])
    guard db.lastInsertedRowID < StoreSchema.tableLimit else { throw StoreError.failed("too many tables") }
    return SQLiteTable(id: db.lastInsertedRowID, isAtRisk: false)
  }

  private func hasRowObjects(_ id: Int64, in db: Database) throws -> Bool {
    let keys = StoreSchema.keys(of: id)
    let sql = "SELECT EXISTS (SELECT 1 FROM row_object WHERE key BETWEEN ? AND ?)"
    return try Bool.fetchOne(db, sql: sql, arguments: [keys.lowerBound, keys.upperBound]) ?? false
  }

  // MARK: - Versions

  func isKeyFrame(_ version: Version, after table: SQLiteTable) -> Bool {
    table.keyFrames.last.map { version.number >= $0 + UInt64(history) } ?? true
  }

  /// - Parameter ahead: its rows, where they are written.
  /// - Returns: its record, with the rows that were written.
  private func write(
    _ version: Version,
    as name: String,
    _ ahead: RowsAhead?,
    of table: inout SQLiteTable,
    in db: Database
  ) throws -> VersionRecord {
    if table.last == nil || table.epoch != version.cursor.epoch {
      if ahead == nil {
        try nameObjects(of: &table, name: name, in: db)
        try deleteVersions(of: table.id, in: db)
      }
      try startEpoch(version.cursor.epoch, of: &table, in: db)
    } else if ahead == nil, table.hasRowsAhead {
      try removeRows(from: table.nextRow, of: table.id, in: db)
    }
    table.hasRowsAhead = false
    let isKeyFrame = isKeyFrame(version, after: table)
    let record =
      ahead?.record
      ?? VersionRecord(
        of: version.table,
        after: table.last.map { ($0.version.table, $0.numbers) },
        isKeyFrame: isKeyFrame,
        nextRow: table.nextRow
      )
    if ahead == nil, !record.added.isEmpty {
      let insertion = try RecordStatement("INSERT OR REPLACE INTO row (key, record) VALUES (?, ?)", in: db)
      var writer = RecordWriter()
      for (number, row) in record.added {
        writer.clear()
        writer.write(row)
        try insertion.execute(StoreSchema.key(of: table.id, number: number), writer.bytes)
      }
    }
    var gone = RecordWriter()
    for (number, _) in record.gone { gone.write(number) }
    try db.cachedStatement(
      sql: "INSERT INTO version (feed, number, key_frame, gone, record) VALUES (?, ?, ?, ?, ?)"
    )
    .execute(arguments: [
      table.id, Int64(bitPattern: version.number), isKeyFrame, Data(gone.bytes), Data(record.bytes),
    ])
    table.last = (version, record.numbers)
    table.nextRow = record.nextRow
    if isKeyFrame { table.keyFrames.append(version.number) }
    return record
  }

  private func startEpoch(_ epoch: Epoch, of table: inout SQLiteTable, in db: Database) throws {
    try db.execute(
      sql: "UPDATE feed SET epoch = ? WHERE id = ?",
      arguments: [Int64(bitPattern: epoch.rawValue), table.id]
    )
    table.epoch = epoch
    table.last = nil
    table.keyFrames = []
    table.nextRow = 0
    table.forgetting = nil
  }

  /// Forgets all versions, with their rows.
  func deleteVersions(of id: Int64, in db: Database) throws {
    try db.execute(sql: "DELETE FROM version WHERE feed = ?", arguments: [id])
    try removeRows(from: 0, of: id, in: db)
  }

  // MARK: - Items, toggles

  private func write(_ changes: ItemChanges, of table: inout SQLiteTable, in db: Database) throws {
    for id in changes.deleted {
      try db.cachedStatement(sql: "DELETE FROM item WHERE key = ?")
        .execute(arguments: [StoreSchema.key(of: table.id, number: id.rawValue)])
    }
    for entry in changes.stored {
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO item (key, rank, body, name) VALUES (?, ?, ?, ?)")
        .execute(arguments: [
          StoreSchema.key(of: table.id, number: entry.item.id.rawValue), entry.rank, Data(entry.item.body),
          entry.item.name,
        ])
    }
    if table.nextItem.map({ $0 < changes.nextID }) ?? true {
      try db.cachedStatement(sql: "UPDATE feed SET next_item = ? WHERE id = ?")
        .execute(arguments: [Int64(bitPattern: changes.nextID), table.id])
      table.nextItem = changes.nextID
    }
  }

  private func write(_ change: ToggleChange, of id: Int64, in db: Database) throws {
    let sql =
      change.isToggled
      ? "INSERT OR IGNORE INTO toggle (feed, row) VALUES (?, ?)" : "DELETE FROM toggle WHERE feed = ? AND row = ?"
    try db.cachedStatement(sql: sql).execute(arguments: [id, change.row])
  }

  // MARK: - Renaming and removing

  /// Keeps what is kept under one name under another, where nothing is.
  mutating func rename(_ record: String, to name: String, in db: Database) throws {
    let isTaken = try Bool.fetchOne(db, sql: "SELECT 1 FROM feed WHERE name = ?", arguments: [name]) ?? false
    guard !isTaken else { return }
    try mayWrite()
    try setLevel(.full, in: db)
    var isRenamed = false
    try db.inTransaction(.immediate) {
      try db.execute(sql: "UPDATE feed SET name = ? WHERE name = ?", arguments: [name, record])
      isRenamed = db.changesCount > 0
      if isRenamed { try renameInput(record, to: name, in: db) }
      return .commit
    }
    if isRenamed { moved(record, to: name) }
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
      for row in found { try remove(id: try row.decode(forColumn: "id"), in: db) }
      try db.execute(sql: "DELETE FROM answer WHERE feed = ?", arguments: [table])
      return .commit
    }
    answers = AnswerSums()
    for row in found { forget(try row.decode(forColumn: "name")) }
  }

  private func remove(id: Int64, in db: Database) throws {
    let keys = StoreSchema.keys(of: id)
    try deleteVersions(of: id, in: db)
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
