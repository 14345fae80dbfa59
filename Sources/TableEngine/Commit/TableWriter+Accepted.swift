import Dispatch
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Upstream

/// Shows edits that an upstream has accepted, here or through another replica.
extension TableWriter {
  /// Where such an edit is shown: the row's identity, as far as it is known, and in which version of which table.
  typealias ShownEdit = (row: String?, reader: TableReader, version: Version)

  /// Shows what the upstream has accepted, and has it fetched anew. On the queue of the sources.
  ///
  /// - Parameters:
  ///   - owner: the table that this one writes for.
  ///   - apply: does it to the content; on the table's queue.
  ///   - completion: when it is stored, on any queue; ``StoreError/fenced``: another replica asks the sources.
  func show(
    from source: PolledSource,
    of owner: LiveTable,
    _ completion: @escaping @Sendable (Result<ShownEdit, StoreError>) -> Void,
    apply: @escaping @Sendable (inout TableContent) -> AppliedEdit
  ) {
    let (refreshed, told) = (DispatchGroup(), DispatchGroup())
    refreshed.enter()
    told.enter()
    // In whose versions the upstream's own answer is shown.
    let shown = Mutex(reader)
    source.listeners.edit(through: owner) { [self] isAnswered in
      let (laid, edited) = content.access { content -> (AppliedEdit, SourceListeners.EditedAnswer?) in
        guard !isAnswered else {
          // The upstream's answer since has the edit, and perhaps more.
          var content = content
          return (apply(&content).awaitingRefresh, nil)
        }
        let laid = apply(&content)
        guard laid.isShown, let input = content.inputs[source.name], let answer = input.content,
          let number = input.answer
        else { return (laid, nil) }
        return (laid, (answer, number))
      }
      switch laid {
      case .shown(let row) where !content.access { $0.gate.isClosed }:
        publishContent { [self] error in
          // The next fetch may have made something else of it.
          let version = versions.current
          told.notify(queue: content.queue) { [reader] in
            if let error { completion(.failure(error)) } else { completion(.success((row, reader, version))) }
          }
        }
      // Where the upstream did not say what has become of the item, only a fetch can: nothing is guessed.
      case .shown(let row), .awaitsRefresh(let row):
        refreshed.notify(queue: content.queue) { [self] in
          let reader = shown.withLock { $0 }
          if reader === self.reader, let error = shortcoming { return completion(.failure(error)) }
          completion(.success((row, reader, reader.versions.current)))
        }
      }
      return edited
    } _: {
      told.leave()
    }
    refreshAfterChange(source, of: owner) { reader in
      shown.withLock { $0 = reader }
      refreshed.leave()
    }
  }

  /// Why what the sources have said is not shown; nil where it is. On the table's queue.
  var shortcoming: StoreError? {
    if isShared, !context.replica.isLeading { return .fenced }
    return content.access { $0.isBehind } ? .unreadable : nil
  }

  // MARK: Between replicas

  /// Has the replica that asks the sources show an edit.
  ///
  /// - Parameter completion: when it is shown here too, on any queue.
  func showElsewhere(
    _ edit: HandedEdit,
    _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void
  ) {
    context.replica.askLeader(.show(edit)) { [self] outcome in
      guard case .success(let row) = outcome else { return completion(outcome) }
      lookForNews(attempts: Self.attemptsToRead) { [self] isRead in
        guard isRead else { return completion(.failure(TableError(.unreadable))) }
        // The item in the fetched answer, where the edit was too long to be told.
        let named = edit.item.flatMap { item in content.access { $0.identity(of: item, from: edit.source) } }
        completion(.success(edit.edit.row ?? row ?? named))
      }
    }
  }

  /// Shows an edit that was sent to the upstream by another replica. On any queue.
  ///
  /// - Parameter completion: when it is stored, in all of the table's languages; on any queue.
  func show(_ edit: HandedEdit, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) {
    context.client.queue.async { [self] in
      let owner = table.withLock { $0.value }
      guard let owner, let source = owner.sources.first(where: { $0.name == edit.source }) else {
        return completion(.success(nil))
      }
      show(from: source, of: owner) { outcome in
        switch outcome {
        case .success(let shown): owner.whenAllFollow { completion(.success(shown.row)) }
        case .failure(let error): completion(.failure(TableError(error)))
        }
      } apply: { [versions, name] content in
        content.refreshResult(named: name)
        // Where the row has moved on meanwhile, the fetched answer counts.
        let request = EditRequest([edit.edit], caller: CallerFields([]))
        let plan = try? ForwardingPlan(request, content, table: versions.latest.table, named: name)
        guard let plan, plan.source == edit.source else { return .awaitsRefresh(row: edit.edit.row) }
        return plan.apply(edit.item, sent: nil, to: &content, named: name)
      }
    }
  }
}

extension LiveTable {
  /// Calls back when the table is shown in all its languages as it is stored now.
  func whenAllFollow(_ completion: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    for writer in all.map(\.writer) {
      group.enter()
      writer.afterFollowing { group.leave() }
    }
    group.notify(queue: context.background, execute: completion)
  }
}
