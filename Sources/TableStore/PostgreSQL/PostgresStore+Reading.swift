import Dispatch
import TableModel

extension PostgresStore {
  /// Sees to it that tables are known: asks where they stand. Those that are not stored stay unknown, unless they are to
  /// be made.
  ///
  /// One that this process has not restored is known without its versions: then its next one begins anew.
  ///
  /// - Parameters:
  ///   - made: those that are made where they are not stored yet.
  ///   - fences: the leases under which these are made.
  func open(
    _ names: [String],
    making made: Set<String> = [],
    under fences: Set<Lease> = [],
    attempts: Int = 5,
    completion: @escaping (Result<Void, StoreError>) -> Void
  ) {
    let unknown = Set(names).filter { tables[$0] == nil }.sorted()
    guard !unknown.isEmpty else { return completion(.success(())) }
    // One that is there is only looked at: where it conflicts, an insertion waits for whoever is writing the table, and
    // then fails, as this transaction's snapshot is older; beside writers that never rest it would go on so.
    let insertions = unknown.filter(made.contains).map { name in
      PostgresStatement(
        """
        INSERT INTO tablecast.feed (name) SELECT $1::bytea
        WHERE NOT EXISTS (SELECT 1 FROM tablecast.feed WHERE sha256(name) = sha256($1::bytea))
        ON CONFLICT (sha256(name)) DO NOTHING
        """,
        .name(name)
      )
    }
    let questions = unknown.map { name in
      PostgresStatement(
        """
        SELECT id, revision, stamp, epoch, next_row, (
          SELECT body FROM tablecast.object WHERE object.feed = feed.id AND sha256(row) = sha256('\\x01'::bytea)
        ) FROM tablecast.feed WHERE sha256(name) = sha256($1)
        """,
        .name(name)
      )
    }
    let making = (insertions.isEmpty ? [] : fences.map(Self.fenceStatement)) + insertions
    main.run(making + questions) { [self] result in
      endSilentRuns(after: result)
      switch result {
      // Another process makes the same table at this moment, which this transaction can't see.
      case .failure(.refused("40001", _)) where attempts > 1:
        open(names, making: made, under: fences, attempts: attempts - 1, completion: completion)
      case .failure(let error): completion(.failure(StoreError(error)))
      case .success(let answers):
        for (index, name) in unknown.enumerated() {
          let found = answers[making.count + index]
          guard found.count == 1 else {
            guard made.contains(name) else { continue }
            guard attempts > 1 else { return completion(.failure(.superseded)) }
            return open(names, making: made, under: fences, attempts: attempts - 1, completion: completion)
          }
          do throws(RecordError) {
            let revision = Revision(number: try found.count(0, 1), stamp: found.unsigned(0, 2))
            var table = PostgresTable(id: found.int(0, 0), name: name, revision: revision, history: history)
            table.epoch = found.isNull(0, 3) ? nil : Epoch(rawValue: found.unsigned(0, 3))
            table.nextRow = try found.count(0, 4)
            table.inputs = InputRevisions(found.bytes(0, 5) ?? [])
            tables[name] = table
          } catch {
            let detail = "table \(name): \(error)"
            return completion(.failure(.damaged(database: address.description, detail: detail)))
          }
        }
        completion(.success(()))
      }
    }
  }

  /// Lets the statements behind it in the run take as long as they take: the server's limits count the time in which
  /// the client takes the answers, which may be long. The silence of one side still ends them.
  private static let unlimitedTime = PostgresStatement(
    // The second setting came with PostgreSQL 17.
    """
    SELECT set_config('statement_timeout', '0', true), CASE
      WHEN current_setting('transaction_timeout', true) IS NOT NULL THEN set_config('transaction_timeout', '0', true)
    END
    """
  )

