import Logging
import Queues
import Synchronization
import TableEncoding
import TableModel
import TableStore

/// Clients' changes: of items by edits, of rows by taps.
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
    // A request is the same in all languages.
    if let original { request.preconditions.idempotency?.table = original.answersName }
    if let log = writer.log {
      // A refused authority ends the edit before its key is looked up.
      if case .callersCredentials(let error) = request.authority { return completion(.failure(error)) }
      writer.editsAhead.add(1, ordering: .relaxed)
      return writer.content.queue.async { [writer, request] in
        writer.editsAhead.subtract(1, ordering: .relaxed)
        ChangeRun(ItemChange(writer: writer, log: log, request: request), completion).begin()
      }
    }
    let change = UpstreamChange(writer: writer, original: original ?? writer, request: request)
    let looksFirst = request.preconditions.condition != nil || request.edits.contains(where: \.isPut)
    guard looksFirst, writer.needsReadBarrier else { return writer.change(change, completion) }
    // A version that is not known here yet, or not shown, may be newer than the one that the condition names, or have the row that is to be
    // added. Where nobody can tell, the edit is not sent.
    writer.readBarrier { [writer] found in
      found != .late ? writer.change(change, completion) : completion(.failure(.notStoredForNow))
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
          "milliseconds": "\(elapsed.milliseconds)",
        ]
      )
      completion(outcome)
    }
  }

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
    let holder = caller.viewHolder
    // A toggle for everyone is the same in all languages.
    if let original, lens.view == nil { preconditions.idempotency?.table = original.answersName }
    let tap = RowTap(
      writer: writer,
      original: original ?? writer,
      row: row,
      lens: lens,
      preconditions: preconditions,
      holder: holder
    )
    writer.change(tap) { [self] outcome in
      switch outcome {
      case .failure(let error): completion(.failure(error))
      case .success(let done) where done.isRepeated && writer.isShared:
        whenKnownHere(lens.view, completion) { [self] in
          describe(row, lens, done.cursor, holder, completion)
        }
      case .success(let done):
        // The present cursor shows this process's earlier changes, too; the kept one may be of a time before it started.
        let isKnownHere = done.isRepeated && !context.replica.isShared
        describe(row, lens, isKnownHere ? reader.cursor(current, lens) : done.cursor, holder, completion)
      }
    }
  }

  /// Calls `body` when what another replica may have done is known here.
  private func whenKnownHere(
    _ view: String?,
    _ completion: @escaping @Sendable (Result<TapAnswer, TableError>) -> Void,
    _ body: @escaping @Sendable () -> Void
  ) {
    readBarrier(view: view) { outcome, _ in
      if outcome == .read { body() } else { completion(.failure(TableError(.unreadable))) }
    }
  }

  /// Describes a row that was tapped, as it is now. `completion` is called on any queue.
  private func describe(
    _ id: String,
    _ lens: Lens,
    _ tapped: Cursor,
    _ holder: ViewHolder,
    _ completion: @escaping @Sendable (Result<TapAnswer, TableError>) -> Void
  ) {
    writer.content.queue.async { [self] in
      let object = writer.content.access { content in
        content.refreshResult(named: name)
        defer { content.letGoOfPart() }
        return content.object(id)?.bytes
      }
      // The row is shown whether it lies in the client's window or not.
      let asker = ReplyAsker(share: holder.rawValue)
      let lens = Lens(appearance: lens.appearance, view: lens.view)
      reader.read(lens, for: asker, at: { $0.indexPath(of: id) }) { shown in
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
