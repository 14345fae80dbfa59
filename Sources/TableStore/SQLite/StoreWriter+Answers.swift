import Foundation
import GRDB

extension StoreWriter {
  /// Writes an answer, and clears up where there are too many.
  mutating func write(_ reply: StoredReply, table: String, in db: Database) throws {
    let size = reply.size(table: table)
    var store = try answers.store ?? Self.sum("TRUE", [], in: db)
    var caller = try answers[reply.caller] ?? Self.sum("caller = ?", [reply.caller], in: db)
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO answer (caller, feed, scope, key, request, status, headers, body, size, expires)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    .execute(arguments: [
      reply.caller, reply.table ?? table, reply.scope, reply.key, Data(reply.request), reply.status,
      Data(reply.encodedHeaders),
      Data(reply.body), size, reply.expires,
    ])
    // One that replaces another is counted twice: that shows when it is counted anew.
    store.add(size)
    caller.add(size)
    let bound = bounds.bound(of: reply.caller)
    if bound.isExceeded(by: caller) {
      try Self.clear("caller = ?", [reply.caller], to: bound.afterClearing, in: db)
      caller = try Self.sum("caller = ?", [reply.caller], in: db)
      store = try Self.sum("TRUE", [], in: db)
    }
    if bounds.store.isExceeded(by: store) {
      try Self.clear("TRUE", [], to: bounds.store.afterClearing, in: db)
      answers = AnswerSums()
      return
    }
    answers.store = store
    answers[reply.caller] = caller
  }

  private static func sum(_ condition: String, _ arguments: StatementArguments, in db: Database) throws -> ReplySum {
    let sql = "SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM answer WHERE \(condition)"
    guard let row = try GRDB.Row.fetchOne(db, sql: sql, arguments: arguments) else { return ReplySum() }
    return ReplySum(count: try row.decode(forColumn: "count"), bytes: try row.decode(forColumn: "bytes"))
  }

  /// Deletes the oldest until a bound is kept; the newest stays.
  private static func clear(
    _ condition: String,
    _ arguments: StatementArguments,
    to bound: ReplyBounds.Bound,
    in db: Database
  ) throws {
    try db.execute(
      sql: """
        DELETE FROM answer WHERE id IN (
          SELECT id FROM (
            SELECT id, row_number() OVER newest AS count, sum(size) OVER newest AS bytes
            FROM answer WHERE \(condition) WINDOW newest AS (ORDER BY id DESC ROWS UNBOUNDED PRECEDING)
          ) WHERE count > 1 AND (count > ? OR bytes > ?)
        )
        """,
      arguments: arguments + [bound.count, bound.bytes]
    )
  }

  /// The answer kept under a key, on any connection.
  static func reply(_ key: ReplyKey, now: Int64, in db: Database) throws -> StoredReply? {
    let found = try GRDB.Row.fetchOne(
      db,
      sql: """
        SELECT request, status, headers, body, expires FROM answer
        WHERE caller = ? AND feed = ? AND scope = ? AND key = ? AND expires > ?
        """,
      arguments: [key.caller, key.table, key.scope, key.key, now]
    )
    guard let found else { return nil }
    let request: Data = try found.decode(forColumn: "request")
    let body: Data = try found.decode(forColumn: "body")
    let headers: Data = try found.decode(forColumn: "headers")
    return StoredReply(
      caller: key.caller,
      scope: key.scope,
      key: key.key,
      request: Array(request),
      status: try found.decode(forColumn: "status"),
      headers: try StoredReply.headers(from: Array(headers)),
      body: Array(body),
      expires: try found.decode(forColumn: "expires")
    )
  }
}
