import Definitions
import TableEngine
import TableFinding
import TableModel
import TableStore

extension Service {
  /// `GET /v1/tables/{table}`
  func snapshot(_ request: TableRequest, _ answer: @escaping @Sendable (ReadAnswer?) -> Void) {
    ask(
      { [self] engine, done in
        afterBarrier(engine, request, after: nil, waits: false) { [self] asked, outcome in
          // Without the database a replica answers with what it has: nobody is promised more of it.
          guard outcome == .read else { return done(.unavailable) }
          guard case .success(let table) = asked else { return refuse(asked, done) }
          if let absence = table.absence { return done(.refused(absence)) }
          table.beginWaitingForRows()
          whenMade(table) { isMade in
            table.endWaiting(Lens())
            guard isMade else { return done(.unavailable) }
            let query = TableQuery(.snapshot, table.lens(request.lens, after: nil))
            table.render(query, for: ReplyAsker(share: 0)) { reply in
              let isUnanswerable = table.isUnanswerable(query, by: reply, hasWaited: true)
              done(isUnanswerable ? .unavailable : .reply(reply.body, .snapshot))
            }
          }
        }
      },
      answer
    )
  }

  /// Waits a little for a member that is being made.
  private func whenMade(_ table: LiveTable, attempts: Int = 20, _ body: @escaping @Sendable (Bool) -> Void) {
    guard table.isAwaitingUpstream, attempts > 0 else { return body(!table.isAwaitingUpstream) }
    world.after(2, on: loop) { [self] in whenMade(table, attempts: attempts - 1, body) }
  }

  /// `GET /v1/tables/{table}/changes`
  ///
  /// - Parameter wait: in seconds.
  func poll(
    _ request: TableRequest,
    after: Cursor?,
    wait: Double,
    _ answer: @escaping @Sendable (ReadAnswer?) -> Void
  ) {
    ask(
      { [self] engine, done in
        afterBarrier(engine, request, after: after, waits: wait > 0) { [self] asked, outcome in
          // Without the database a replica answers with what it has: nobody is promised more of it.
          guard outcome == .read else { return done(.unavailable) }
          guard case .success(let table) = asked else { return refuse(asked, done) }
          let query = TableQuery(.changes(after: after), table.lens(request.lens, after: after))
          guard !table.isUnanswerable(query, isLate: false, waits: wait > 0) else { return done(.unavailable) }
          let waiter = Waiter(self, table, query, wait: after == nil ? 0 : wait, done)
          guard table.isFound(query) else {
            return table.find(query, for: ReplyAsker(share: 0)) { [self] in loop.async { waiter.begin() } }
          }
          waiter.begin()
        }
      },
      answer
    )
  }

  /// `GET /v1/tables/{table}/items/{row}`
  func item(
    _ request: TableRequest,
    _ row: String,
    _ answer: @escaping @Sendable (Result<RepresentedObject, TableError>?) -> Void
  ) {
    ask(
      { [self] engine, done in
        afterBarrier(engine, request, after: nil, waits: false) { asked, outcome in
          guard outcome == .read else { return done(.failure(TableError(.unavailable, detail: "late"))) }
          switch asked {
          case .failure(let error): done(.failure(error))
          case .success(let table): table.item(row, orHidden: true) { done($0) }
          }
        }
      },
      answer
    )
  }

  /// `POST /v1/tables/{table}/refresh`
  func refresh(_ request: TableRequest, _ answer: @escaping @Sendable (Result<Cursor, TableError>?) -> Void) {
    ask(
      { [self] engine, done in
        switch table(engine, request) {
        case .failure(let error): done(.failure(error))
        case .success(let table): engine.refresh(table) { done($0.map(\.current.cursor)) }
        }
      },
      answer
    )
  }

  /// `POST /v1/sources/{source}/refresh`
  func refresh(source: String, _ answer: @escaping @Sendable (Result<Void, TableError>?) -> Void) {
    ask(
      { engine, done in
        do throws(TableError) { try engine.refresh(source: source) { outcome in done(outcome.map { _ in }) } } catch {
          done(.failure(error))
        }
      },
      answer
    )
  }

  private func refuse(_ asked: Result<LiveTable, TableError>, _ done: (ReadAnswer) -> Void) {
    if case .failure(let error) = asked { done(.refused(error)) }
  }

  /// As `Route` does: what only the store can tell is read first.
  private func afterBarrier(
    _ engine: Engine,
    _ request: TableRequest,
    after: Cursor?,
    waits: Bool,
    _ body: @escaping @Sendable (Result<LiveTable, TableError>, LookOutcome) -> Void
  ) {
    let asked = table(engine, request).map(\.latest)
    guard case .success(let table) = asked, table.isBehind(request.lens, after: after, waits: waits) else {
      return body(asked.flatMap(isThere), .read)
    }
    table.readBarrier(view: request.view) { [self] outcome, setBacks in
      loop.async { [self] in
        guard table.latest === table, !table.hasMadeRoom, table.setBacks == setBacks else {
          return afterBarrier(engine, request, after: after, waits: waits, body)
        }
        body(asked.flatMap(isThere), outcome)
      }
    }
  }

  private func isThere(_ table: LiveTable) -> Result<LiveTable, TableError> {
    table.absence?.kind == .unknown ? .failure(Self.away) : .success(table)
  }

  /// An edit, a batch of them.
  func edit(
    _ request: TableRequest,
    _ edits: [Edit],
    _ preconditions: EditPreconditions,
    _ answer: @escaping @Sendable (Result<EditAnswer, TableError>?) -> Void
  ) {
    ask(
      { [self] engine, done in
        switch table(engine, request) {
        case .failure(let error): done(.failure(error))
        case .success(let table):
          let edit = EditRequest(
            edits,
            isBatch: edits.count > 1,
            preconditions: preconditions,
            caller: request.callerFields,
            lens: table.lens(request.lens, after: nil)
          )
          table.edit(edit) { done($0) }
        }
      },
      answer
    )
  }

  /// `POST /v1/tables/{table}/rows/{row}/tap`
  func tap(
    _ request: TableRequest,
    _ row: String,
    _ preconditions: EditPreconditions,
    _ answer: @escaping @Sendable (Result<TapAnswer, TableError>?) -> Void
  ) {
    ask(
      { [self] engine, done in
        switch table(engine, request) {
        case .failure(let error): done(.failure(error))
        case .success(let table):
          table.tap(row, table.lens(request.lens, after: nil), preconditions, request.callerFields) { done($0) }
        }
      },
      answer
    )
  }
}
