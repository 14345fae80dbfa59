import Definitions
import Queues
import Synchronization
import TableEncoding
import TableModel
import TableStore

extension LiveTable {
  /// `didSelectRow`: an expandable row toggles, for its view or, where the table says so, for everyone.
  package func tap(
    _ row: String,
    _ lens: Lens,
    _ preconditions: EditPreconditions,
    _ caller: CallerFields,
    _ completion: @escaping @Sendable (Result<TapAnswer, TableError>) -> Void
  ) {
    var preconditions = preconditions
    preconditions.idempotency?.caller = caller.name(forwarding: forwards)
    guard let original, lens.view == nil else {
      return writer.tap(row, lens, preconditions, caller.viewHolder, completion)
    }
    // A toggle for everyone counts in all languages.
    writer.content.queue.async { [self, preconditions] in
      writer.translate(preconditions) { [self] preconditions in
        original.tap(row, lens, preconditions, caller.viewHolder) { [self] outcome in
          writer.afterFollowing { [self] in
            guard case .success = outcome else { return completion(outcome) }
            writer.describe(row, lens, reader.cursor(current, lens), caller.viewHolder, completion)
          }
        }
      }
    }
  }
}

extension TableWriter {
  fileprivate func tap(
    _ row: String,
    _ lens: Lens,
    _ preconditions: EditPreconditions,
    _ holder: ViewHolder,
    _ completion: @escaping @Sendable (Result<TapAnswer, TableError>) -> Void
  ) {
    // Only the fact of a tap is kept: a repeat gets the row and its object as they are then.
    let answer: @Sendable (EditResult) -> Void = { [self] outcome in
      switch outcome {
      case .failure(let error): completion(.failure(error))
      case .success(let done) where done.isRepeated && isShared:
        // Another replica may have done it, and it may not be known here yet.
        readBarrier(view: lens.view) { [self] outcome in
          guard outcome == .read else { return completion(.failure(TableError(.unreadable))) }
          describe(row, lens, done.cursor, holder, completion)
        }
      case .success(let done): describe(row, lens, done.cursor, holder, completion)
      }
    }
    content.queue.async { [self] in
      answeredOnce(preconditions.idempotency, claiming: Self.tapClaim, answer) { [self] answerAll in
        let toggled: @Sendable (Toggled) -> Void = { [self] toggled in
          content.queue.async { [self] in
            let outcome: EditResult
            switch toggled {
            case .refused(let error): outcome = .failure(error)
            case .stored(let answer): return answerAll(.success(answer))
            case .shown: outcome = .success(EditAnswer(cursor: reader.cursor(versions.current, lens), rows: [row]))
            }
            remember(outcome, for: preconditions.idempotency) { answerAll(outcome) }
          }
        }
        attempt(row, lens, preconditions, holder, isUpToDate: false, toggled)
      }
    }
  }

  /// The outcome of a tap.
  private enum Toggled: Sendable {
    case refused(TableError)
    case shown
    /// With its answer, where a repeat is told from it.
    case stored(EditAnswer)
  }

  /// Does what a tap does; what refuses it may be undone, or another replica may have taken it away. On the table's queue.
  private func attempt(
    _ row: String,
    _ lens: Lens,
    _ preconditions: EditPreconditions,
    _ holder: ViewHolder,
    isUpToDate: Bool,
    _ completion: @escaping @Sendable (Toggled) -> Void
  ) {
    let again: @Sendable (Bool) -> Void = { [self] isUpToDate in
      attempt(row, lens, preconditions, holder, isUpToDate: isUpToDate, completion)
    }
    toggle(row, lens, preconditions, holder) { [self] outcome in
      content.queue.async { [self] in
        // A refusal by the store is no judgement.
        guard case .refused(let error) = outcome, error.isOfContent else { return completion(outcome) }
        refuse(error, isUpToDate: isUpToDate, retry: { again(isUpToDate) }, again: { again(true) }) {
          completion(.refused($0))
        }
      }
    }
  }

  /// Does what a tap does; `completion` is given what refuses it. On the table's queue.
  private func toggle(
    _ row: String,
    _ lens: Lens,
    _ preconditions: EditPreconditions,
    _ holder: ViewHolder,
    then completion: @escaping @Sendable (Toggled) -> Void
  ) {
    let latest = versions.latest.table
    guard let path = latest.indexPath(of: row), let plain = latest[at: path] else {
      return completion(.refused(.notFound("The table `\(name)` has no row `\(row)`.")))
    }
    guard plain.permissions.contains(.select) else {
      return completion(.refused(.forbidden("Row `\(row)` can't be selected: its `can.select` is false.")))
    }
    if let error = refusal(of: preconditions) { return completion(.refused(error)) }
    if let view = lens.view {
      guard plain.expansion != nil else { return completion(.shown) }
      guard !isShared else {
        return toggle(row, sharedView: view, lens, holder, preconditions.idempotency, then: completion)
      }
      _ = context.views.tap(plain.key.identity, view: view, table: versions.epoch, by: holder)
      context.wake([context.views.topic(view: view)])
      return completion(.shown)
    }
    guard content.access({ $0.definition.sharedTaps }) else {
      let detail = "A tap is of a view: `?view=` and a token of your choice, one for each screen."
      return completion(.refused(.malformed(detail, field: "view")))
    }
    guard plain.expansion != nil else { return completion(.shown) }
    if let error = context.replica.refusal { return completion(.refused(error)) }
    toggleForEveryone(row, lens, preconditions.idempotency, then: completion)
  }

