import CPQ
import FieldValues
import Foundation

extension PostgresSchema {
  /// Makes the schema, or brings it up to date; of several who come at once one does it. Blocks: for the start.
  ///
  /// - Returns: the secret that the processes have in common.
  /// - Throws: ``StoreError``: `newerSchema`, `cannotOpen`.
  static func prepare(_ address: PostgresAddress) throws(StoreError) -> [UInt8] {
    let connection = try connect(address)
    defer { PQfinish(connection) }
    let other = try connect(address)
    defer { PQfinish(other) }
    do {
      try checkSessions(connection, other)
      return try migrate(connection)
    } catch {
      switch error {
      case .refused(let reason): throw .cannotOpen(path: address.description, reason: reason)
      case .newer(let schema):
        throw .newerSchema(database: address.description, schema: schema, known: migrations.count)
      }
    }
  }

  private static func connect(_ address: PostgresAddress) throws(StoreError) -> OpaquePointer {
    let connection = PQconnectdb(address.text)
    if let connection, PQstatus(connection) == CONNECTION_OK { return connection }
    let reason = connection.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
    PQfinish(connection)
    throw .cannotOpen(path: address.description, reason: reason.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Refuses a pooler that gives a session to whoever has a transaction: notifications, settings and what is asked ahead
  /// (pipelines) would be somebody else's. Two connections that are open at once have a server process each, and keep it.
  private static func checkSessions(_ one: OpaquePointer, _ other: OpaquePointer) throws(Failure) {
    var seen: [[String]] = []
    for _ in 0..<4 {
      var processes: [String] = []
      for connection in [one, other] {
        processes.append(try execute("SELECT pg_backend_pid()", on: connection).text(0, 0))
      }
      seen.append(processes)
    }
    guard seen.contains(where: { $0[0] == $0[1] || $0 != seen[0] }) else { return }
    throw .refused(
      "its connections are no sessions of their own: a pooler in transaction mode is in between, and notifications don't "
        + "come through it. Connect to the server itself, or by a pool in session mode (PgBouncer: `pool_mode=session`)"
    )
  }

  private enum Failure: Error {
    case refused(String)
    case newer(Int)
  }

  private static func migrate(_ connection: OpaquePointer) throws(Failure) -> [UInt8] {
    // A process that waited for the lock has to see the migrations of the one before it, whatever isolation the role begins with.
    try execute("BEGIN ISOLATION LEVEL READ COMMITTED", on: connection)
    try execute(lock, on: connection)
    // An operator may have made it, for a role that may make none.
    if try execute(exists, on: connection).count == 0 { try execute(createSchema, on: connection) }
    if try execute(isEmpty, on: connection).count == 1 {
      for statement in create { try execute(statement, on: connection) }
    }
    let found = try execute(version, on: connection)
    let schema = Int(found.text(0, 0)) ?? 0
    guard schema <= migrations.count else { throw .newer(schema) }
    for statement in migrations.dropFirst(schema).joined() { try execute(statement, on: connection) }
    if schema < migrations.count {
      try execute(setVersion.replacingOccurrences(of: "$1", with: String(migrations.count)), on: connection)
    }
    // A role that may only listen can't read it.
    let digits = hexadecimal(randomSecret())
    try execute("INSERT INTO tablecast.info VALUES ('secret', '\(digits)') ON CONFLICT DO NOTHING", on: connection)
    let secret = try execute("SELECT value FROM tablecast.info WHERE name = 'secret'", on: connection)
    try execute("COMMIT", on: connection)
    return secret.bytes(0, 0) ?? []
  }

  @discardableResult
  private static func execute(_ statement: String, on connection: OpaquePointer) throws(Failure) -> PostgresRows {
    let result = PQexec(connection, statement)
    defer { PQclear(result) }
    guard let result, [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
      let reason = String(cString: PQerrorMessage(connection)).trimmingCharacters(in: .whitespacesAndNewlines)
      throw .refused(reason)
    }
    return PostgresRows(result)
  }
}
