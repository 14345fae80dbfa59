extension PostgresStore {
  /// Writes commits in one transaction, or where that fails one by one; answers in their order.
  ///
  /// - Parameter done: told the error of a single commit; nil after its success, and after several commits.
  func write(_ group: [PendingCommit], then done: @escaping (_ failure: StoreError?) -> Void) {
    let writing = group.flatMap(\.commit.parts).filter(\.changesTable)
    // A commit built on a stored table is not written where the table was removed.
    let made = Set(writing.filter { $0.base.map { $0 == .none } ?? true }.map(\.table))
    let making = made.isEmpty ? [] : group.map(\.commit).filter { !made.isDisjoint(with: $0.changedRecords) }
    open(writing.map(\.table), making: made, under: Set(making.compactMap(\.fence))) { [self] result in
      switch result {
      case .success: writeTogether(group, then: done)
      case .failure(.unavailable(let reason)):
        answer(group, group.map { _ in .failure(.unavailable(reason)) }, then: done)
      // It is of one of the tables, or of one lease: the others' commits have nothing to do with it.
      case .failure where group.count > 1: writeEach(group[...], then: done)
      case .failure(let error): answer(group, group.map { _ in .failure(error) }, then: done)
      }
    }
  }

  /// Writes commits in a transaction each, so that each succeeds or fails alone.
  ///
  /// - Parameter held: the records of commits that have waited for a lock in vain, and their errors. Further commits on
  ///   these don't wait.
  private func writeEach(
    _ group: ArraySlice<PendingCommit>,
    held: [String: StoreError] = [:],
    then done: @escaping (_ failure: StoreError?) -> Void
  ) {
    guard let first = group.first else { return done(nil) }
    let records = first.commit.changedRecords
    if let error = records.lazy.compactMap({ held[$0] }).first {
      first.completion(.failure(error))
      return writeEach(group.dropFirst(), held: held, then: done)
    }
    write([first]) { [self] failure in
      var held = held
      if let failure, case .busy = failure { for record in records { held[record] = failure } }
      writeEach(group.dropFirst(), held: held, then: done)
    }
  }

  private func writeTogether(_ group: [PendingCommit], then done: @escaping (_ failure: StoreError?) -> Void) {
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
      endSilentRuns(after: result)
      switch result {
      case .success:
        tables = planned_
        answers = clearing_
        for name in Set(group.flatMap(\.commit.records)) where tables[name]?.hasRemains ?? false {
          tables[name]?.hasRemains = false
          clearRemains(of: name)
        }
        answer(group, results, then: done)
      case .failure(.lost(let reason)):
        answer(group, group.map { _ in .failure(.unavailable(reason)) }, then: done)
      case .failure(let error) where group.count == 1: retry(group[0], after: error, then: done)
      case .failure: writeEach(group[...], then: done)
      }
    }
  }

  /// Deletes the rows of a table's forgotten versions, some at a time, each time behind what else is asked by then. Those that are left when the
  /// process ends go with the next ones.
  private func clearRemains(of name: String) {
    let goOn: StoreCompletion<Bool> = { [self] result in
      if case .success(true) = result { clearRemains(of: name) }
    }
    perform(goOn) { [self] finish in
      guard let id = tables[name]?.id else { return finish(.success(false)) }
      main.run([PostgresTable.clearingRemains(of: id)]) { result in
        finish(result.map { $0.first?.count == 1 }.mapError(StoreError.init))
      }
    }
  }

  private func answer(
    _ group: [PendingCommit],
    _ results: [Result<Void, StoreError>],
    then done: @escaping (_ failure: StoreError?) -> Void
  ) {
    for (pending, result) in zip(group, results) { pending.completion(result) }
    if results.count == 1, case .failure(let error) = results[0] { done(error) } else { done(nil) }
  }

  /// Decides on a refused commit. Two transactions that were in each other's way are tried again, once: by then the
  /// other one is through, and this one is superseded or not. A lock that was waited for in vain is not waited for once
  /// more: all other commits stand behind this one.
  private func retry(
    _ pending: PendingCommit,
    after error: PostgresError,
    then done: @escaping (_ failure: StoreError?) -> Void
  ) {
    guard error.isConflict, !pending.isSecondTry else {
      return answer([pending], [.failure(StoreError(error))], then: done)
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

  func rename(_ record: String, as name: String, _ finish: @escaping StoreCompletion<Void>) {
    // A commit that began a record and failed leaves an empty one, and so does a name that was given away.
    let clearing = PostgresStatement(
      """
      WITH gone AS (
        DELETE FROM tablecast.feed WHERE sha256(name) = sha256($1::bytea) AND next_item IS NULL AND epoch IS NULL
        RETURNING id
      )
      DELETE FROM tablecast.object WHERE feed IN (SELECT id FROM gone)
      """,
      .name(name)
    )
    let renaming = PostgresStatement(
      """
      WITH renamed AS (
        UPDATE tablecast.feed SET name = $2::bytea WHERE sha256(name) = sha256($1::bytea)
          AND NOT EXISTS (SELECT 1 FROM tablecast.feed WHERE sha256(name) = sha256($2::bytea)) RETURNING id
      ), named AS (
        UPDATE tablecast.object SET body = (
          SELECT convert_to(string_agg(
            CASE WHEN substr(line, strpos(line, ' ') + 1) = convert_from($1::bytea, 'UTF8')
              THEN split_part(line, ' ', 1) || ' ' || convert_from($2::bytea, 'UTF8') ELSE line END,
            chr(10) ORDER BY place), 'UTF8')
          FROM unnest(string_to_array(convert_from(body, 'UTF8'), chr(10))) WITH ORDINALITY AS lines(line, place)
        )
        WHERE (feed, sha256(row)) IN (SELECT id, sha256('\\x01'::bytea) FROM tablecast.feed)
          AND position($1::bytea IN body) > 0 AND EXISTS (SELECT 1 FROM renamed)
      )
      SELECT tablecast.tell('r', $1::bytea) FROM renamed
      """,
      .name(record),
      .name(name)
    )
    // A forwarding record: it leads to the new name, and a replica that found no record before can't begin one here.
    let former = PostgresStatement(
      """
      WITH former AS (
        INSERT INTO tablecast.feed (name, revision, stamp) SELECT $1::bytea, 1, $3
          WHERE NOT EXISTS (SELECT 1 FROM tablecast.feed WHERE sha256(name) = sha256($1::bytea))
            AND EXISTS (SELECT 1 FROM tablecast.feed WHERE sha256(name) = sha256($2::bytea))
        RETURNING id
      )
      INSERT INTO tablecast.object (feed, row, body)
        SELECT id, '\\x01'::bytea, '0 '::bytea || $2::bytea FROM former
      """,
      .name(record),
      .name(name),
      .int(.random(in: 1...Int64.max))
    )
    main.run([clearing, renaming, former]) { [self] result in
      if case .success = result {
        (tables[record], tables[name]) = (nil, nil)
        for table in tables.keys { _ = tables[table]?.inputs.rename(record, to: name) }
      }
      finish(result.map { _ in }.mapError(StoreError.init))
    }
  }

  func forget(_ table: String, _ finish: @escaping StoreCompletion<Void>) {
    let prefix = memberPrefix(of: table)
    let names = "(name = $1::bytea OR substr(name, 1, length($2::bytea)) = $2::bytea)"
    let removals = Self.removals(of: names, [.name(table), .name(prefix)])
    let answers = PostgresStatement("DELETE FROM tablecast.answer WHERE feed = $1::bytea", .name(table))
    main.run(removals + [answers]) { [self] result in
      endSilentRuns(after: result)
      if case .success = result {
        tables = tables.filter { $0.key != table && !$0.key.hasPrefix(prefix) }
      }
      finish(result.map { _ in }.mapError(StoreError.init))
    }
  }

  /// Returns the statements that remove records with all their parts, and say so. They lock the records in the order of
  /// their names, as commits do: else two transactions may wait for each other.
  ///
  /// - Parameters:
  ///   - condition: on a row of `feed`, in SQL.
  ///   - parameters: of the condition.
  private static func removals(of condition: String, _ parameters: [PostgresValue]) -> [PostgresStatement] {
    let held = "SELECT name FROM tablecast.feed WHERE \(condition) ORDER BY name FOR UPDATE"
    let parts = ["change", "row", "item", "object", "toggle"].map { part in
      "DELETE FROM tablecast.\(part) WHERE feed IN (SELECT id FROM tablecast.feed WHERE \(condition))"
    }
    let texts =
      ["SELECT tablecast.tell('r', name) FROM (\(held)) AS held"] + parts
      + ["DELETE FROM tablecast.feed WHERE \(condition)"]
    return texts.map { PostgresStatement($0, parameters) }
  }
}

extension PostgresStore {
  public func members(completion: @escaping StoreCompletion<[String]>) {
    let question = PostgresStatement(
      "SELECT name FROM tablecast.feed WHERE position(';'::bytea IN name) > 0 ORDER BY id"
    )
    askSide([question], completion) { answers in
      answers.first.map { found in (0..<found.count).map { found.text($0, 0) } } ?? []
    }
  }

  public func remove(_ tables: [String], fence: Lease, completion: @escaping StoreCompletion<Void>) {
    guard !tables.isEmpty else { return completion(.success(())) }
    perform(completion) { [self] finish in remove(tables, fence, attempts: 3, finish) }
  }

  private func remove(_ names: [String], _ fence: Lease, attempts: Int, _ finish: @escaping StoreCompletion<Void>) {
    let given = PostgresValue.byteStrings(names.map { Array($0.utf8) })
    let known = "sha256(name) IN (SELECT sha256(name) FROM unnest($1::bytea[]) AS given (name))"
    main.run([Self.fenceStatement(fence)] + Self.removals(of: known, [given])) { [self] result in
      endSilentRuns(after: result)
      // Somebody wrote one of them at this moment.
      if case .failure(let error) = result, error.isConflict, attempts > 1 {
        return remove(names, fence, attempts: attempts - 1, finish)
      }
      for name in names { tables[name] = nil }
      finish(result.map { _ in }.mapError(StoreError.init))
    }
  }

  public func leave(_ handovers: [String: [UInt8]], under lease: Lease, completion: @escaping StoreCompletion<Void>) {
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

  public func handover(of table: String, completion: @escaping StoreCompletion<Lease.Handover?>) {
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