  /// Reads a table whole.
  func read(_ name: String, _ finish: @escaping StoreCompletion<StoredTable>) {
    let wasKnown = tables[name] != nil
    open([name]) { [self] result in
      guard case .success = result, let id = tables[name]?.id else {
        return finish(result.map { StoredTable() })
      }
      main.run([Self.unlimitedTime] + PostgresTable.whole(id, name)) { [self] result in
        let result = result.map { Array($0.dropFirst()) }
        if wasKnown, case .success(let answers) = result, answers.first?.count == 0 {
          // Removed meanwhile, or called otherwise: another one may have its name.
          tables[name] = nil
          return read(name, finish)
        }
        finish(
          result.mapError(StoreError.init).flatMap { answers in
            do throws(RecordError) {
              guard
                let (table, stored) = try PostgresTable.restored(id: id, name: name, from: answers, history: history)
              else {
                // Removed meanwhile: as if it had never been.
                tables[name] = nil
                return .success(StoredTable())
              }
              tables[name] = table
              return .success(stored)
            } catch {
              return .failure(.damaged(database: address.description, detail: error.description))
            }
          }
        )
      }
    }
  }

  /// Reads what others have committed, then tells what became of a table since a revision.
  func catchUp(
    _ name: String,
    since revision: Revision,
    attempts: Int = 3,
    _ finish: @escaping StoreCompletion<CatchUp>
  ) {
    guard let table = tables[name] else {
      return revision == .none ? readFirst(name, finish) : replace(name, finish)
    }
    main.run(table.news) { [self] result in
      switch result {
      // There is more than can be sent in the time for a statement.
      case .failure(.refused("57014", _)): replace(name, finish)
      case .failure(let error): finish(.failure(StoreError(error)))
      case .success(let answers):
        var followed = table
        let outcome: PostgresTable.Following
        do throws(RecordError) {
          outcome = try followed.follow(answers)
        } catch {
          // Rows that were needed have gone meanwhile; or the database is damaged, which reading it whole will tell.
          return replace(name, finish)
        }
        switch outcome {
        case .current:
          tables[name] = followed
          guard let changes = followed.recent.changes(since: revision) else { return replace(name, finish) }
          finish(.success(.changes(changes)))
        case .apart: replace(name, finish)
        case .setBack(let found):
          startEpoch(of: table, at: found) { [self] isBegun in
            // Another process has written to it meanwhile, perhaps to the former epoch: what is known here tells that once more.
            if isBegun { return replace(name, finish) }
            guard attempts > 1 else {
              return finish(.failure(.failed("the database was set back, and is written to meanwhile")))
            }
            catchUp(name, since: revision, attempts: attempts - 1, finish)
          }
        }
      }
    }
  }

  /// Reads a table of which nothing was stored when this process looked last.
  private func readFirst(_ name: String, _ finish: @escaping StoreCompletion<CatchUp>) {
    open([name]) { [self] result in
      switch result {
      case .failure(let error): finish(.failure(error))
      case .success:
        guard let id = tables[name]?.id else { return finish(.success(.changes(TableChanges(revision: .none)))) }
        tables[name] = PostgresTable(id: id, name: name, revision: .none, history: history)
        catchUp(name, since: .none, finish)
      }
    }
  }

  private func replace(_ name: String, _ finish: @escaping StoreCompletion<CatchUp>) {
    let known = tables[name]
    tables[name] = nil
    read(name) { [self] result in
      // The next look tells of the table once more.
      if case .failure = result { tables[name] = known }
      finish(result.map(CatchUp.replaced))
    }
  }

  /// Gives a table's versions another epoch: the database was set back to before what clients have seen. Of several
  /// processes that notice it one does it.
  private func startEpoch(of table: PostgresTable, at found: Revision, then done: @escaping (_ isBegun: Bool) -> Void) {
    let epoch = Epoch.random()
    let statement = PostgresStatement(
      """
      UPDATE tablecast.feed SET epoch = $4, revision = greatest(revision, $5) + 1, stamp = $6
      WHERE id = $1 AND revision = $2 AND stamp = $3 RETURNING 1
      """,
      .int(table.id),
      .int(found.number),
      .int(found.stamp),
      .int(epoch.rawValue),
      .int(table.revision.number),
      .int(Int64.random(in: 1...Int64.max))
    )
    main.run([statement]) { result in done((try? result.get())?.first?.count == 1) }
  }
}

