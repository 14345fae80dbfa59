import Dispatch
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Upstream

/// The edits that an upstream has accepted, and how they come to be shown: here, or by the replica that asks the upstream.
struct AcceptedEdits: TableJob {
  let writer: TableWriter

  /// Where such an edit is shown: the row's identity, as far as it is known, and in which version of which table.
  typealias Shown = (row: String?, reader: TableReader, version: Version)

  /// Shows what the upstream has accepted, and has it fetched anew. On the queue of the sources.
  ///
  /// - Parameters:
  ///   - owner: the table that this one writes for.
  ///   - apply: does it to the content; on the table's queue.
  ///   - completion: when it is stored, in all tables of the answer and all languages where replicas read them; on any queue;
  ///     ``StoreError/fenced``: another replica asks the sources.
  func show(
    from source: PolledSource,
    of owner: LiveTable,
    _ completion: @escaping StoreCompletion<Shown>,
    apply: @escaping @Sendable (inout TableContent) -> AppliedEdit
  ) {
    // A reload may have put another one in its place since the edit was sent.
    let source = source.latest
    let (term, adopted) = (context.replica.lease?.term, context.adoptions.count)
    // When all others that show what the source says have it, too. Members that have yet to begin are given it on the sources' queue.
    let succeed: @Sendable (Shown) -> Void = { shown in
      context.replica.membersToBegin.notify(queue: context.client.queue) {
        whenAllShow(source, since: term) { completion($0.map { .failure($0) } ?? .success(shown)) }
      }
    }
    let (refreshed, told) = (DispatchGroup(), DispatchGroup())
    refreshed.enter()
    told.enter()
    let isTold = Atomic(true)
    let isAnswered = Atomic(true)
    // In whose versions the upstream's own answer is shown.
    let shown = Mutex(writer)
    source.listeners.edit(through: owner) { isAnsweredSince in
      let (laid, edited) = content.access { content -> (AppliedEdit, SourceListeners.EditedAnswer?) in
        var edited = content
        let laid = apply(&edited)
        // The upstream's answer since has the edit, and perhaps more.
        guard !isAnsweredSince else { return (laid.awaitingRefresh, nil) }
        var told: SourceListeners.EditedAnswer?
        if laid.isShown, let input = edited.inputs[source.name], let answer = input.content, let number = input.answer {
          told = (answer, number)
        }
        // Laid over an older answer it is not told to others: then it is shown nowhere before the next one.
        guard told != nil || source.listeners.feedsOnly(owner) else { return (laid.awaitingRefresh, nil) }
        edited.hasEditToTell = true
        content = edited
        return (laid, told)
      }
      switch laid {
      case .shown(let row) where !content.access { $0.gate.isClosed }:
        writer.publishContent { error in
          // The next fetch may have made something else of it.
          let version = versions.current
          told.notify(queue: content.queue) { [reader] in
            if let error { return completion(.failure(error)) }
            let shown = Shown(row, reader, version)
            context.adoptions.whenDone { number in
              // The others show it with the next answer, and so do those that are fed by another source by now.
              if isTold.load(ordering: .acquiring), number == adopted { return succeed(shown) }
              refreshed.notify(queue: context.background) {
                isAnswered.load(ordering: .acquiring) ? succeed(shown) : completion(.failure(.unreadable))
              }
            }
          }
        }
      // Where the upstream did not say what has become of the item, only a fetch can: nothing is guessed.
      case .shown(let row), .awaitsRefresh(let row):
        refreshed.notify(queue: context.background) {
          guard isAnswered.load(ordering: .acquiring) else { return completion(.failure(.unreadable)) }
          let present = AcceptedEdits(writer: shown.withLock { $0 })
          present.content.queue.async {
            if let error = present.shortcoming { return completion(.failure(error)) }
            succeed(Shown(row, present.reader, present.versions.current))
          }
        }
      }
      return edited
    } _: {
      isTold.store($0, ordering: .releasing)
      told.leave()
    }
    refreshAfterChange(source, of: owner) { writer, hasAnswered in
      shown.withLock { $0 = writer }
      isAnswered.store(hasAnswered, ordering: .releasing)
      refreshed.leave()
    }
  }

  /// Why what the sources have said is not shown; nil where it is. On the table's queue.
  var shortcoming: StoreError? {
    if isShared, !context.replica.isLeading { return .fenced }
    return content.access { $0.isBehind } ? .unreadable : nil
  }

