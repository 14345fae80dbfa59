extension PostgresStore {
  /// Writes commits in one transaction, or where that fails one by one; answers in their order.
  func write(_ group: [PendingCommit], then done: @escaping () -> Void) {
    let writing = group.flatMap(\.commit.parts).filter(\.changesTable)
    // A commit built on a stored table is not written where the table was removed.
    let made = Set(writing.filter { $0.base.map { $0 == .none } ?? true }.map(\.table))
    open(writing.map(\.table), making: made) { [self] result in
      switch result {
      case .failure(let error):
        for pending in group { pending.completion(.failure(error)) }
        done()
      case .success: writeTogether(group, then: done)
      }
    }
  }

  private func writeTogether(_ group: [PendingCommit], then done: @escaping () -> Void) {
    var planned = tables
    var clearing = answers
    // Groups of several processes take tables in one order: none waits for a table that another one holds while that
    // waits for this one.
    var statements: [(table: String, statements: [PostgresStatement])] = []
    var results: [Result<Void, StoreError>] = []
    for pending in group {
      let commit = pending.commit
      let changing = commit.parts.filter(\.changesTable)
      if changing.contains(where: { planned[$0.table]?.isSuperseded($0) ?? true }) {
        results.append(.failure(.superseded))
        continue
      }
      let fence = commit.fence.map { [Self.fenceStatement($0)] } ?? []
      let writes = changing.map { ($0.table, planned[$0.table]?.statements(for: $0, history: history) ?? []) }
      statements.append((commit.table, changing.isEmpty ? [] : fence))
      statements += writes
      statements.append((commit.table, answerStatements(for: commit, &clearing)))
      results.append(.success(()))
    }
    let sorted = statements.enumerated().sorted { ($0.element.table, $0.offset) < ($1.element.table, $1.offset) }
      .flatMap(\.element.statements)
    guard !sorted.isEmpty else { return answer(group, results, then: done) }
    let (planned_, clearing_) = (planned, clearing)
    main.run(sorted) { [self] result in
      switch result {
      case .success:
        tables = planned_
        answers = clearing_
        answer(group, results, then: done)
      case .failure(.lost(let reason)):
        answer(group, group.map { _ in .failure(.unavailable(reason)) }, then: done)
      case .failure(let error) where group.count == 1: retry(group[0], after: error, then: done)
      case .failure: writeAlone(group[...], then: done)
      }
    }
  }

  private func answer(
    _ group: [PendingCommit],
    _ results: [Result<Void, StoreError>],
    then done: @escaping () -> Void
  ) {
    for (pending, result) in zip(group, results) { pending.completion(result) }
    done()
  }

  private func writeAlone(_ group: ArraySlice<PendingCommit>, then done: @escaping () -> Void) {
    guard let first = group.first else { return done() }
    writeTogether([first]) { [self] in writeAlone(group.dropFirst(), then: done) }
  }

  /// Decides on a refused commit. Two transactions that were in each other's way are tried again, once: by then the
  /// other one is through, and this one is superseded or not.
  private func retry(_ pending: PendingCommit, after error: PostgresError, then done: @escaping () -> Void) {
    let isRepeatable = ["40001", "40P01", "55P03"].contains(error.state) && !pending.isSecondTry
    guard isRepeatable else {
      pending.completion(.failure(StoreError(error)))
      return done()
    }
    var again = pending
    again.isSecondTry = true
    writeTogether([again], then: done)
  }

  static func fenceStatement(_ lease: Lease) -> PostgresStatement {
    PostgresStatement(
      "SELECT tablecast.fence($1, $2, $3)",
      .name(lease.name),
      .name(lease.holder),
      .int(lease.term)
    )
  }

  // MARK: - Renaming and removing

  func rename(_ record: String, as name: String, _ finish: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    let renaming = PostgresStatement(
      """
      WITH renamed AS (
        UPDATE tablecast.feed SET name = $2::bytea WHERE sha256(name) = sha256($1::bytea)
          AND NOT EXISTS (SELECT 1 FROM tablecast.feed WHERE sha256(name) = sha256($2::bytea)) RETURNING id
      )
      SELECT tablecast.tell('r', $1::bytea) FROM renamed
      """,
      .name(record),
      .name(name)
    )
    main.run([renaming]) { [self] result in
      if case .success = result { (tables[record], tables[name]) = (nil, nil) }
      finish(result.map { _ in }.mapError(StoreError.init))
    }
  }

  func forget(_ table: String, _ finish: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    let prefix = memberPrefix(of: table)
    let names = "(name = $1::bytea OR substr(name, 1, length($2::bytea)) = $2::bytea)"
    let removals = ["change", "row", "item", "object", "toggle"].map { part in
      PostgresStatement(
        "DELETE FROM tablecast.\(part) WHERE feed IN (SELECT id FROM tablecast.feed WHERE \(names))",
        .name(table),
        .name(prefix)
      )
    }
    let lock = PostgresStatement(
      "SELECT tablecast.tell('r', name) FROM tablecast.feed WHERE \(names) ORDER BY id FOR UPDATE",
      .name(table),
      .name(prefix)
    )
    let rest = [
      PostgresStatement("DELETE FROM tablecast.feed WHERE \(names)", .name(table), .name(prefix)),
      PostgresStatement("DELETE FROM tablecast.answer WHERE feed = $1::bytea", .name(table)),
    ]
    main.run([lock] + removals + rest) { [self] result in
      if case .success = result {
        tables = tables.filter { $0.key != table && !$0.key.hasPrefix(prefix) }
      }
      finish(result.map { _ in }.mapError(StoreError.init))
    }
  }
}

extension StoreError {
  init(_ error: PostgresError) {
    switch error {
    case .lost(let reason): self = .unavailable(reason)
    // The last: an answer is kept under the commit's key already.
    case .refused("TC001", _), .refused("40001", _), .refused("23505", _): self = .superseded
    case .refused("TC002", _): self = .fenced
    // No room, too many connections, shutting down, read only since another one is the primary: for now.
    case .refused("53100", _): self = .full
    // A lock that somebody keeps, as an operator's; a deadlock, twice.
    case .refused(let state, let message) where ["55P03", "40P01"].contains(state): self = .busy(message)
    case .refused(let state, let message) where ["53", "57", "08"].contains(state.prefix(2)) || state == "25006":
      self = .unavailable(message)
    case .refused(let state, let message): self = .failed("\(message) (\(state))")
    }
  }
}
