import Definitions
import Logging
import Queues
import Synchronization
import TableModel
import TableStore

/// An edit, or a batch, of the items of a table's own source. It is planned as the table shows them, and committed to their log; with
/// it goes the version of the table, where that is stored.
struct ItemChange: Change {
  let writer: TableWriter
  let log: ItemLog
  let request: EditRequest

  var lens: Lens { request.lens }
  var idempotency: Idempotency? { request.preconditions.idempotency }
  var claim: Duration? { nil }

  var terms: ChangeProgress.Terms {
    ChangeProgress.Terms(
      hasKey: idempotency != nil,
      // Other replicas may have written some of a member's items, too.
      othersWrite: isShared || log.isShared,
      isShownElsewhere: writer.awaitsLeader || !writer.isStored,
      mayBeDoneElsewhere: context.replica.isShared
    )
  }

  func keeps(_ outcome: EditResult) -> Bool { request.keeps(outcome) }

  func carryOut(_ run: ChangeRun) {
    log.plan(on: content.queue) { head in
      defer { log.endPlanning() }
      // While it waited for its turn something may have failed.
      guard !run.isBlocked else { return }
      plan(at: head, run)
    }
  }

  /// Plans it, and commits it: what becomes of the items, the answer, and the version of this table are one transaction.
  private func plan(at head: ItemSnapshot, _ run: ChangeRun) {
    guard writer.goesOn() else { return run.take(.behind) }
    let snapshot = laidOut(head)
    if let error = refusal(on: snapshot) ?? context.replica.refusal { return run.take(.refused(error)) }
    // Lookups must not be older than in the stored version.
    guard !isShared || content.access({ $0.isAheadOfStoredInputs(but: log) }) else { return run.take(.behind) }
    let session = EditSession(
      on: snapshot,
      named: name,
      caller: request.caller,
      limits: context.current.limits
    )
    let rows: [String]
    do throws(EditSession.Refusal) { rows = try session.apply(request.edits) } catch {
      return run.take(.refused(request.isBatch ? error.error.ofEdit(error.edit) : error.error))
    }
    if writer.isStored { commit(session, rows, on: head, run) } else { commitItems(session, rows, on: head, run) }
  }

  private func commit(_ session: EditSession, _ rows: [String], on head: ItemSnapshot, _ run: ChangeRun) {
    var items = session.content.local?.items ?? .empty
    let changes = items.takeChanges()
    let isShownHere = writer.makesVersions
    let version = isShownHere ? versions.prepare(session.shared(with: versions.latest.table)) : nil
    // An edit that changes nothing shown has no version to tell that it was built on an edit that failed: it waits for
    // those before it, and those behind wait with it, or there would always be another before it.
    if version == nil, isShownHere, run.awaitsAll { return }
    guard let part = log.begin(changes, making: items, plannedOn: head.revision), let revision = part.revision else {
      version.map(versions.withdraw)
      return run.take(.undone)
    }
    let outcome = outcome(of: session, rows, at: version ?? versions.latest)
    var commit = Commit(table: writer.storedName, durability: .full, version: version)
    commit.beside = [part]
    commit.reply = idempotency.flatMap { StoredReply($0, outcome) }
    content.access { content in
      content = session.content
      content.show(ItemSnapshot(items: items, revision: revision), of: log)
      // The version that it is answered with shows this edit: without one of its own the stored one does, and none of before follows.
      if isShownHere { commit.inputs = content.toldInputs }
    }
    // With another edit behind it this one is stored beside that one's laying out, and perhaps both as one.
    let isAlone = writer.editsAhead.load(ordering: .relaxed) == 0 && !log.isAwaited
    let retry: @Sendable (StoreError?) -> Void = { run.take($0.map { .baseFailed($0) } ?? .undone) }
    writer.store(commit, mayBlock: isAlone, retry: retry) { error in
      if let error { return run.take(.failed(TableError(error))) }
      run.take(isShownHere ? .done(outcome, isKept: true) : .unseen(outcome))
    }
  }

  /// Commits an edit through a member whose versions are stored nowhere, so that callers edit their own rows: what becomes of the
  /// items, and the answer. The member follows that as all tables do that show the items.
  private func commitItems(_ session: EditSession, _ rows: [String], on head: ItemSnapshot, _ run: ChangeRun) {
    var items = session.content.local?.items ?? .empty
    let changes = items.takeChanges()
    guard var commit = log.begin(changes, making: items, plannedOn: head.revision) else { return run.take(.undone) }
    let outcome = outcome(of: session, rows, at: versions.current)
    commit.reply = idempotency.flatMap { StoredReply($0.asked(writer.answersName), outcome) }
    context.store.commit(commit) { result in
      // This one, too, is told before it answers.
      let baseFailure = log.ended(result, by: nil)
      switch result {
      case .success: run.takeLater(.unseen(outcome))
      case .failure(.superseded): run.takeLater(baseFailure.map { .baseFailed($0) } ?? .superseded)
      case .failure(let error):
        content.queue.async { writer.report(error) }
        run.takeLater(.failed(TableError(error)))
      }
    }
  }

  private func outcome(of session: EditSession, _ rows: [String], at version: Version) -> EditResult {
    .success(EditAnswer(cursor: reader.cursor(version, lens), rows: rows, hasReplaced: session.hasReplaced))
  }

  /// The table as it is with the items at a revision: with all that is under way.
  private func laidOut(_ head: ItemSnapshot) -> EditSnapshot {
    var snapshot = EditSnapshot(of: writer)
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
  private func refusal(on snapshot: EditSnapshot) -> TableError? {
    if let error = writer.refusal(of: request.preconditions) { return error }
    guard case .oneOf? = request.preconditions.condition else { return nil }
    // Where it can't be laid out here, the version says what it is made of.
    let isSame =
      writer.makesVersions
      ? Table.same(versions.latest.table, snapshot.table)
      : snapshot.content.editsUnderWay == 0 && snapshot.content.storedShowsInputs(log)
    return isSame ? nil : .movedOn
  }
}

extension Idempotency {
  /// As what was asked of a table, also where the answer is kept with the items that it shows.
  func asked(_ table: String) -> Idempotency {
    var asked = self
    asked.table = self.table ?? table
    return asked
  }
}
