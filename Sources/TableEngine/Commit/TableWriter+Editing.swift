import Definitions
import Logging
import Queues
import Synchronization
import TableModel
import TableStore

extension LiveTable {
  /// Carries a request out and answers it: when the edits are where the store promises, and everyone who waits has
  /// been given them. Edits of one table are laid out one after the other, and stored in groups.
  package func edit(
    _ request: EditRequest,
    _ completion: @escaping @Sendable (Result<EditAnswer, TableError>) -> Void
  ) {
    var request = request
    request.preconditions.idempotency?.caller = request.caller.name(forwarding: forwards)
    let completion = counted(request, completion)
    guard let original else { return writer.edit(request, completion) }
    // Whatever language it is asked in, a request is the same.
    request.preconditions.idempotency?.table = original.answersName
    guard writer.log == nil else { return writer.edit(request, completion) }
    writer.content.queue.async { [self, request] in
      writer.translate(request) { [self] snapshot, own in
        original.edit(own, on: snapshot) { [self] outcome in
          writer.afterShowing { [self] in writer.answer(request, as: outcome, of: original, completion) }
        }
      }
    }
  }

  /// Counts the request when it has ended, and says so at the level `debug`: what was asked for, but not what was sent.
  private func counted(_ request: EditRequest, _ completion: @escaping @Sendable (EditResult) -> Void)
    -> @Sendable (EditResult) -> Void
  {
    let (started, context, table, name) = (ContinuousClock.now, context, reference.name, name)
    let first = request.edits.first.map { edit in edit.verb + (edit.row.map { " \($0)" } ?? "") } ?? "nothing"
    let more = request.edits.count > 1 ? " and \(request.edits.count - 1) more" : ""
    return { outcome in
      context.edits.count(outcome, of: table)
      let result =
        switch outcome {
        case .success: "done"
        case .failure(let error): "\(error.kind): \(error.detail)"
        }
      let elapsed = ContinuousClock.now - started
      context.logger.debug(
        "An edit",
        metadata: [
          "table": "\(name)", "edit": "\(first)\(more)", "result": "\(result)",
          "milliseconds":
            "\(elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000)",
        ]
      )
      completion(outcome)
    }
  }
}

extension TableWriter {
  /// - Parameter snapshot: the table that the client sees, where that is this one in another language.
  fileprivate func edit(
    _ request: EditRequest,
    on snapshot: EditSnapshot? = nil,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    editsAhead.add(1, ordering: .relaxed)
    content.queue.async { [self] in
      editsAhead.subtract(1, ordering: .relaxed)
      // A refused authority ends the edit before its key is looked up.
      if case .callersCredentials(let error) = request.authority, log != nil {
        return completion(.failure(error))
      }
      // A local table's answer is kept in the commit itself.
      let claiming = log == nil ? Self.forwardingClaim : nil
      // A repeat gets a version that has the edit: the first answer may have been stored before there was one, and of a member's
      // versions nothing is stored.
      let isLeaders = awaitsLeader || log != nil && !isStored
      let finish: @Sendable (EditResult) -> Void = { [self] outcome in
        guard isLeaders, case .success(let answer) = outcome, answer.isRepeated else { return completion(outcome) }
        answerWhenShown(outcome, request, completion)
      }
      let begin: @Sendable () -> Void = { [self] in
        answeredOnce(request.preconditions.idempotency, claiming: claiming, finish) { [self] in
          carryOut(request, on: snapshot, $0)
        }
      }
      guard claiming != nil, isShared else { return begin() }
      // The upstream's work can't be taken back where it can't be shown.
      whenStoreAnswers { [self] error in
        if let error { completion(.failure(error)) } else { content.queue.async(execute: begin) }
      }
    }
  }

  /// - Parameter isUpToDate: nothing that another replica has written is unknown here.
  func carryOut(
    _ request: EditRequest,
    on snapshot: EditSnapshot?,
    isUpToDate: Bool = false,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    let attempt = Attempt(isUpToDate: isUpToDate, completion: completion) { [self] in
      unlessDone(request.preconditions.idempotency, completion) { [self] in
        carryOut(request, on: snapshot, isUpToDate: isUpToDate, completion)
      }
    } again: { [self] in
      carryOut(request, on: snapshot, isUpToDate: true, completion)
    }
    // Nothing is built on what is about to be undone, and nobody overtakes those who wait.
    guard !content.access({ $0.commits.enqueueIfBlocked(attempt.retry) }) else { return }
    guard let log else {
      if let error = refusal(of: request.preconditions) { return refuse(error, request, attempt) }
      return forward(request, on: snapshot, isUpToDate: isUpToDate, again: attempt.again, completion)
    }
    log.plan(on: content.queue) { [self] head in
      defer { log.endPlanning() }
      // While it waited for its turn something may have failed.
      guard !content.access({ $0.commits.enqueueIfBlocked(attempt.retry) }) else { return }
      edit(log, at: head, request, attempt)
    }
  }

  /// A request on its way.
  struct Attempt: Sendable {
    /// Nothing that another replica has written is unknown here.
    var isUpToDate: Bool
    var completion: @Sendable (EditResult) -> Void
    /// Does it once more, on whatever there is then.
    var retry: @Sendable () -> Void
    /// The same, when nothing that another replica has written is unknown.
    var again: @Sendable () -> Void

    init(
      isUpToDate: Bool,
      completion: @escaping @Sendable (EditResult) -> Void,
      retry: @escaping @Sendable () -> Void,
      again: @escaping @Sendable () -> Void
    ) {
      (self.isUpToDate, self.completion, self.retry, self.again) = (isUpToDate, completion, retry, again)
    }
  }

