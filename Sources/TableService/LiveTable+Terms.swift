import Dispatch
import HTTPServer
import Logging
import TableModel
import TableStore

/// The terms under which edits and taps are asked for. All on the table's queue.
extension LiveTable {
  /// What refuses an edit before it is tried: `If-Match` names another version than the one it would be built on.
  func refusal(of terms: EditTerms) -> ServiceError? {
    guard let condition = terms.condition, !names(latest: condition) else { return nil }
    return ServiceError(
      status: .preconditionFailed,
      detail: "The table has moved on: it is at `\(feed.latest.cursor)`. Follow its changes, then decide again.",
      field: "If-Match"
    )
  }

  private func names(latest condition: EntityTagCondition) -> Bool {
    switch condition {
    case .any: true
    case .tags(let tags): tags.contains { !$0.isWeak && namesLatest($0.opaque) }
    }
  }

  /// Whether an entity tag is of the latest version, in whatever form the client has that: behind the cursor, the
  /// table's or a view's, may stand the content coding and the accepted cells.
  private func namesLatest(_ tag: String) -> Bool {
    guard let cursor = Cursor(String(tag.prefix { $0 != "-" && $0 != ";" })) else { return false }
    let latest = feed.latest
    return cursor == latest.cursor
      || cursor.epoch != feed.epoch && context.views.version(of: cursor, table: feed.epoch) == latest.number
  }

  /// Carries a request out the first time that it comes with its key; repeats, also those that come meanwhile, get
  /// the first one's answer.
  func once(
    _ idempotency: Idempotency?,
    _ completion: @escaping @Sendable (Response) -> Void,
    _ carryOut: @escaping @Sendable (@escaping @Sendable (Response) -> Void) -> Void
  ) {
    guard let idempotency else { return carryOut(completion) }
    let isFirst = content.access { $0.repeats.join(idempotency, completion) }
    guard isFirst else { return }
    // From here on the answer goes to all who have asked with this key.
    let answerAll: @Sendable (Response) -> Void = { [self] response in
      content.queue.async { [self] in
        for completion in content.access({ $0.repeats.leave(idempotency) }) { completion(response) }
      }
    }
    if let known = content.access({ $0.repeats.answer(to: idempotency) }) { return answerAll(known) }
    context.store.reply(table: name, key: idempotency.key) { [self] result in
      content.queue.async {
        switch result {
        case .success(let stored?): answerAll(stored.answer(to: idempotency))
        case .success(nil): carryOut(answerAll)
        case .failure(let error): answerAll(ServiceError(error).response)
        }
      }
    }
  }

  /// Keeps the answer to what has been done already, for repeats. `completion` runs when it is kept, or can't be.
  ///
  /// - Parameter inStore: also for repeats after a restart, where the table is stored at all.
  func remember(
    _ response: Response,
    for idempotency: Idempotency,
    inStore: Bool,
    then completion: @escaping @Sendable () -> Void
  ) {
    let reply = StoredReply(idempotency, response)
    guard inStore, isStored else {
      content.access { $0.repeats.remember(reply) }
      return completion()
    }
    var commit = Commit(table: name, durability: .full)
    commit.reply = reply
    context.store.commit(commit) { [self] result in
      if case .failure(let error) = result {
        context.logger.error("An answer could not be stored", metadata: ["table": "\(name)", "reason": "\(error)"])
      }
      completion()
    }
  }
}
