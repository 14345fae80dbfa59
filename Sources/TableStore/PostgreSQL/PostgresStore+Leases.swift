import Dispatch

extension PostgresStore {
  /// How long ago something was handed over, in milliseconds.
  static let age = "greatest(extract(epoch FROM clock_timestamp() - handed) * 1000, 0)::bigint"

  public func acquire(
    _ name: String,
    holder: String,
    for lifetime: Duration,
    completion: @escaping @Sendable (Result<Lease?, StoreError>) -> Void
  ) {
    // All by the database's clock: the processes' own may differ.
    let statement = PostgresStatement(
      """
      INSERT INTO tablecast.lease AS held (name, holder, term, expires, legacy)
      VALUES ($1, $2, 1, clock_timestamp() + $3::bigint * interval '1 ms', '')
      ON CONFLICT (name) DO UPDATE SET holder = $2, expires = excluded.expires,
        term = held.term + CASE WHEN held.holder = $2 AND held.expires > clock_timestamp() THEN 0 ELSE 1 END
        WHERE held.holder IS NULL OR held.holder = $2 OR held.expires <= clock_timestamp()
      RETURNING term, legacy, handover, \(Self.age)
      """,
      .name(name),
      .name(holder),
      .int(lifetime.milliseconds)
    )
    askSide([statement], completion) { answers in
      guard let found = answers.first, found.count == 1 else { return nil }
      let handover = found.bytes(0, 2).map { Lease.Handover(bytes: $0, age: .milliseconds(found.int(0, 3))) }
      return Lease(
        name: name,
        holder: holder,
        term: found.unsigned(0, 0),
        precedence: found.bytes(0, 1) ?? [],
        handover: handover
      )
    }
  }

  public func renew(
    _ lease: Lease,
    for lifetime: Duration,
    precedence: [UInt8],
    handover: [UInt8]?,
    completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
  ) {
    let statement = PostgresStatement(
      """
      UPDATE tablecast.lease SET expires = clock_timestamp() + $4::bigint * interval '1 ms', legacy = $5,
        handover = coalesce($6::bytea, handover),
        handed = CASE WHEN $6::bytea IS NULL THEN handed ELSE clock_timestamp() END
      WHERE name = $1 AND holder = $2 AND term = $3 RETURNING 1
      """,
      .name(lease.name),
      .name(lease.holder),
      .int(lease.term),
      .int(lifetime.milliseconds),
      .bytes(precedence),
      handover.map(PostgresValue.bytes) ?? .null
    )
    askSide([statement], completion) { $0.first?.count == 1 }
  }

  public func precedence(
    _ name: String,
    completion: @escaping @Sendable (Result<Lease.Precedence?, StoreError>) -> Void
  ) {
    let statement = PostgresStatement(
      """
      SELECT legacy, (CASE WHEN holder IS NOT NULL AND expires > clock_timestamp() THEN 1 ELSE 0 END)::bigint
      FROM tablecast.lease WHERE name = $1
      """,
      .name(name)
    )
    askSide([statement], completion) { answers in
      guard let found = answers.first, let bytes = found.bytes(0, 0) else { return nil }
      return Lease.Precedence(bytes: bytes, isHeld: found.int(0, 1) == 1)
    }
  }

  public func release(
    _ lease: Lease,
    precedence: [UInt8],
    handover: [UInt8]?,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    let statement = PostgresStatement(
      """
      WITH freed AS (
        UPDATE tablecast.lease SET holder = NULL, expires = clock_timestamp(), legacy = $4,
          handover = coalesce($5::bytea, handover),
          handed = CASE WHEN $5::bytea IS NULL THEN handed ELSE clock_timestamp() END
        WHERE name = $1 AND holder = $2 AND term = $3 RETURNING name
      ) SELECT tablecast.tell('l', name) FROM freed
      """,
      .name(lease.name),
      .name(lease.holder),
      .int(lease.term),
      .bytes(precedence),
      handover.map(PostgresValue.bytes) ?? .null
    )
    askSide([statement], completion) { _ in }
  }

  public func signal(
    _ name: String,
    _ text: String,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    let payload = "s \(hex(name)) \(hex(text))"
    guard payload.utf8.count < 8000 else { return completion(.failure(.failed("a signal has at most 4,000 bytes"))) }
    askSide([PostgresStatement("SELECT pg_notify('tablecast', $1)", .text(payload))], completion) { _ in }
  }

  /// Asks on the connection beside.
  func askSide<Value: Sendable>(
    _ statements: [PostgresStatement],
    _ completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
    _ read: @escaping @Sendable ([PostgresRows]) -> Value
  ) {
    queue.async { [self] in
      side.run(statements) { result in completion(result.map(read).mapError(StoreError.init)) }
    }
  }
}

extension Duration {
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}

/// Bytes as digits, for notifications, whose payload is text without spaces.
private func hex(_ text: String) -> String {
  text.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}
