import Definitions
import Dispatch
import Logging
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
    guard let original else { return writer.perform(request, completion) }
    // Items are the same in all languages, so that the original's writer alone changes them. What may be done to them is said
    // by the table that the client sees.
    request.preconditions.idempotency?.table = original.storedName
    writer.content.queue.async { [self, request] in
      writer.asGuest(request) { [self] guest, own in
        original.perform(own, as: guest) { [self] outcome in
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
  fileprivate func perform(
    _ request: EditRequest,
    as guest: Guest? = nil,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    if let keeper { edit(request, as: guest, keptBy: keeper, completion) } else { edit(request, as: guest, completion) }
  }

  /// - Parameter guest: the table that the client edits, where that shows this one's items.
  func edit(
    _ request: EditRequest,
    as guest: Guest? = nil,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    editsAhead.add(1, ordering: .relaxed)
    content.queue.async { [self] in
      editsAhead.subtract(1, ordering: .relaxed)
      // What nobody allows is refused before its key is looked up.
      if case .callersCredentials(let error) = request.authority, content.access({ $0.local != nil }) {
        return completion(.failure(error))
      }
      // A local table's answer is kept in the commit itself.
      let claiming = content.access { $0.local == nil ? Self.forwardingClaim : nil }
      let begin: @Sendable () -> Void = { [self] in
        answeredOnce(request.preconditions.idempotency, claiming: claiming, completion) { [self] in
          carryOut(request, as: guest, $0)
        }
      }
      guard claiming != nil, isShared else { return begin() }
      // What the upstream has done can't be taken back where it can't be shown.
      whenStoreAnswers { [self] error in
        if let error { completion(.failure(error)) } else { content.queue.async(execute: begin) }
      }
    }
  }

  /// - Parameter isAbreast: nothing that another replica has written is unknown here.
  private func carryOut(
    _ request: EditRequest,
    as guest: Guest?,
    isAbreast: Bool = false,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    let retry: @Sendable () -> Void = { [self] in
      unlessDone(request.preconditions.idempotency, completion) { [self] in
        carryOut(request, as: guest, isAbreast: isAbreast, completion)
      }
    }
    // Nothing is built on what is about to be undone, and nobody overtakes those who wait.
    guard !content.access({ $0.commits.holdsBack(retry) }) else { return }
    // What refuses an edit may not be stored yet: the answer must not be ahead of what readers see, nor stand
    // where it is undone.
    let again: @Sendable () -> Void = { [self] in
      carryOut(request, as: guest, isAbreast: true, completion)
    }
    let refuse: @Sendable (TableError) -> Void = { [self] error in
      reconsider(error, isAbreast: isAbreast, again: again) { [self] error in
        let answer: @Sendable () -> Void = { [self] in
          remember(.failure(error), of: request) { completion(.failure(error)) }
        }
        if !content.access({ $0.commits.follow(answer, undone: retry) }) { answer() }
      }
    }
    let items = content.access { $0.local?.items }
    if let error = guest?.refusal(on: items) ?? refusal(of: request.preconditions) { return refuse(error) }
    guard content.access({ $0.local != nil }) else {
      return forward(request, as: guest, isAbreast: isAbreast, again: again, completion)
    }
    if let error = context.replica.refusal { return refuse(error) }
    let edited: EditedTable
    do throws(EditSession.Refusal) {
      edited = try layOut(request.edits, as: guest)
    } catch {
      return refuse(request.isBatch ? error.error.ofEdit(error.edit) : error.error)
    }
    // What changes nothing that is shown has no version to tell that it was built on an edit that failed: it waits
    // for those before it, and those behind wait with it, or there would always be another before it.
    if edited.version == nil, content.access({ $0.commits.waitForAll(retry) }) { return }
    let outcome = EditResult.success(
      EditAnswer(
        cursor: reader.cursor(edited.version ?? feed.latest, request.lens),
        rows: edited.rows,
        hasReplaced: edited.hasReplaced
      )
    )
    var commit = Commit(table: storedName, durability: .full, version: edited.version, items: edited.changes)
    commit.reply = request.preconditions.idempotency.flatMap { StoredReply($0, outcome) }
    content.access { $0 = edited.content }
    // With another edit behind it this one is stored beside that one's laying out, and perhaps both as one.
    let isAlone = editsAhead.load(ordering: .relaxed) == 0
    store(commit, mayBlock: isAlone, retry: retry) { error in
      completion(error.map { .failure(TableError($0)) } ?? outcome)
    }
  }

  /// Lays edits out on all that is under way, and keeps nothing of it yet.
  private func layOut(_ edits: [Edit], as guest: Guest?) throws(EditSession.Refusal) -> EditedTable {
    let latest = feed.latest.table
    content.access { $0.refreshResult(named: name) }
    let current = content.access { $0 }
    let limits = context.current.limits
    var session =
      guest?.session(on: current.local?.items, limits: limits)
      ?? EditSession(current, table: latest, named: name, limits: limits)
    let rows = try session.apply(edits)
    var items = session.content.local?.items ?? .empty
    let changes = items.takeChanges()
    // A guest's session lays the items out as the guest shows them; this table's own content does it here.
    var content: TableContent
    let version: Version?
    if guest == nil {
      version = feed.prepare(session.shared(with: latest))
      content = session.content
      content.local?.items = items
    } else {
      content = current
      content.local?.items = items
      let table = content.table(named: name)
      version = feed.prepare(content.share(table, with: latest))
    }
    return EditedTable(
      content: content,
      version: version,
      changes: changes,
      rows: rows,
      hasReplaced: session.hasReplaced
    )
  }
}

/// What edits make of a table.
private struct EditedTable {
  var content: TableContent
  /// Nil where nothing of it is shown.
  var version: Version?
  var changes: ItemChanges
  /// The rows' identities, an edit each.
  var rows: [String]
  var hasReplaced: Bool
}