extension PostgresStore {
  /// How often others' revisions are looked at: notifications may be lost with a connection.
  private static let period: DispatchTimeInterval = .seconds(2)

  /// So many looks later expired views are deleted.
  private static let looksBetweenExpiries = 30

  /// Makes the connections; `connected` is told when both are there.
  func begin(connected: @escaping @Sendable () -> Void) {
    side.onNotification = { [weak self] payload, process in self?.receive(payload, from: process) }
    main.onChange = { [weak self] _ in self?.reach(connected) }
    side.onChange = { [weak self] isUp in
      self?.reach(connected)
      if isUp { self?.look() }
    }
    main.onReadOnly = { [weak self] reason in self?.side.giveUp(reason) }
    side.onReadOnly = { [weak self] reason in self?.main.giveUp(reason) }
    main.connect()
    side.connect()
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + Self.period, repeating: Self.period, leeway: .milliseconds(200))
    timer.setEventHandler { [weak self] in self?.look() }
    timer.activate()
    lookTimer = timer
  }

  /// A connection came up, or was lost: what others have said meanwhile may not have been heard.
  private func reach(_ connected: () -> Void) {
    let isUp = main.isUp && side.isUp
    observers.tell(.reachable(isUp))
    if isUp { connected() }
  }

  /// A notification: `m REVISION STAMP NAME`, `r NAME`, `l NAME`, `s NAME TEXT`; names and texts in digits.
  private func receive(_ payload: String, from process: Int32) {
    // One's own is no news.
    guard process != main.process, process != side.process else { return }
    let words = payload.split(separator: " ", omittingEmptySubsequences: false)
    switch (words.first, words.count) {
    case ("m", 4):
      guard let number = UInt64(words[1]), let stamp = UInt64(words[2]), let table = text(words[3]) else { return }
      let revision = Revision(number: number, stamp: stamp)
      if tables[table]?.revision != revision { observers.tell(.moved(table: table, revision: revision)) }
    case ("r", 2): if let table = text(words[1]) { observers.tell(.removed(table: table)) }
    case ("l", 2): if let lease = text(words[1]) { observers.tell(.leaseFree(lease)) }
    case ("s", 3):
      if let name = text(words[1]), let text = text(words[2]) { observers.tell(.signal(name: name, text: text)) }
    default: break
    }
  }

  private func text(_ digits: Substring) -> String? {
    let digits = Array(digits.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Looks where the tables in use stand, and tells of those that others have moved.
  private func look() {
    guard side.isUp else { return }
    looks += 1
    if looks % Self.looksBetweenExpiries == 0 { side.run([Self.viewExpiry]) { _ in } }
    guard !tables.isEmpty else { return }
    let known = tables.values.map { ($0.id, $0.name) }
    let question = PostgresStatement(
      "SELECT id, revision, stamp FROM tablecast.feed WHERE id = ANY($1::bigint[])",
      .ints(known.map(\.0))
    )
    side.run([question]) { [self] result in
      guard case .success(let answers) = result, let found = answers.first else { return }
      var revisions: [Int64: Revision] = [:]
      for row in 0..<found.count {
        revisions[found.int(row, 0)] = Revision(number: found.unsigned(row, 1), stamp: found.unsigned(row, 2))
      }
      for (id, name) in known {
        // A table that was read or written meanwhile is newer than this answer, or another table.
        guard let table = tables[name], table.id == id else { continue }
        guard let revision = revisions[id] else {
          observers.tell(.removed(table: name))
          continue
        }
        if table.revision != revision { observers.tell(.moved(table: name, revision: revision)) }
      }
    }
  }
}
