import Definitions
import Foundation
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Upstream

extension TableWriter {
  /// Sends an edit to the upstream. Accepted, it is applied to the table at once, and the refresh that follows makes
  /// good whatever the upstream made of it. On the table's queue.
  ///
  /// - Parameters:
  ///   - snapshot: the table that the client sees, where that is this one in another language.
  ///   - isUpToDate: nothing that another replica has written is unknown here.
  ///   - again: does it again, when that is so.
  func forward(
    _ request: EditRequest,
    on snapshot: EditSnapshot?,
    isUpToDate: Bool,
    again: @escaping @Sendable () -> Void,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    let settle: @Sendable (EditResult) -> Void = { [self] outcome in
      content.queue.async { [self] in remember(outcome, of: request) { completion(outcome) } }
    }
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
      return reconsider(error, isUpToDate: isUpToDate, again: again) { settle(.failure(request.blaming($0))) }
    }
    let edit: UpstreamEdit
    do throws(TableError) {
      edit = try UpstreamEdit(request, plan, content.access { $0.definition }, of: table.withLock { $0.value })
    } catch {
      return settle(.failure(error))
    }
    if let error = edit.refusal { return completion(.failure(error)) }
    if edit.isConditional, !content.access({ $0.beginConditional() }) {
      return settle(.failure(.anotherIsOnItsWay(ofTable: name)))
    }
    send(edit) { [self] outcome in
      content.queue.async { [self] in
        if edit.isConditional { content.access { $0.endConditional() } }
        settle(outcome)
      }
    }
  }

  /// Sends an edit, and answers it when it is shown here what became of it.
  private func send(_ edit: UpstreamEdit, _ finish: @escaping @Sendable (EditResult) -> Void) {
    edit.send { [self] outcome in
      if case .accepted(let accepted) = outcome { return accept(edit, accepted, finish) }
      // Nobody knows whether it was carried out: the refresh will tell.
      if case .unknown = outcome { refreshAfterChange(edit.source, of: edit.owner) { _ in } }
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
    let succeed: @Sendable (ShownEdit) -> Void = { [self] shown in
      let row = shown.row
      let cursor = shown.reader.cursor(shown.version, edit.request.lens)
      let rows = [row ?? accepted.id ?? plan.chosen]
      content.queue.async { [self] in
        let unfit =
          plan.isInsert
          ? accepted.item.flatMap { item in content.access { $0.unfitness(of: item, from: plan.source) } }
          : nil
        finish(.success(EditAnswer(cursor: cursor, rows: rows, hasReplaced: plan.isReplacement, unfit: unfit)))
      }
    }
    // The replica that asks the sources has what it is laid over.
    let handOver: @Sendable () -> Void = { [self] in
      showElsewhere(HandedEdit(table: sharedName, source: plan.source, edit: plan.change, item: accepted.item)) {
        [reader] outcome in
        switch outcome {
        case .success(let row): succeed((row, reader, reader.versions.current))
        case .failure: finish(.failure(.acceptedUnseen))
        }
      }
    }
    guard !isStored || context.replica.isLeading else { return handOver() }
    show(from: edit.source, of: edit.owner) { outcome in
      switch outcome {
      case .success(let shown): succeed(shown)
      case .failure(.fenced): handOver()
      case .failure: finish(.failure(.acceptedUnseen))
      }
    } apply: { [name] content in
      plan.apply(accepted.item, sent: accepted.sent, to: &content, named: name)
    }
  }

  /// Has a source asked anew, whose upstream has just taken an edit. Where another table has come in this one's place
  /// meanwhile, or another source in that one's, it is asked too. On the queue of the sources.
  ///
  /// - Parameters:
  ///   - owner: the table that this one writes for.
  ///   - completion: given who shows what it says.
  func refreshAfterChange(
    _ source: PolledSource,
    of owner: LiveTable,
    _ completion: @escaping @Sendable (TableReader) -> Void
  ) {
    // A fetch under way may bring an answer from before the edit: it is not waited for.
    source.refreshAfterChange { [self] in
      whenDecided { [self] in
        let shown = owner.present
        if let next = shown.sources.first(where: { $0.name == source.name }), next !== source {
          context.client.queue.async { shown.writer.refreshAfterChange(next, of: shown, completion) }
        } else if shown === owner {
          completion(reader)
        } else {
          shown.writer.afterFollowing { completion(shown.reader) }
        }
      }
    }
  }
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
