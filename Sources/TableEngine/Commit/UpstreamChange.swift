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
  let writer: TableWriter
  let request: EditRequest
  /// The table that the client sees, where that is this one in another language.
  var snapshot: EditSnapshot?

  var lens: Lens { request.lens }
  var idempotency: Idempotency? { request.preconditions.idempotency }
  /// Longer than an upstream may take to answer.
  var claim: Duration? { .seconds(120) }

  var terms: ChangeProgress.Terms {
    // The upstream's work can't be taken back where it can't be shown.
    ChangeProgress.Terms(hasKey: idempotency != nil, needsStore: isShared, othersWrite: isShared)
  }

  func keeps(_ outcome: EditResult) -> Bool { request.keeps(outcome) }

  func carryOut(_ run: ChangeRun) {
    if let error = writer.refusal(of: request.preconditions) { return run.take(.refused(error)) }
    let plan: ForwardingPlan
    do throws(TableError) {
      plan = try content.access { content throws(TableError) in
        try ForwardingPlan(
          request,
          snapshot?.content ?? content,
          table: snapshot?.table ?? versions.latest.table,
          named: name
        )
      }
    } catch {
      return run.take(.refused(request.blaming(error)))
    }
    let edit: UpstreamEdit
    do throws(TableError) {
      let owner = writer.table.withLock { $0.value }
      edit = try UpstreamEdit(request, plan, content.access { $0.definition }, of: owner)
    } catch {
      return run.take(.done(.failure(error), isKept: false))
    }
    if let error = edit.refusal { return run.take(.failed(error)) }
    if edit.isConditional, !content.access({ $0.beginConditional() }) {
      return run.take(.done(.failure(.anotherIsOnItsWay(ofTable: name)), isKept: false))
    }
    send(edit) { outcome in
      content.queue.async {
        if edit.isConditional { content.access { $0.endConditional() } }
        run.take(.done(outcome, isKept: false))
      }
    }
  }

  /// Sends an edit, and answers it when it is shown here what became of it.
  private func send(_ edit: UpstreamEdit, _ finish: @escaping @Sendable (EditResult) -> Void) {
    edit.send { outcome in
      if case .accepted(let accepted) = outcome { return accept(edit, accepted, finish) }
      // Nobody knows whether it was carried out: the refresh will tell.
      if case .unknown = outcome { acceptedEdits.refreshAfterChange(edit.source, of: edit.owner) { _ in } }
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
      let row = shown.row
      let cursor = shown.reader.cursor(shown.version, edit.request.lens)
      let rows = [row ?? accepted.id ?? plan.chosen]
      content.queue.async {
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
        HandedEdit(table: writer.sharedName, source: plan.source, edit: plan.change, item: accepted.item)
      ) {
        [reader] outcome in
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
      plan.apply(accepted.item, sent: accepted.sent, to: &content, named: name)
    }
  }

  private var acceptedEdits: AcceptedEdits { AcceptedEdits(writer: writer) }
}

extension TableError {
  fileprivate static func anotherIsOnItsWay(ofTable name: String) -> TableError {
    TableError(
      .conditionFailed,
      detail:
        "Another edit of the table `\(name)` is on its way to the upstream. Follow its changes, then decide again.",
      field: "If-Match"
    )
  }

  /// The upstream has taken an edit that the store doesn't have yet.
  fileprivate static var acceptedUnseen: TableError {
    TableError(
      .unanswered,
      detail: "The upstream has accepted the edit, but it can't be shown for now: it will be, without being sent again."
    )
  }
}
