extension PostgresStore {
  public func members(completion: @escaping @Sendable (Result<[String], StoreError>) -> Void) {
    let question = PostgresStatement(
      "SELECT name FROM tablecast.feed WHERE position(';'::bytea IN name) > 0 ORDER BY id"
    )
    askSide([question], completion) { answers in
      answers.first.map { found in (0..<found.count).map { found.text($0, 0) } } ?? []
    }
  }

  public func remove(
    _ tables: [String],
    fence: Lease,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    guard !tables.isEmpty else { return completion(.success(())) }
    perform(completion) { [self] finish in remove(tables, fence, attempts: 3, finish) }
  }

  private func remove(
    _ names: [String],
    _ fence: Lease,
    attempts: Int,
    _ finish: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    let digests = PostgresValue.byteStrings(names.map { Array($0.utf8) })
    let known = "sha256(name) IN (SELECT sha256(name) FROM unnest($1::bytea[]) AS given (name))"
    let lock = PostgresStatement(
      "SELECT tablecast.tell('r', name) FROM (SELECT name FROM tablecast.feed WHERE \(known) ORDER BY id FOR UPDATE) AS held",
      digests
    )
    let removals = ["change", "row", "item", "object", "toggle"].map { part in
      PostgresStatement(
        "DELETE FROM tablecast.\(part) WHERE feed IN (SELECT id FROM tablecast.feed WHERE \(known))",
        digests
      )
    }
    let last = PostgresStatement("DELETE FROM tablecast.feed WHERE \(known)", digests)
    main.run([Self.fenceStatement(fence), lock] + removals + [last]) { [self] result in
      // Somebody wrote one of them at this moment.
      if case .failure(.refused("40001", _)) = result, attempts > 1 {
        return remove(names, fence, attempts: attempts - 1, finish)
      }
      for name in names { tables[name] = nil }
      finish(result.map { _ in }.mapError(StoreError.init))
    }
  }

  public func leave(
    _ handovers: [String: [UInt8]],
    under lease: Lease,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    guard !handovers.isEmpty else { return completion(.success(())) }
    let left = handovers.map { (name: Array($0.key.utf8), body: $0.value) }
    // Members that are being removed are left out: nothing here may wait, as the lease is renewed behind it.
    let statement = PostgresStatement(
      """
      INSERT INTO tablecast.handover (feed, body, handed)
      SELECT feed.id, given.body, clock_timestamp()
        FROM unnest($1::bytea[], $2::bytea[]) AS given (name, body)
        JOIN tablecast.feed ON sha256(feed.name) = sha256(given.name)
        WHERE EXISTS (
          SELECT FROM tablecast.lease WHERE name = $3 AND holder = $4 AND term = $5 AND expires > clock_timestamp()
        )
        FOR KEY SHARE OF feed SKIP LOCKED
      ON CONFLICT (feed) DO UPDATE SET body = excluded.body, handed = excluded.handed
      """,
      .byteStrings(left.map(\.name)),
      .byteStrings(left.map(\.body)),
      .name(lease.name),
      .name(lease.holder),
      .int(lease.term)
    )
    askSide([statement], completion) { _ in }
  }

  public func handover(
    of table: String,
    completion: @escaping @Sendable (Result<Lease.Handover?, StoreError>) -> Void
  ) {
    let question = PostgresStatement(
      """
      SELECT body, \(Self.age) FROM tablecast.handover
      WHERE feed = (SELECT id FROM tablecast.feed WHERE sha256(name) = sha256($1))
      """,
      .name(table)
    )
    askSide([question], completion) { answers in
      guard let found = answers.first, found.count == 1, let body = found.bytes(0, 0) else { return nil }
      return Lease.Handover(bytes: body, age: .milliseconds(found.int(0, 1)))
    }
  }

  public func release(_ table: String) {
    perform({ (_: Result<Void, StoreError>) in }) { [self] finish in
      tables[table] = nil
      finish(.success(()))
    }
  }
}