  /// Refuses an edit once the state that refuses it is stored: the answer must not be ahead of what readers see, nor
  /// stand where that state is undone.
  private func refuse(_ error: TableError, _ request: EditRequest, _ attempt: Attempt) {
    refuse(error, isUpToDate: attempt.isUpToDate, retry: attempt.retry, again: attempt.again) { [self] error in
      remember(.failure(error), of: request) { attempt.completion(.failure(error)) }
    }
  }

  /// Plans an edit of the table's own items, as this table shows them, and commits it: what becomes of the items, the answer, and
  /// the version of this table are one transaction. At this table's turn.
  private func edit(_ log: ItemLog, at head: ItemSnapshot, _ request: EditRequest, _ attempt: Attempt) {
    let snapshot = laidOut(head, of: log)
    if let error = refusal(of: request.preconditions, on: snapshot) ?? context.replica.refusal {
      return refuse(error, request, attempt)
    }
    // Lookups must not be older than in the stored version.
    guard !isShared || content.access({ $0.isAheadOfStoredInputs(but: log) }) else {
      guard !attempt.isUpToDate else { return attempt.completion(.failure(.itemsBehind)) }
      return lookForNewsOfInputs { _ in attempt.again() }
    }
    var session = EditSession(
      snapshot.content,
      table: snapshot.table,
      named: name,
      caller: request.caller,
      limits: context.current.limits
    )
    let rows: [String]
    do throws(EditSession.Refusal) { rows = try session.apply(request.edits) } catch {
      return refuse(request.isBatch ? error.error.ofEdit(error.edit) : error.error, request, attempt)
    }
    var items = session.content.local?.items ?? .empty
    let changes = items.takeChanges()
    guard isStored else {
      return commit(changes, making: items, to: log, on: head, of: session, rows, request, attempt)
    }
    let isShownHere = makesVersions
    let version = isShownHere ? versions.prepare(session.shared(with: versions.latest.table)) : nil
    // An edit that changes nothing shown has no version to tell that it was built on an edit that failed: it waits for
    // those before it, and those behind wait with it, or there would always be another before it.
    if version == nil, isShownHere, content.access({ $0.commits.waitForAll(attempt.retry) }) { return }
    guard let part = log.begin(changes, making: items, plannedOn: head.revision), let revision = part.revision else {
      version.map(versions.withdraw)
      return attempt.retry()
    }
    let outcome = EditResult.success(
      EditAnswer(
        cursor: reader.cursor(version ?? versions.latest, request.lens),
        rows: rows,
        hasReplaced: session.hasReplaced
      )
    )
    var commit = Commit(table: storedName, durability: .full, version: version)
    commit.beside = [part]
    commit.reply = request.preconditions.idempotency.flatMap { StoredReply($0, outcome) }
    content.access { content in
      content = session.content
      content.show(ItemSnapshot(items: items, revision: revision), of: log)
      if version != nil { commit.inputs = content.toldInputs }
    }
    // With another edit behind it this one is stored beside that one's laying out, and perhaps both as one.
    let isAlone = editsAhead.load(ordering: .relaxed) == 0 && !log.isAwaited
    store(commit, mayBlock: isAlone, retry: attempt.retry) { [self] error in
      if let error { return attempt.completion(.failure(TableError(error))) }
      guard !isShownHere else { return attempt.completion(outcome) }
      answerWhenShown(outcome, request, attempt.completion)
    }
  }

  /// Answers an edit with a version that another replica has made of it. On any queue.
  func answerWhenShown(
    _ outcome: EditResult,
    _ request: EditRequest,
    since begun: ContinuousClock.Instant = .now,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    guard case .success(let answer) = outcome else { return completion(outcome) }
    readBarrier { [self] found in
      content.queue.async { [self] in
        if found == .read {
          let cursor = reader.cursor(versions.current, request.lens)
          return completion(
            .success(EditAnswer(cursor: cursor, rows: answer.rows, hasReplaced: answer.hasReplaced))
          )
        }
        guard ContinuousClock.now - begun < Self.patienceOfEditors else { return completion(.failure(.storedUnseen)) }
        answerWhenShown(outcome, request, since: begun, completion)
      }
    }
  }

  /// So long is another replica's version waited for.
  private static let patienceOfEditors = Duration.seconds(5)

  /// The table as it is with the items at a revision: with all that is under way.
  private func laidOut(_ head: ItemSnapshot, of log: ItemLog) -> EditSnapshot {
    var snapshot = snapshot
    // Where others write, the shown version may be older than the items' present state.
    let isSame = snapshot.content.local?.revision == head.revision && !isShared && !snapshot.content.isBehind
    guard !isSame else { return snapshot }
    snapshot.content.show(head, of: log)
    let table = snapshot.content.table(named: name)
    snapshot.table = snapshot.content.share(table, with: snapshot.table)
    return snapshot
  }

  /// Returns the refusal of an edit before it is tried: a condition names the newest version, and commits to the items
  /// since change nothing of that.
  private func refusal(
    of preconditions: EditPreconditions,
    on snapshot: EditSnapshot
  ) -> TableError? {
    if let error = refusal(of: preconditions) { return error }
    guard case .oneOf? = preconditions.condition else { return nil }
    // Where it can't be laid out here, the version says what it is made of.
    let isSame =
      makesVersions
      ? Table.same(versions.latest.table, snapshot.table)
      : snapshot.content.editsUnderWay == 0 && snapshot.content.storedShowsInputs(log)
    return isSame ? nil : .movedOn
  }
}
