import Foundation

extension PostgresStore {
  // MARK: - Time, by which answers and claims expire

  /// The time in seconds since 1970, in SQL: the database's, one for a statement, unless ``presentTime`` is given as the parameter.
  static func presentTime(_ parameter: Int) -> String {
    "coalesce($\(parameter)::bigint, floor(extract(epoch FROM statement_timestamp()))::bigint)"
  }

  var presentTime: PostgresValue { now.map { PostgresValue.int($0()) } ?? .null }

  /// The time at which an answer expires, in SQL, by its ``remaining(of:)``. As large as it can be where it never does.
  static func expiry(_ remaining: Int, _ presentTime: Int) -> String {
    "least($\(remaining)::bigint::numeric + \(Self.presentTime(presentTime)), \(Int64.max))::bigint"
  }

  /// How long an answer is kept from now on, in seconds: it says when it expires by this process's clock.
  func remaining(of reply: StoredReply) -> PostgresValue { .int(reply.expires - ownTime) }

  private var ownTime: Int64 { now?() ?? secondsSince1970() }

  // MARK: - Answers

  /// Returns the statements that write a commit's answer, and clear up where it is time.
  func answerStatements(for commit: Commit, _ clearing: inout AnswerClearing) -> [PostgresStatement] {
    guard let reply = commit.reply else { return [] }
    let size = reply.size(table: commit.table)
    let statements = [
      // An edit in the commit itself is done once, whoever has claimed it. One that was sent elsewhere may be sent once more by another
      // process, whose claim it is now: its answer will tell.
      PostgresStatement(
        """
        DELETE FROM tablecast.answer WHERE name = sha256($1)
          AND (expires <= \(Self.presentTime(2)) OR status = 0 AND ($3::boolean OR body = $4::bytea))
        """,
        .bytes(reply.fullKey(table: commit.table).bytes),
        presentTime,
        .bool(commit.changesTable),
        .bytes(stamp)
      ),
      // Of two processes that carry out one request at once, one finds the other's answer here, and fails.
      PostgresStatement(
        """
        INSERT INTO tablecast.answer (name, feed, caller, request, status, headers, body, size, expires)
        VALUES (sha256($1), $2, $3, $4, $5, $6, $7, $8, \(Self.expiry(9, 10)))
        """,
        .bytes(reply.fullKey(table: commit.table).bytes),
        .name(reply.table ?? commit.table),
        .name(reply.caller),
        .bytes(reply.request),
        .int(Int64(reply.status)),
        .bytes(reply.encodedHeaders),
        .bytes(reply.body),
        .int(Int64(size)),
        remaining(of: reply),
        presentTime
      ),
    ]
    return statements + clearingStatements(after: size, of: reply.caller, &clearing)
  }

  /// Returns the statements that keep the bounds after one more answer; none where it is not time.
  private func clearingStatements(after size: Int, of caller: String, _ clearing: inout AnswerClearing)
    -> [PostgresStatement]
  {
    var statements: [PostgresStatement] = []
    let isDue = clearing.add(size, of: caller)
    if isDue.caller { statements.append(Self.clear(.name(caller), to: clearing.bounds.bound(of: caller))) }
    if isDue.store { statements.append(Self.clear(.null, to: clearing.bounds.store)) }
    if clearing.isExpiryDue(now: ownTime) {
      statements.append(
        PostgresStatement("DELETE FROM tablecast.answer WHERE expires <= \(Self.presentTime(1))", presentTime)
      )
    }
    return statements
  }

  /// Keeps the bounds after an answer that no commit has written. Where it fails, the next one does.
  func clearAnswers(after size: Int, of caller: String) {
    queue.async { [self] in
      let statements = clearingStatements(after: size, of: caller, &answers)
      if !statements.isEmpty { side.run(statements) { _ in } }
    }
  }

