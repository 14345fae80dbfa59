import Definitions
import Foundation
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Upstream

/// An edit, or a batch, of an upstream's items: it is sent there. Accepted, it is applied to the table at once, and the refresh that
/// follows makes good whatever the upstream made of it.
struct UpstreamChange: Change {
  /// Of the table that the client sees.
  let writer: TableWriter
  /// Of the same table in the language that comes first: what is accepted is laid over the answer as this one has it.
  let original: TableWriter
  let request: EditRequest

  var lens: Lens { request.lens }
  var idempotency: Idempotency? { request.preconditions.idempotency }
  var claim: Duration? {
    let sources = original.table.withLock { $0.value }?.sources ?? []
    return Self.claim(timeouts: sources.map(\.definition.timeout))
  }

  /// Longer than any of a table's upstreams may take to answer.
  static func claim(timeouts: [Duration]) -> Duration {
    max(.seconds(120), (timeouts.max() ?? .zero) + .seconds(60))
  }

  var terms: ChangeProgress.Terms {
    // The upstream's work can't be taken back where it can't be shown.
    ChangeProgress.Terms(hasKey: idempotency != nil, needsStore: isShared, othersWrite: isShared)
  }

  func keeps(_ outcome: EditResult) -> Bool { request.keeps(outcome) }

  /// The result of planning.
  private enum Planned {
    case edit(UpstreamEdit)
    /// Its row is not known here, and may be elsewhere.
    case lacksRow(TableError)
    case ended(ChangeProgress.Event)
  }

  func carryOut(_ run: ChangeRun) { carryOut(run, found: nil, isFree: false) }

  /// - Parameters:
  ///   - found: the source that the leader has said to have, where this replica's configuration does not count.
  ///   - isFree: the leader has said that no other caller has an item of the chosen identity.
  private func carryOut(_ run: ChangeRun, found: String?, isFree: Bool) {
    switch planned() {
    case .ended(let event): run.take(event)
    case .lacksRow(let error): UnknownRows(writer: writer).find { run.take($0 ? .undone : .refused(error)) }
    // An edit that the leader can't show would be done again at each repeat.
    case .edit(let edit) where leadersTable.isInQuestion && found != edit.plan.source: find(edit.plan.source, run)
    case .edit(let edit) where edit.plan.isChosenInDoubt && !isFree: findFree(edit.plan, found: found, run)
    case .edit(let edit) where edit.isConditional: sendInTurn(edit, run)
    case .edit(let edit): send(edit) { run.takeLater(.done($0, isKept: false)) }
    }
  }

  /// Plans it on the newest version. On the table's queue.
  private func planned() -> Planned {
    if let error = writer.refusal(of: request.preconditions) { return .ended(.refused(error)) }
    guard request.preconditions.condition == nil || !isBehind else { return .ended(.failed(.notStoredForNow)) }
    content.access { $0.refreshResult(named: name) }
    let table = versions.latest.table
    if let row = unknownRow(in: table) {
      let error = request.blaming(.notKnownYet(row, of: table.name))
      return isAsking ? .ended(.refused(error)) : .lacksRow(error)
    }
    let plan: ForwardingPlan
    do throws(TableError) {
      plan = try content.access { content throws(TableError) in
        try ForwardingPlan(request, content, table: table, named: name)
      }
    } catch {
      return .ended(.refused(request.blaming(error)))
    }
    let edit: UpstreamEdit
    do throws(TableError) {
      let owner = original.table.withLock { $0.value }
      edit = try UpstreamEdit(request, plan, content.access { $0.definition }, of: owner)
    } catch {
      return .ended(.done(.failure(error), isKept: false))
    }
    if let error = edit.refusal { return .ended(.failed(error)) }
    return .edit(edit)
  }

  /// Sends an edit with a condition while no other one of the table is on its way. On the table's queue.
  private func sendInTurn(_ edit: UpstreamEdit, _ run: ChangeRun) {
    let turn = ConditionalTurn(of: original)
    turn.take(timeout: edit.source.definition.timeout) { event in
      if let event { return run.takeLater(event) }
      guard turn.isShared else { return send(edit, in: turn, run) }
      // The turn before this one may have been another replica's, and its version not known here.
      writer.readBarrier { found in
        content.queue.async {
          guard found == .read else { return turn.giveBack { run.takeLater(.failed(.notStoredForNow)) } }
          planAgain(in: turn, run)
        }
      }
    }
  }

  /// Plans it on what was read since the turn was taken, and sends it. On the table's queue.
  private func planAgain(in turn: ConditionalTurn, _ run: ChangeRun) {
    // No turn is kept while something is being undone.
    guard content.access({ $0.commits.isGoingOn }) else { return turn.giveBack { run.takeLater(.undone) } }
    switch planned() {
    case .edit(let edit): send(edit, in: turn, run)
    case .lacksRow: turn.giveBack { run.takeLater(.undone) }
    case .ended(let event): turn.giveBack { run.takeLater(event) }
    }
  }

  private func send(_ edit: UpstreamEdit, in turn: ConditionalTurn, _ run: ChangeRun) {
    send(edit) { outcome in turn.giveBack { run.takeLater(.done(outcome, isKept: false)) } }
  }

