import Dispatch
import Logging
import TableModel
import TableStore

/// The terms under which edits and taps are asked for. All on the table's queue.
extension TableWriter {
  /// What refuses an edit before it is tried: nobody changes this table any more, or `If-Match` names another version
  /// than the one it would be built on.
  func refusal(of terms: EditTerms) -> TableError? {
    if content.access({ $0.isClosed }) {
      return TableError(.unavailable, detail: "The table `\(name)` is being replaced.", retryAfter: .seconds(1))
    }
    guard let condition = terms.condition, !condition.holds(for: feed.latest.cursor) else { return nil }
    return TableError(
      .conditionFailed,
      detail: "The table has moved on: it is at `\(feed.latest.cursor)`. Follow its changes, then decide again.",
      field: "If-Match"
    )
  }

  /// Carries a request out the first time that it comes with its key. Repeats, also those that come meanwhile, get the
  /// first one's answer, if that was a judgement.
  func once(
    _ idempotency: Idempotency?,
    _ completion: @escaping @Sendable (EditResult) -> Void,
    _ carryOut: @escaping @Sendable (@escaping @Sendable (EditResult) -> Void) -> Void
  ) {
    guard let idempotency else { return carryOut(completion) }
    guard content.access({ $0.repeats.join(idempotency, completion) }) else { return }
    // From here on the answer goes to all who have asked with this key.
    let answerAll: @Sendable (EditResult) -> Void = { [self] outcome in
      content.queue.async { [self] in
        for completion in content.access({ $0.repeats.leave(idempotency) }) { completion(outcome) }
      }
    }
    guard isStored else {
      let known = context.answers.answer(idempotency, table: name)
      return known.flatMap { $0.outcome(for: idempotency) }.map(answerAll) ?? carryOut(answerAll)
    }
    context.store.reply(kept(idempotency)) { [self] result in
      content.queue.async {
        switch result {
        case .success(let stored): stored.flatMap { $0.outcome(for: idempotency) }.map(answerAll) ?? carryOut(answerAll)
        case .failure(let error): answerAll(.failure(TableError(error)))
        }
      }
    }
  }

  /// What the store keeps the answer to a request under.
  private func kept(_ idempotency: Idempotency) -> TableStore.ReplyKey {
    TableStore.ReplyKey(caller: idempotency.caller, table: storedName, scope: idempotency.route, key: idempotency.key)
  }

  /// Tries a request again that lost against another commit; with a key, unless that was the same request, which
  /// another replica was sent too.
  func unlessDone(
    _ idempotency: Idempotency?,
    _ completion: @escaping @Sendable (EditResult) -> Void,
    _ carryOut: @escaping @Sendable () -> Void
  ) {
    guard let idempotency, isStored, context.replica.isShared else { return carryOut() }
    context.store.reply(kept(idempotency)) { [self] result in
      content.queue.async {
        switch result {
        case .success(let stored): stored.flatMap { $0.outcome(for: idempotency) }.map(completion) ?? carryOut()
        case .failure(let error): completion(.failure(TableError(error)))
        }
      }
    }
  }

  /// Keeps the answer to what has been done, or judged, without a commit of its own. `completion` runs when it is kept,
  /// or can't be.
  func remember(_ outcome: EditResult, for idempotency: Idempotency?, then completion: @escaping @Sendable () -> Void) {
    guard let idempotency, let reply = StoredReply(idempotency, outcome) else { return completion() }
    guard isStored else {
      context.answers.remember(reply, of: idempotency.caller, table: name)
      return completion()
    }
    var commit = Commit(table: storedName, durability: .full)
    commit.reply = reply
    context.store.commit(commit) { [self] result in
      // Another replica's answer to the same stays.
      if case .failure(let error) = result, error != .superseded {
        context.logger.error("An answer could not be stored", metadata: ["table": "\(name)", "reason": "\(error)"])
      }
      completion()
    }
  }
}