  /// Calls back when the tables that are told the source's answer are stored as they are shown here, in all languages: a read at another replica,
  /// right behind the answer to an edit, looks for it in the store. Here reads of what could not be stored wait. On any queue.
  ///
  /// - Parameters:
  ///   - term: of the lease under which replicas' tables are stored; nil: of none.
  ///   - body: given why it may not be so among replicas.
  private func whenAllShow(
    _ source: PolledSource,
    since term: UInt64?,
    _ body: @escaping @Sendable (StoreError?) -> Void
  ) {
    let areStored = JoinedCalls(true) { $0 = $0 && $1 }
    // A table without readers is not told of the edit: an older version that it could not store would hold up all answers.
    for table in source.latest.listeners.told where table.writer.isStored {
      if context.replica.isShared {
        table.whenAllFollow([], areStored.begin())
      } else {
        for writer in table.all.map(\.writer) {
          let finish = areStored.begin()
          writer.holdReads { finish(true) }
        }
      }
    }
    areStored.notify(on: context.background) { areStored in
      guard context.replica.lease?.term == term else { return body(.fenced) }
      guard context.replica.maySayWhatIsTold else { return body(.fenced) }
      body(areStored ? nil : .unreadable)
    }
  }

  // MARK: Between replicas

  /// Has the replica that asks the sources show an edit.
  ///
  /// - Parameter completion: when it is shown here too, on any queue.
  func showElsewhere(
    _ edit: HandedEdit,
    attempts: Int = 10,
    _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void
  ) {
    context.replica.askLeader(.show(edit)) { outcome in
      guard case .success(let row) = outcome else { return completion(outcome) }
      writer.lookForNews(attempts: TableWriter.attemptsToRead) { isRead in
        guard isRead else { return completion(.failure(TableError(.unreadable))) }
        // One that is too long to be told is shown by what the upstream says, where that does not fail.
        let hasFailed = content.access { $0.inputs.count == 1 } && versions.current.table.state == .stale
        if edit.text == nil, hasFailed {
          guard attempts > 1 else { return completion(.failure(TableError(.unreadable))) }
          return content.queue.asyncAfter(deadline: .now() + PolledSource.pause) {
            showElsewhere(edit, attempts: attempts - 1, completion)
          }
        }
        // The item in the fetched answer, where the edit was too long to be told.
        let named = edit.item.flatMap { item in content.access { $0.identity(of: item, from: edit.source) } }
        completion(.success(edit.edit.row ?? row ?? named))
      }
    }
  }

  /// Shows an edit that was sent to the upstream by another replica. On any queue.
  ///
  /// - Parameter completion: when it is stored, on any queue.
  func show(_ edit: HandedEdit, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) {
    context.client.queue.async {
      let owner = writer.table.withLock { $0.value }
      // By another configuration than that of who has sent it, it may have another name.
      guard let owner, let source = owner.sources.first(where: { $0.name == edit.source }) else {
        return completion(.failure(TableError(.unreadable)))
      }
      show(from: source, of: owner) { outcome in
        switch outcome {
        case .success(let shown): completion(.success(shown.row))
        case .failure(let error): completion(.failure(TableError(error)))
        }
      } apply: { [versions, name] content in
        content.refreshResult(named: name)
        // Where the row has moved on meanwhile, the fetched answer counts.
        let request = EditRequest([edit.edit], caller: CallerFields([]))
        let plan = try? ForwardingPlan(request, content, table: versions.latest.table, named: name)
        guard let plan, plan.source == edit.source, edit.before.map({ $0 == plan.itemDigest }) ?? true else {
          return .awaitsRefresh(row: edit.edit.row)
        }
        let identity = plan.countedIdentity(edit.item, in: content)
        if let identity { _ = source.accept(plan.change, of: identity, sentAt: source.acceptedCount) }
        return plan.apply(edit.item, sent: nil, to: &content, named: name)
      }
    }
  }

  /// Has a source asked anew, whose upstream has just taken an edit. Where another table has come in this one's place
  /// meanwhile, or another source in that one's, it is asked too. On the queue of the sources.
  ///
  /// - Parameters:
  ///   - owner: the table that this one writes for.
  ///   - completion: given who shows what it says, and whether it has answered: one that fails may not, and a process that ends asks no
  ///     more. On that one's queue.
  func refreshAfterChange(
    _ source: PolledSource,
    of owner: LiveTable,
    _ completion: @escaping @Sendable (TableWriter, _ isAnswered: Bool) -> Void
  ) {
    // A fetch under way may bring an answer from before the edit: it is not waited for.
    let source = source.latest
    source.showChange { isAnswered in
      writer.whenDecided {
        // Until then some tables are fed by this source, and some by the one in its place.
        context.adoptions.whenDone { _ in
          let shown = owner.present
          let next = shown.sources.first { $0.name == source.name }
          // A table that has just come may have been told what the source said before.
          if let next, next !== source || shown !== owner {
            context.client.queue.async {
              AcceptedEdits(writer: shown.writer).refreshAfterChange(next, of: shown, completion)
            }
          } else if shown === owner {
            content.queue.async { completion(writer, isAnswered) }
          } else {
            shown.writer.whenShownInPlace { completion($0, true) }
          }
        }
      }
    }
  }
}