  private var leadersTable: LeadersTable { LeadersTable(writer: writer) }

  /// Goes on where the leader can show an edit of a source's items.
  private func find(_ source: String, _ run: ChangeRun) {
    leadersTable.whenFound(fedBy: source) { error in
      content.queue.async {
        if let error { return run.take(.failed(error)) }
        // The table may have moved on meanwhile: it is planned anew.
        guard !run.isBlocked else { return }
        carryOut(run, found: source, isFree: false)
      }
    }
  }

  /// Goes on where the leader knows no item of the identity that the caller has chosen.
  private func findFree(_ plan: ForwardingPlan, found: String?, _ run: ChangeRun) {
    guard let identity = plan.chosen else { return }
    context.replica.askLeader(.findFree(writer.sharedName, source: plan.source, identity: identity)) { outcome in
      content.queue.async {
        switch outcome {
        case .success(nil):
          guard !run.isBlocked else { return }
          carryOut(run, found: found, isFree: true)
        case .success: run.take(.refused(request.blaming(.noRow(identity, of: name))))
        case .failure(let error): run.take(.failed(error))
        }
      }
    }
  }

  /// This process asks the sources of the table, which it may not know before they have answered.
  private var isAsking: Bool { !isShared || context.replica.isLeading }

  private func unknownRow(in table: Table) -> String? {
    guard request.edits.count == 1, let edit = request.edits.first else { return nil }
    return content.access { $0.unknownRow(of: edit, in: table, isAsking: isAsking) }
  }

  /// The sources have said more than the newest version shows, as that could not be stored. Where another replica asks them, the version is
  /// that one's. On the table's queue.
  private var isBehind: Bool { isAsking && content.access { $0.isBehind } }

  /// Sends an edit, and answers it when it is shown here what became of it.
  private func send(_ edit: UpstreamEdit, _ finish: @escaping @Sendable (EditResult) -> Void) {
    edit.send { outcome in
      if case .accepted(let accepted) = outcome { return accept(edit, accepted, finish) }
      // Nobody knows whether it was carried out: the refresh will tell.
      if case .unknown = outcome { acceptedEdits.refreshAfterChange(edit.source, of: edit.owner) { _, _ in } }
      if let error = edit.failure(outcome) { finish(.failure(error)) }
    }
  }

  /// Shows what the upstream has accepted, and answers when it is shown here.
  private func accept(
    _ edit: UpstreamEdit,
    _ accepted: AcceptedEdit,
    _ finish: @escaping @Sendable (EditResult) -> Void
  ) {
    let plan = edit.plan
    let succeed: @Sendable (AcceptedEdits.Shown) -> Void = { shown in
      let rows = [shown.row ?? accepted.id ?? plan.chosen]
      inLanguage(shown) { reader, version in
        let cursor = reader.cursor(version, edit.request.lens)
        let unfit =
          plan.isInsert
          ? accepted.item.flatMap { item in content.access { $0.unfitness(of: item, from: plan.source) } }
          : nil
        finish(.success(EditAnswer(cursor: cursor, rows: rows, hasReplaced: plan.isReplacement, unfit: unfit)))
      }
    }
    // The replica that asks the sources has what it is laid over.
    let handOver: @Sendable () -> Void = {
      acceptedEdits.showElsewhere(
        HandedEdit(
          table: writer.sharedName,
          source: plan.source,
          edit: plan.change,
          item: accepted.item,
          before: plan.itemDigest
        )
      ) {
        [reader = original.reader] outcome in
        switch outcome {
        case .success(let row): succeed((row, reader, reader.versions.current))
        case .failure: finish(.failure(.acceptedUnseen))
        }
      }
    }
    guard !writer.isStored || context.replica.isLeading else { return handOver() }
    acceptedEdits.show(from: edit.source, of: edit.owner) { outcome in
      switch outcome {
      case .success(let shown): succeed(shown)
      case .failure(.fenced): handOver()
      case .failure: finish(.failure(.acceptedUnseen))
      }
    } apply: { [name] content in
      let identity = plan.countedIdentity(accepted.item, in: content)
      let isOvertaken = identity.map { edit.source.accept(plan.change, of: $0, sentAt: edit.mark) } ?? false
      guard !isOvertaken else {
        let named = accepted.item.flatMap { content.identity(of: $0, from: plan.source) }
        return .awaitsRefresh(row: plan.change.row ?? named)
      }
      return plan.apply(accepted.item, sent: accepted.sent, to: &content, named: name)
    }
  }

  private var acceptedEdits: AcceptedEdits { AcceptedEdits(writer: original) }

  /// Gives a version that has what the original shows, in the client's language: of another table where a configuration that was
  /// read meanwhile has put that in this one's place. On the table's queue.
  private func inLanguage(
    _ shown: AcceptedEdits.Shown,
    _ body: @escaping @Sendable (TableReader, Version) -> Void
  ) {
    guard writer !== original else { return content.queue.async { body(shown.reader, shown.version) } }
    writer.afterShowing {
      guard content.access({ $0.gate.isClosed }) else { return body(reader, versions.current) }
      writer.whenShownInPlace { present in content.queue.async { body(present.reader, present.versions.current) } }
    }
  }
}
