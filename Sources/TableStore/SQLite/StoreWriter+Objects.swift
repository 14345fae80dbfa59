import FieldValues
import Foundation
import GRDB
import TableModel

/// Represented objects lie beside their rows, under the rows' numbers: rows that are new are written at the end, and so are
/// their objects, which costs as many pages as they fill, and not one for each. An object of a row that the table has not
/// lies under the row's name.
extension StoreWriter {
  /// Writes what a commit says of objects.
  ///
  /// - Parameters:
  ///   - first: those before it are written already.
  ///   - record: of the version that the commit has; its rows are written.
  func write(
    _ objects: [ObjectChange],
    from first: Int,
    with record: VersionRecord?,
    of table: inout SQLiteTable,
    name: String,
    in db: Database
  ) throws {
    guard !objects.isEmpty || table.hasRowObjects else { return }
    // Nobody has asked for the table in this run: its rows are not known yet.
    if record == nil, table.last == nil, table.hasRowObjects { try restoreVersions(of: &table, name: name, in: db) }
    let insertion = try RecordStatement("INSERT OR REPLACE INTO row_object (key, body) VALUES (?, ?)", in: db)
    let deletion = try RecordStatement("DELETE FROM row_object WHERE key = ?", in: db)
    var numbers = RowNumbers(record, of: table)
    for object in objects.dropFirst(first) {
      let key = numbers.number(of: object.row).map { StoreSchema.key(of: table.id, number: $0) }
      if let bytes = object.bytes, let key {
        try insertion.execute(key, bytes)
        table.hasRowObjects = true
      } else if let bytes = object.bytes {
        try write(bytes, under: object.row, of: table.id, in: db)
      } else {
        // That of a row which is gone goes with it.
        if let key { try deletion.execute(key) }
        try db.cachedStatement(sql: "DELETE FROM object WHERE feed = ? AND row = ?")
          .execute(arguments: [table.id, object.row])
      }
    }
    guard table.hasRowObjects, let record else { return }
    try keepObjects(for: record, but: objects, of: table.id, in: db)
  }

  /// A row that is another one now, and of whose object nothing was said, has the one that it had.
  private func keepObjects(
    for record: VersionRecord,
    but objects: [ObjectChange],
    of id: Int64,
    in db: Database
  ) throws {
    guard !record.gone.isEmpty, !record.added.isEmpty else { return }
    let told = Set(objects.map { ByteText($0.row) })
    let silent = record.added.filter { !told.contains(ByteText($0.row.id)) }
    guard !silent.isEmpty else { return }
    let before = Dictionary(record.gone.map { (ByteText($0.row.id), $0.number) }) { first, _ in first }
    let copy = try RecordStatement(
      "INSERT OR REPLACE INTO row_object (key, body) SELECT ?, body FROM row_object WHERE key = ?",
      in: db
    )
    for (number, row) in silent {
      guard let old = before[ByteText(row.id)] else { continue }
      try copy.execute(StoreSchema.key(of: id, number: number), StoreSchema.key(of: id, number: old))
    }
  }

  /// Has all tables that are made of a record call it by another name.
  func renameInput(_ record: String, to name: String, in db: Database) throws {
    for row in try GRDB.Row.fetchAll(db, sql: "SELECT feed, row, body FROM object WHERE row = char(1)") {
      let (id, key): (Int64, String) = (try row.decode(forColumn: "feed"), try row.decode(forColumn: "row"))
      var inputs = InputRevisions([UInt8](try row.decode(Data.self, forColumn: "body")))
      guard inputs.rename(record, to: name), let bytes = inputs.object.bytes else { continue }
      try write(bytes, under: key, of: id, in: db)
    }
  }

  private func write(_ bytes: [UInt8], under name: String, of id: Int64, in db: Database) throws {
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO object (feed, row, body) VALUES (?, ?, ?)")
      .execute(arguments: [id, name, Data(bytes)])
  }

  /// Puts the objects of the last version's rows under the rows' names: their numbers are given anew.
  func nameObjects(of table: inout SQLiteTable, name: String, in db: Database) throws {
    guard table.hasRowObjects else { return }
    if table.last == nil { try restoreVersions(of: &table, name: name, in: db) }
    for (row, bytes) in try NumberedObjects(of: table, in: db).named(by: table.last) {
      try write(bytes, under: row, of: table.id, in: db)
    }
    table.hasRowObjects = false
  }

  /// The objects that are stored under names.
  func namedObjects(of table: SQLiteTable, in db: Database) throws -> [ByteText: [UInt8]] {
    var objects: [ByteText: [UInt8]] = [:]
    let named = try GRDB.Row.fetchCursor(
      db,
      sql: "SELECT row, body FROM object WHERE feed = ?",
      arguments: [table.id]
    )
    while let row = try named.next() {
      let (name, body): (String, Data) = (try row.decode(forColumn: "row"), try row.decode(forColumn: "body"))
      objects[ByteText(name)] = Array(body)
    }
    return objects
  }
}

/// A version with very many new rows, such as a refresh in which all are others, is written in slices, so that other
/// tables' commits come in between: first the rows and their objects, under numbers that no version has; then, in one
/// transaction as always, what makes them a version. Where that does not come about, they are removed before the next
/// version, or when the table is restored: else the rows that get their numbers would have their objects.
extension StoreWriter {
  /// The parts of the version's record, made off the table's queue.
  struct AheadPlan: Sendable {
    let tableID: Int64
    let last: (version: Version, numbers: [RowNumberList])?
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

  /// Fewer new rows take no longer than others may wait.
  static let fewestAhead = 10_000

  /// Nil where a commit is written at once: few of its rows are new, or it is not the next one. Not called within a
  /// transaction. O(rows of the chunks that differ from the last version's), at the speed of memory.
  mutating func planAhead(_ commit: Commit, in db: Database) throws -> AheadPlan? {
    guard let version = commit.version, version.table.rowCount >= Self.fewestAhead, canWrite,
      !isSuperseded(commit, at: revision(of: commit.table))
    else { return nil }
    var table = try tables[commit.table] ?? open(commit.table, in: db)
    if let last = table.last {
      // Rows that were made anew and are the same count too: which they are is found out beside the writer.
      guard table.epoch == version.cursor.epoch,
        version.table.rowCount(without: last.version.table) >= Self.fewestAhead
      else { return nil }
      if table.hasRowsAhead { try removeRows(from: table.nextRow, of: table.id, in: db) }
    } else {
      guard table.epoch == nil else { return nil }
      // Rows that an earlier run began and did not end.
      try deleteVersions(of: table.id, in: db)
    }
    table.hasRowsAhead = true
    tables[commit.table] = table
    return AheadPlan(
      tableID: table.id,
      last: table.last,
      isKeyFrame: isKeyFrame(version, after: table),
      nextRow: table.nextRow
    )
  }

  /// Writes a slice, in a transaction of its own that waits for no disk: the version's does.
  mutating func write(_ slice: Slice, in db: Database) throws {
    try mayWrite()
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
  func removeRows(from number: UInt64, of id: Int64, in db: Database) throws {
    let last = StoreSchema.keys(of: id).upperBound
    for name in ["row", "row_object"] {
      try db.execute(
        sql: "DELETE FROM \(name) WHERE key BETWEEN ? AND ?",
        arguments: [StoreSchema.key(of: id, number: number), last]
      )
    }
  }
}
