import Foundation
import GRDBSQLite

/// What the store is measured against: the same rows by prepared statements, one transaction an edit, on one
/// thread and nothing else.
final class RawSQLite {
  private var connection: OpaquePointer?
  private var statements: [OpaquePointer?] = []

  init(path: String) {
    check(sqlite3_open(path, &connection))
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    run(
      "CREATE TABLE version (feed INTEGER, number INTEGER, key_frame INTEGER, gone BLOB, record BLOB,"
        + " PRIMARY KEY (feed, number)) WITHOUT ROWID"
    )
    run("CREATE TABLE row (key INTEGER PRIMARY KEY, record BLOB)")
    run("CREATE TABLE item (key INTEGER PRIMARY KEY, rank INTEGER, body BLOB)")
    for sql in [
      "BEGIN IMMEDIATE", "INSERT INTO row VALUES (?, ?)", "INSERT INTO version VALUES (1, ?, 0, x'00', ?)",
      "INSERT OR REPLACE INTO item VALUES (?, 1, ?)", "COMMIT",
    ] {
      var statement: OpaquePointer?
      check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
      statements.append(statement)
    }
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close(connection)
  }

  /// One edit, durable when this returns.
  func edit(number: Int64, item: Int64, row: [UInt8], record: [UInt8], body: [UInt8]) {
    step(0)
    bind(1, number, row)
    bind(2, number, record)
    bind(3, item, body)
    step(4)
  }

  private func bind(_ index: Int, _ key: Int64, _ content: [UInt8]) {
    sqlite3_bind_int64(statements[index], 1, key)
    // Static: the bytes outlive the step.
    content.withUnsafeBytes { bytes in
      _ = sqlite3_bind_blob(statements[index], 2, bytes.baseAddress, Int32(bytes.count), nil)
      step(index)
    }
  }

  private func step(_ index: Int) {
    check(sqlite3_step(statements[index]), SQLITE_DONE)
    sqlite3_reset(statements[index])
  }

  private func run(_ sql: String) { check(sqlite3_exec(connection, sql, nil, nil, nil)) }

  private func check(_ code: Int32, _ expected: Int32 = SQLITE_OK) {
    precondition(code == expected, "SQLite says \(String(cString: sqlite3_errmsg(connection)))")
  }
}