  /// Deletes the oldest, of a caller or of all, until a bound is kept; the newest stays. Claims don't count, and stay:
  /// what they stand for is under way.
  private static func clear(_ caller: PostgresValue, to bound: ReplyBounds.Bound) -> PostgresStatement {
    PostgresStatement(
      """
      DELETE FROM tablecast.answer WHERE status <> 0 AND id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER newest AS count, sum(size) OVER newest AS bytes FROM tablecast.answer
          WHERE status <> 0 AND ($1::bytea IS NULL OR caller = $1)
          WINDOW newest AS (ORDER BY id DESC ROWS UNBOUNDED PRECEDING)
        ) AS counted WHERE count > 1 AND (count > $2::bigint OR bytes > $3::bigint)
      )
      """,
      caller,
      .int(Int64(bound.count)),
      .int(Int64(bound.bytes))
    )
  }

  func findReply(_ key: ReplyKey, _ finish: @escaping StoreCompletion<StoredReply?>) {
    let question = PostgresStatement(
      """
      SELECT \(StoredReply.columns) FROM tablecast.answer
      WHERE name = sha256($1) AND expires > \(Self.presentTime(2)) AND status <> 0
      """,
      .bytes(key.bytes),
      presentTime
    )
    main.run([question]) { result in
      finish(
        result.mapError(StoreError.init).flatMap { answers in
          guard let found = answers.first, found.count > 0 else { return .success(nil) }
          return StoredReply.read(found, of: key).map { $0 }
        }
      )
    }
  }

  // MARK: - Claims: answers without a status, whose body is their process's stamp

  /// Claims a key that nobody has, or this process already, for the same request: one row where it is this process's now, and stays so until
  /// the end of the transaction.
  func claimStatement(_ key: ReplyKey, request: [UInt8], for lifetime: Duration) -> PostgresStatement {
    PostgresStatement(
      """
      INSERT INTO tablecast.answer AS kept (name, feed, caller, request, status, headers, body, size, expires)
      VALUES (sha256($1), $2, $3, $4, 0, '', $7, 100, \(Self.expiry(5, 6)))
      ON CONFLICT (name) DO UPDATE SET request = excluded.request, status = 0, headers = '', body = excluded.body,
        size = 100, expires = excluded.expires
        WHERE kept.expires <= \(Self.presentTime(6))
          OR kept.status = 0 AND kept.body = excluded.body AND kept.request = excluded.request
      RETURNING 1
      """,
      .bytes(key.bytes),
      .name(key.table),
      .name(key.caller),
      .bytes(request),
      .int(lifetime.components.seconds),
      presentTime,
      .bytes(stamp)
    )
  }

  public func claim(
    _ key: ReplyKey,
    request: [UInt8],
    for lifetime: Duration,
    completion: @escaping StoreCompletion<ReplyClaim>
  ) {
    let claim = claimStatement(key, request: request, for: lifetime)
    let answer = PostgresStatement(
      "SELECT \(StoredReply.columns) FROM tablecast.answer WHERE name = sha256($1)",
      .bytes(key.bytes)
    )
    let finish: StoreCompletion<[PostgresRows]> = { result in
      completion(
        result.flatMap { answers in
          guard answers.count == 2, answers[0].count == 0 else { return .success(.granted) }
          let found = answers[1]
          // It was given back between the one statement and the other: the caller asks again.
          guard found.count == 1, found.int(0, 1) != 0 else {
            return .success(.underWay(request: found.bytes(0, 0) ?? request))
          }
          return StoredReply.read(found, of: key).map(ReplyClaim.answered)
        }
      )
    }
    askAgain([claim, answer], finish) { $0 }
  }

  public func disclaim(_ key: ReplyKey, completion: @escaping StoreCompletion<Void>) {
    let statement = PostgresStatement(
      "DELETE FROM tablecast.answer WHERE name = sha256($1) AND status = 0 AND body = $2",
      .bytes(key.bytes),
      .bytes(stamp)
    )
    askAgain([statement], completion) { _ in }
  }
}
