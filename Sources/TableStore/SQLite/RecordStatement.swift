import GRDB
import GRDBSQLite

/// Writes and reads records under keys, many in a row: the bytes go to SQLite, and come from it, as they lie, without a
/// value of GRDB's for each.
struct RecordStatement {
  private let statement: Statement
  private let db: Database

  init(_ sql: StaticString, in db: Database) throws {
    statement = try db.cachedStatement(sql: "\(sql)")
    self.db = db
  }

  /// Performs a statement whose parameters are a key and a record.
  func execute(_ key: Int64, _ record: [UInt8]) throws {
    let handle = statement.sqliteStatement
    defer { reset() }
    let code = record.withUnsafeBytes { bytes in
      sqlite3_bind_int64(handle, 1, key)
      // The bytes stay where they are until the statement is reset. Without any there is no address, which would be null.
      if let start = bytes.baseAddress {
        guard sqlite3_bind_blob64(handle, 2, start, UInt64(bytes.count), nil) == SQLITE_OK else { return SQLITE_TOOBIG }
      } else {
        sqlite3_bind_zeroblob(handle, 2, 0)
      }
      return sqlite3_step(handle)
    }
    guard code == SQLITE_DONE else { throw error(code) }
  }

  /// Performs a statement whose parameters are keys.
  func execute(_ keys: Int64...) throws {
    defer { reset() }
    bind(keys)
    let code = sqlite3_step(statement.sqliteStatement)
    guard code == SQLITE_DONE else { throw error(code) }
  }

  /// Calls a body with the keys and records that a query finds for two keys. The bytes are valid during the call.
  func forEach(_ keys: ClosedRange<Int64>, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
    try forEach(keys) { key, record, _, _ in try body(key, record) }
  }

  /// The same for a query that finds a number and a text besides, nil for null.
  func forEach(
    _ keys: ClosedRange<Int64>,
    _ body: (Int64, UnsafeRawBufferPointer, Int64, String?) throws -> Void
  ) throws {
    let handle = statement.sqliteStatement
    defer { reset() }
    bind([keys.lowerBound, keys.upperBound])
    while true {
      let code = sqlite3_step(handle)
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else { throw error(code) }
        return
      }
      let start = sqlite3_column_blob(handle, 1)
      let count = Int(sqlite3_column_bytes(handle, 1))
      let record = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
      // 0 and nil for columns that the query has not.
      try body(sqlite3_column_int64(handle, 0), record, sqlite3_column_int64(handle, 2), text(in: 3))
    }
  }

  private func text(in column: Int32) -> String? {
    let handle = statement.sqliteStatement
    guard column < sqlite3_column_count(handle), let start = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private func bind(_ keys: [Int64]) {
    for (place, key) in keys.enumerated() { sqlite3_bind_int64(statement.sqliteStatement, Int32(place + 1), key) }
  }

  /// So that nothing is kept that is valid no longer.
  private func reset() {
    sqlite3_reset(statement.sqliteStatement)
    sqlite3_clear_bindings(statement.sqliteStatement)
  }

  private func error(_ code: Int32) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
  }
}
