import Dispatch
import FieldValues
public import TableModel

extension PostgresStore {
  /// How long ago something was handed over, in milliseconds.
  static let age = "greatest(extract(epoch FROM clock_timestamp() - handed) * 1000, 0)::bigint"

  public func acquire(
    _ name: String,
    holder: String,
    for lifetime: Duration,
    completion: @escaping StoreCompletion<Lease?>
  ) {
    // All by the database's clock: the processes' own may differ.
    let statement = PostgresStatement(
      """
      INSERT INTO tablecast.lease AS held (name, holder, term, expires, legacy)
      VALUES ($1, $2, 1, clock_timestamp() + $3::bigint * interval '1 ms', '')
      ON CONFLICT (name) DO UPDATE SET holder = $2, expires = excluded.expires, term = held.term + 1
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
    completion: @escaping StoreCompletion<Bool>
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

  public func precedence(_ name: String, completion: @escaping StoreCompletion<Lease.Precedence?>) {
    let statement = PostgresStatement(
      """
      SELECT legacy, (CASE WHEN holder IS NOT NULL AND expires > clock_timestamp() THEN 1 ELSE 0 END)::bigint,
        term
      FROM tablecast.lease WHERE name = $1
      """,
      .name(name)
    )
    askForSure(statement, completion) { answers in
      guard let found = answers.first, let bytes = found.bytes(0, 0) else { return nil }
      return Lease.Precedence(bytes: bytes, isHeld: found.int(0, 1) == 1, term: found.unsigned(0, 2))
    }
  }

  public func release(
    _ lease: Lease,
    precedence: [UInt8],
    handover: [UInt8]?,
    completion: @escaping StoreCompletion<Void>
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

  public func signal(_ name: String, _ text: String, completion: @escaping StoreCompletion<Void>) {
    // As digits: a payload is text, with spaces between its parts.
    let payload = "s \(hexadecimal(name.utf8)) \(hexadecimal(text.utf8))"
    guard payload.utf8.count < 8000 else { return completion(.failure(.failed("a signal has at most 4,000 bytes"))) }
    askSide([PostgresStatement("SELECT pg_notify('tablecast', $1)", .text(payload))], completion) { _ in }
  }

  /// Asks on the connection beside.
  func askSide<Value: Sendable>(
    _ statements: [PostgresStatement],
    _ completion: @escaping StoreCompletion<Value>,
    _ read: @escaping @Sendable ([PostgresRows]) -> Value
  ) {
    queue.async { [self] in
      guard !isClosed else { return completion(.failure(.closed)) }
      side.run(statements) { [self] result in
        endSilentRuns(after: result)
        completion(result.map(read).mapError(StoreError.init))
      }
    }
  }

  /// Where a lock was waited for in vain: the lease, or a table, may be held by a process that is stopped or cut off. Whoever asks again
  /// gets it. On the store's queue.
  func endSilentRuns(after result: Result<[PostgresRows], PostgresError>) {
    guard case .failure(.refused("55P03", _)) = result else { return }
    side.run([Self.endingSilentRuns(but: [main.process, side.process])]) { _ in }
  }
}

extension PostgresStore {
  public func view(_ name: String, of table: Epoch, completion: @escaping StoreCompletion<KeptView?>) {
    let question = PostgresStatement(
      """
      SELECT state, holder, (1000 * extract(epoch FROM expires - clock_timestamp()))::bigint FROM tablecast.view
      WHERE name = sha256($1) AND expires > clock_timestamp() AND substr(state, 1, 1) = $2::bytea
      """,
      .bytes(Self.key(of: name, table)),
      .bytes([StoredView.format])
    )
    let finish: StoreCompletion<(bytes: [UInt8], holder: UInt64, milliseconds: Int64)?> = {
      result in
      completion(
        result.flatMap { found in
          guard let found else { return .success(nil) }
          do throws(RecordError) {
            let view = try StoredView(found.bytes, holder: found.holder)
            return .success(KeptView(view, remaining: .milliseconds(found.milliseconds)))
          } catch {
            return .failure(.failed(error.description))
          }
        }
      )
    }
    askSide([question], finish) { answers in
      answers.first.flatMap { found in
        found.bytes(0, 0).map { ($0, found.unsigned(0, 1), found.int(0, 2)) }
      }
    }
  }

  public func keep(
    _ view: StoredView,
    of record: String?,
    after base: StoredView?,
    for lifetime: Duration,
    answer: TapReply?,
    completion: @escaping StoreCompletion<Bool>
  ) {
    // An answer takes the place of the claim, which has to be this process's: else nothing is written.
    let claimed = "SELECT FROM tablecast.answer WHERE name = sha256($9::bytea) AND status = 0 AND body = $10::bytea"
    let isClaimed = answer == nil ? "" : "AND EXISTS (\(claimed))"
    // Compared whole: a view that began anew counts from 1 again. One that another release has written, in another
    // format, is forgotten.
    let keeping = """
      INSERT INTO tablecast.view AS kept (name, taps, state, expires, holder)
      SELECT sha256($1), $2::bigint, $3::bytea, clock_timestamp() + $4::bigint * interval '1 ms', $6::bigint
      WHERE ($5::bytea IS NULL OR EXISTS (SELECT FROM tablecast.view WHERE name = sha256($1)))
        AND ($7::bytea IS NULL
          OR EXISTS (SELECT FROM tablecast.feed WHERE sha256(name) = sha256($7::bytea) AND epoch = $8::bigint))
        \(isClaimed)
      ON CONFLICT (name) DO UPDATE SET taps = excluded.taps, state = excluded.state, expires = excluded.expires,
          holder = CASE WHEN $5 IS NULL THEN excluded.holder ELSE kept.holder END
        WHERE kept.state = $5 OR $5 IS NULL
          AND (kept.expires <= clock_timestamp() OR substr(kept.state, 1, 1) <> substr(excluded.state, 1, 1))
      RETURNING 1
      """
    let values: [PostgresValue] = [
      .bytes(Self.key(of: view.name, view.table)), .int(Int64(view.taps)), .bytes(view.bytes),
      .int(lifetime.milliseconds), base.map { .bytes($0.bytes) } ?? .null, .int(Int64(bitPattern: view.holder)),
      record.map { .name($0) } ?? .null, .int(Int64(bitPattern: view.table.rawValue)),
    ]
    guard let answer else {
      return askSide([PostgresStatement(keeping, values)], completion) { $0.first?.count == 1 }
    }
    let answering = """
      WITH view AS (\(keeping)), answered AS (
        UPDATE tablecast.answer AS old SET request = $11::bytea, status = $12::bigint, headers = $13::bytea,
          body = $14::bytea, size = $15::bigint, expires = \(Self.expiry(16, 17))
        FROM view WHERE old.name = sha256($9::bytea)
      ) SELECT 1 FROM view
      """
    let reply = answer.reply
    let size = reply.size(table: answer.table)
    let key = reply.fullKey(table: answer.table)
    let statement = PostgresStatement(
      answering,
      values + [
        .bytes(key.bytes), .bytes(stamp), .bytes(reply.request), .int(Int64(reply.status)),
        .bytes(reply.encodedHeaders), .bytes(reply.body), .int(Int64(size)), remaining(of: reply), presentTime,
      ]
    )
    let finish: StoreCompletion<Bool?> = { [self] result in
      completion(
        result.flatMap { isKept -> Result<Bool, StoreError> in
          guard let isKept else { return .failure(.superseded) }
          return .success(isKept)
        }
      )
      if case .success(true?) = result { clearAnswers(after: size, of: reply.caller) }
    }
    // The claim is there already, unless it has expired. With it the key is locked: the second statement finds what the first one did.
    let claim = claimStatement(key, request: reply.request, for: Self.tapTime)
    askSide([claim, statement], finish) { answers in
      guard answers.count == 2, answers[0].count == 1 else { return nil }
      return answers[1].count == 1
    }
  }

  /// Longer than a tap takes, which may be tried again after its view was not kept.
  private static let tapTime = Duration.seconds(5)

  public func prolong(
    _ name: String,
    of table: Epoch,
    for lifetime: Duration,
    completion: @escaping StoreCompletion<Void>
  ) {
    let statement = PostgresStatement(
      """
      UPDATE tablecast.view SET expires = clock_timestamp() + $2::bigint * interval '1 ms'
      WHERE name = sha256($1) AND expires > clock_timestamp()
      """,
      .bytes(Self.key(of: name, table)),
      .int(lifetime.milliseconds)
    )
    askSide([statement], completion) { _ in }
  }

  public func views(atMost count: Int, completion: @escaping StoreCompletion<[StoredView]>) {
    let question = PostgresStatement(
      "SELECT state, holder FROM tablecast.view WHERE expires > clock_timestamp() ORDER BY expires DESC LIMIT $1",
      .int(Int64(count))
    )
    askSide([question], completion) { answers in
      guard let found = answers.first else { return [] }
      // The least recently used first, as they are taken in. What another release has written is left out.
      return (0..<found.count).reversed().compactMap { row in
        found.bytes(row, 0).flatMap { try? StoredView($0, holder: found.unsigned(row, 1)) }
      }
    }
  }

  public func limitViews(to count: Int, completion: @escaping StoreCompletion<Void>) {
    // Each holder's newest is before anybody's second, that before anybody's third: what stands behind the bound is the oldest
    // of whoever holds most, one after the other.
    let statement = PostgresStatement(
      """
      DELETE FROM tablecast.view WHERE name IN (
        SELECT name FROM (
          SELECT name, expires, row_number() OVER (PARTITION BY holder ORDER BY expires DESC) AS place
          FROM tablecast.view WHERE expires > clock_timestamp()
        ) AS placed ORDER BY place, expires DESC OFFSET $1::bigint
      ) OR expires <= clock_timestamp()
      """,
      .int(Int64(count))
    )
    askSide([statement], completion) { _ in }
  }

  /// Views are dropped when they are idle: what has expired is nobody's any more.
  static let viewExpiry = PostgresStatement("DELETE FROM tablecast.view WHERE expires <= clock_timestamp()")

  private static func key(of name: String, _ table: Epoch) -> [UInt8] {
    var writer = RecordWriter()
    writer.write(table.rawValue)
    writer.write(name)
    return writer.bytes
  }
}
