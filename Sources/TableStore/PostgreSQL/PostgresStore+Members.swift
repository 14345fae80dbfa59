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

  public func release(_ table: String) {
    perform({ (_: Result<Void, StoreError>) in }) { [self] finish in
      tables[table] = nil
      finish(.success(()))
    }
  }
}