  /// Toggles a row for a view that follows its client from replica to replica.
  private func toggle(
    _ row: String,
    sharedView view: String,
    _ lens: Lens,
    _ holder: ViewHolder,
    _ idempotency: Idempotency?,
    then completion: @escaping @Sendable (Toggled) -> Void
  ) {
    // The tap and its answer are stored as one: a repeat after a crash in between toggles nothing.
    let version = versions.current
    let answered = Mutex<EditAnswer?>(nil)
    let reply: @Sendable (ViewState) -> TapReply? = { [self] state in
      guard let idempotency else { return nil }
      let answer = EditAnswer(cursor: reader.cursor(version, lens, tapped: state), rows: [row])
      answered.withLock { $0 = answer }
      return StoredReply(idempotency, .success(answer)).map { TapReply(table: answersName, reply: $0) }
    }
    context.views.tap(row: row, sharedView: view, table: versions.epoch, by: holder, answer: reply) {
      [context] result in
      switch result {
      case .failure(let error): completion(.refused(TableError(error)))
      case .success(let tap):
        context.replica.tell(tap)
        context.wake([context.views.topic(view: view)])
        completion(answered.withLock { $0 }.map(Toggled.stored) ?? .shown)
      }
    }
  }

  private func toggleForEveryone(
    _ row: String,
    _ lens: Lens,
    _ idempotency: Idempotency?,
    then completion: @escaping @Sendable (Toggled) -> Void
  ) {
    let retry: @Sendable () -> Void = { [self] in toggleForEveryone(row, lens, idempotency, then: completion) }
    guard !content.access({ $0.commits.enqueueIfBlocked(retry) }) else { return }
    let (change, table) = content.access { content in
      content.refreshResult(named: name)
      let isToggled = content.toggle(row, in: versions.latest.table)
      let change = ToggleChange(row: row, isToggled: isToggled)
      // Where another replica leads, or has shown newer items, only the shown version can be laid out here.
      let isCurrent = content.isMapped && (!isShared || content.isAheadOfStoredInputs())
      return (change, isCurrent ? content.table(named: name) : versions.latest.table.toggling(row))
    }
    let before = versions.latest.number
    // The toggle and its answer are stored as one: a repeat toggles nothing.
    let answer: @Sendable (Version) -> EditAnswer = { [reader] in
      EditAnswer(cursor: reader.cursor($0, lens), rows: [row])
    }
    let reply: @Sendable (Version) -> StoredReply? = { version in
      idempotency.flatMap { StoredReply($0, .success(answer(version))) }
    }
    publish(table, toggles: [change], reply: reply, retry: retry) { [self] error in
      if let error { return completion(.refused(TableError(error))) }
      let isKept = isStored && idempotency != nil && versions.current.number > before
      completion(isKept ? .stored(answer(versions.current)) : .shown)
    }
  }

  fileprivate func describe(
    _ id: String,
    _ lens: Lens,
    _ tapped: Cursor,
    _ holder: ViewHolder,
    _ completion: @escaping @Sendable (Result<TapAnswer, TableError>) -> Void
  ) {
    content.queue.async { [self] in
      let object = content.access { content in
        content.refreshResult(named: name)
        return content.object(id)?.bytes
      }
      // The row is shown whether it lies in the client's window or not.
      let asker = ReplyAsker(share: holder.rawValue)
      reader.read(Lens(cells: lens.cells, view: lens.view), for: asker, at: { $0.indexPath(of: id) }) { shown in
        guard let row = shown?.row else { return completion(.failure(.notFound("Row `\(id)` is gone."))) }
        completion(
          .success(
            TapAnswer(
              cursor: tapped,
              id: id,
              row: row.encoded,
              object: object,
              select: row.select.map { Array(row.encoded[$0]) }
            )
          )
        )
      }
    }
  }
}

extension Table {
  /// With one row toggled. O(rows of its section).
  fileprivate func toggling(_ id: String) -> Table {
    guard let path = indexPath(of: id) else { return self }
    var table = self
    let section = sections[path.section]
    table.sections[path.section] = Section(
      id: section.id,
      header: section.header,
      footer: section.footer,
      rows: section.rows.map { $0.id == id ? $0.toggled() : $0 }
    )
    return table
  }
}
