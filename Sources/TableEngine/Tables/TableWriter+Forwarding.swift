import Definitions
import Dispatch
import Foundation
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
  ///   - guest: the table that the client sees, where that is this one in another language.
  ///   - isAbreast: nothing that another replica has written is unknown here.
  ///   - again: does it again, when that is so.
  func forward(
    _ request: EditRequest,
    as guest: Guest?,
    isAbreast: Bool,
    again: @escaping @Sendable () -> Void,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    let settle: @Sendable (EditResult) -> Void = { [self] outcome in
      content.queue.async { [self] in remember(outcome, for: request.preconditions.idempotency) { completion(outcome) }
      }
    }
    // The one edit of a batch is to blame.
    let isOneOfBatch = request.isBatch && request.edits.count == 1
    let blamed: @Sendable (TableError) -> TableError = { isOneOfBatch ? $0.ofEdit(0) : $0 }
    let plan: ForwardingPlan
    do throws(TableError) {
      plan = try content.access { content throws(TableError) in
        try ForwardingPlan(request, guest?.content ?? content, table: guest?.table ?? feed.latest.table, named: name)
      }
    } catch {
      return reconsider(error, isAbreast: isAbreast, again: again) { settle(.failure(blamed($0))) }
    }
    // Held until the edit is answered: it knows what is put in its place meanwhile.
    let owner = table.withLock { $0.value }
    guard let owner, let source = owner.sources.first(where: { $0.name == plan.source }) else {
      return settle(.failure(.forbidden("The table `\(name)` has no upstream that takes edits.")))
    }
    let definition = content.access { $0.definition }
    let fields = request.caller.forwarded(by: definition.forward)
    // Whom nobody here allowed is judged by the upstream, and can be only by what it is really sent.
    if case .callersCredentials(let error) = request.authority, !source.sends(fields, of: definition).haveCredentials {
      return completion(.failure(error))
    }
    // One after the other where the version counts: what comes behind is built on what this one made.
    let isConditional = request.preconditions.condition.map { $0 != .any } ?? false
    if isConditional, !content.access({ $0.beginConditional() }) {
      return settle(
        .failure(
          TableError(
            .conditionFailed,
            detail:
              "Another edit of the table `\(name)` is on its way to the upstream. Follow its changes, then decide again.",
            field: "If-Match"
          )
        )
      )
    }
    let finish: @Sendable (EditResult) -> Void = { [self] outcome in
      content.queue.async { [self] in
        if isConditional { content.access { $0.endConditional() } }
        settle(outcome)
      }
    }
    source.forward(
      plan.edit(request.preconditions.idempotency?.key ?? UUID().uuidString),
      as: plan.request,
      caller: fields,
      of: definition
    ) { [self] outcome in
      switch outcome {
      case .accepted(_, let item): accept(plan, item, from: source, of: owner, request, finish)
      case .refused(let error):
        // Who is asked to authenticate is the caller only where its own credentials were sent.
        let isService = error.status == 401 && !source.sends(fields, of: definition).haveCredentials
        finish(.failure(blamed(TableError(error, .upstream, passingOn: !isService))))
      // What the caller or the item has can't be put into the request: nothing was sent.
      case .failed(let error) where error.kind == .unusableValue:
        finish(.failure(blamed(TableError(error, .impossible))))
      case .failed(let error): finish(.failure(TableError(error, .upstream)))
      case .unknown(let error):
        // Nobody knows whether it was carried out: the refresh will tell.
        refreshAfterChange(source, of: owner) { _ in }
        finish(
          .failure(
            TableError(
              .unanswered,
              title: error.title,
              detail: "\(error.detail). Whether the edit was carried out is not known; the table is being refreshed."
            )
          )
        )
      }
    }
  }

  /// Shows what the upstream has accepted, and answers when it is shown here.
  private func accept(
    _ plan: ForwardingPlan,
    _ item: [UInt8]?,
    from source: PolledSource,
    of owner: LiveTable,
    _ request: EditRequest,
    _ finish: @escaping @Sendable (EditResult) -> Void
  ) {
    let succeed: @Sendable (String?, TableReader) -> Void = { row, reader in
      finish(.success(EditAnswer(cursor: reader.cursor(reader.feed.current, request.lens), rows: [row])))
    }
    // The replica that asks the sources has what it is laid over.
    let handOver: @Sendable () -> Void = { [self] in
      showElsewhere(HandedEdit(table: name, source: plan.source, edit: plan.change, item: item)) { [reader] outcome in
        switch outcome {
        case .success(let row): succeed(row, reader)
        case .failure: finish(.failure(.acceptedUnseen))
        }
      }
    }
    guard !isStored || context.replica.isLeading else { return handOver() }
    show(from: source, of: owner) { outcome in
      switch outcome {
      case .success(let shown): succeed(shown.row, shown.reader)
      case .failure(.fenced): handOver()
      case .failure: finish(.failure(.acceptedUnseen))
      }
    } apply: { [name] content in
      plan.apply(item, to: &content, named: name)
    }
  }

  /// Has a source asked anew, whose upstream has just taken an edit. Where a reload puts another table in this one's place
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
    // What a fetch under way brings may be from before the edit: it is not waited for.
    source.refreshAfterChange { [self] in
      whenDecided { [self] in
        let shown = owner.successor.withLock { $0 } ?? owner
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
  /// The upstream has taken an edit that the store doesn't have yet.
  fileprivate static var acceptedUnseen: TableError {
    TableError(
      .unanswered,
      detail: "The upstream has accepted the edit, but it can't be shown for now: it will be, without being sent again."
    )
  }
}
