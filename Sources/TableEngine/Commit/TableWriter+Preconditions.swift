import Dispatch
import JSON
import Logging
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore

/// The terms under which edits and taps are asked for. All on the table's queue.
extension TableWriter {
  /// Returns the refusal of an edit before it is tried: nobody changes this table any more, or `If-Match` names another
  /// version than the one it would be built on.
  func refusal(of preconditions: EditPreconditions) -> TableError? {
    if content.access({ $0.gate.isClosed }) {
      return TableError(.unavailable, detail: "The table `\(name)` is being replaced.", retryAfter: .seconds(1))
    }
    guard let condition = preconditions.condition, !condition.holds(for: versions.latest.cursor) else { return nil }
    return .movedOn
  }

  /// True if answers to requests with a key are kept in the store: for all replicas, and beyond this process. Of a table that
  /// depends on callers' header fields nothing is stored.
  private var keepsAnswers: Bool { isStored || log != nil || !isPrivate }

  /// Carries a request out the first time that it comes with its key. Repeats, also those that come meanwhile, get the
  /// first one's answer, if that was a judgement.
  ///
  /// - Parameter claiming: it is done before its answer can be kept, so no other replica may do it for so long: until
  ///   then whoever has claimed it has done it, or never will.
  func answeredOnce(
    _ idempotency: Idempotency?,
    claiming: Duration? = nil,
    _ completion: @escaping @Sendable (EditResult) -> Void,
    _ carryOut: @escaping @Sendable (@escaping @Sendable (EditResult) -> Void) -> Void
  ) {
    guard let idempotency else { return carryOut(completion) }
    let key = kept(idempotency)
    switch context.repeats.withLock({ $0.join(key, idempotency.content, completion) }) {
    case .first: break
    case .behind: return
    case .reused: return completion(.failure(.keyReused))
    }
    // From here on the answer goes to all who have asked with this key.
    let answerAll: @Sendable (EditResult) -> Void = { [self] outcome in
      content.queue.async { [self] in
        for completion in context.repeats.withLock({ $0.leave(key) }) { completion(outcome) }
      }
    }
    guard keepsAnswers else {
      let known = context.answers.answer(key)
      return known.flatMap { $0.outcome(for: idempotency) }.map(answerAll) ?? carryOut(answerAll)
    }
    if let claiming, context.replica.isShared {
      return claim(idempotency, for: claiming, Self.claimAttempts, answerAll, carryOut)
    }
    context.store.reply(key) { [self] result in
      content.queue.async {
        switch result {
        case .success(let stored): stored.flatMap { $0.outcome(for: idempotency) }.map(answerAll) ?? carryOut(answerAll)
        case .failure(let error): answerAll(.failure(TableError(error)))
        }
      }
    }
  }

  /// Longer than an upstream may take to answer.
  static let forwardingClaim = Duration.seconds(120)
  /// Longer than a tap takes, which is written in the store and nowhere else.
  static let tapClaim = Duration.seconds(5)

  /// So often is asked whether another replica has done it, and at this interval.
  private static let claimAttempts = 100
  private static let claimInterval = DispatchTimeInterval.milliseconds(100)

  /// Carries a request out where no other replica does, and waits for its answer where one does.
  private func claim(
    _ idempotency: Idempotency,
    for lifetime: Duration,
    _ attempts: Int,
    _ answerAll: @escaping @Sendable (EditResult) -> Void,
    _ carryOut: @escaping @Sendable (@escaping @Sendable (EditResult) -> Void) -> Void
  ) {
    let key = kept(idempotency)
    // An outcome that is no judgement is tried again by a caller that repeats it.
    let carryOutOnce: @Sendable () -> Void = { [context] in
      carryOut { outcome in
        guard StoredReply(idempotency, outcome) == nil else { return answerAll(outcome) }
        context.store.disclaim(key) { _ in answerAll(outcome) }
      }
    }
    context.store.claim(key, request: idempotency.content, for: lifetime) { [self] result in
      content.queue.async { [self] in
        switch result {
        case .failure(let error): answerAll(.failure(TableError(error)))
        case .success(.granted): carryOutOnce()
        case .success(.answered(let stored)):
          stored.outcome(for: idempotency).map(answerAll) ?? carryOutOnce()
        case .success(.underWay(let request)) where request != idempotency.content:
          answerAll(.failure(.keyReused))
        case .success(.underWay) where attempts > 1:
          content.queue.asyncAfter(deadline: .now() + Self.claimInterval) { [self] in
            claim(idempotency, for: lifetime, attempts - 1, answerAll, carryOut)
          }
        case .success(.underWay):
          let detail = "Another replica has this request in hand, or had it when it ended: ask again."
          answerAll(.failure(TableError(.unavailable, detail: detail, retryAfter: .seconds(5))))
        }
      }
    }
  }

  /// Returns the key of the answer to a request.
  private func kept(_ idempotency: Idempotency) -> TableStore.ReplyKey {
    TableStore.ReplyKey(
      caller: idempotency.caller,
      table: idempotency.table ?? answersName,
      scope: idempotency.route,
      key: idempotency.key
    )
  }

  /// Tries a request again that lost against another commit; with a key, unless that was the same request, which
  /// another replica was sent too.
  func unlessDone(
    _ idempotency: Idempotency?,
    _ completion: @escaping @Sendable (EditResult) -> Void,
    _ carryOut: @escaping @Sendable () -> Void
  ) {
    guard let idempotency, isStored || log != nil, context.replica.isShared else { return carryOut() }
    context.store.reply(kept(idempotency)) { [self] result in
      content.queue.async {
        switch result {
        case .success(let stored): stored.flatMap { $0.outcome(for: idempotency) }.map(completion) ?? carryOut()
        case .failure(let error): completion(.failure(TableError(error)))
        }
      }
    }
  }

  /// Keeps the answer to an edit, if it is one to be kept. `completion` runs when it is, or can't be.
  func remember(_ outcome: EditResult, of request: EditRequest, then completion: @escaping @Sendable () -> Void) {
    remember(outcome, for: request.keeps(outcome) ? request.preconditions.idempotency : nil, then: completion)
  }

  /// Keeps the answer to what has been done, or judged, without a commit of its own. `completion` runs when it is kept,
  /// or can't be.
  func remember(_ outcome: EditResult, for idempotency: Idempotency?, then completion: @escaping @Sendable () -> Void) {
    guard let idempotency, let reply = StoredReply(idempotency, outcome) else { return completion() }
    guard keepsAnswers else {
      context.answers.remember(reply, table: answersName)
      return completion()
    }
    // For a member nothing is stored but the items that are edited through it.
    var commit = Commit(table: isStored ? storedName : log?.storedName ?? storedName, durability: .full)
    commit.reply = reply
    commit.reply?.table = reply.table ?? answersName
    context.store.commit(commit) { [self] result in
      // Another replica's answer to the same stays.
      if case .failure(let error) = result, error != .superseded {
        context.logger.error("An answer could not be stored", metadata: ["table": "\(name)", "reason": "\(error)"])
      }
      completion()
    }
  }
}

extension TableWriter {
  /// So often is the store looked at for what another replica has said that it is there.
  static let attemptsToRead = 10

  /// Finds out whether what others are to be shown can be stored, before something is begun outside that can't be undone.
  ///
  /// - Parameter completion: why it is not to be begun; nil: it may be. On any queue.
  func whenStoreAnswers(_ completion: @escaping @Sendable (TableError?) -> Void) {
    guard isShared else { return completion(nil) }
    guard context.replica.isReachable else { return completion(.storeUnreachable) }
    context.store.revision(of: storedName) { result in
      if case .failure = result { completion(.storeUnreachable) } else { completion(nil) }
    }
  }

  /// Answers what refuses a request by what is known here; what another replica has written may have taken the reason
  /// away, so it is tried once more on what the store has. On the table's queue.
  ///
  /// - Parameters:
  ///   - isUpToDate: That was done.
  ///   - again: Tries again.
  func reconsider(
    _ error: TableError,
    isUpToDate: Bool,
    again: @escaping @Sendable () -> Void,
    _ answer: @escaping @Sendable (TableError) -> Void
  ) {
    // Other replicas may have written some of a member's items, too.
    let isOthers = isShared || log?.isShared ?? false
    guard isOthers, !isUpToDate, error.isOfContent else { return answer(error) }
    lookForNewsOfInputs { isRead in
      if isRead { again() } else { answer(TableError(.unreadable)) }
    }
  }

  /// The same, when all that it was judged by is stored: the answer is not ahead of what readers see, nor does it stand where that is
  /// undone.
  ///
  /// - Parameter retry: tries again on whatever there is where it is undone.
  func refuse(
    _ error: TableError,
    isUpToDate: Bool,
    retry: @escaping @Sendable () -> Void,
    again: @escaping @Sendable () -> Void,
    _ answer: @escaping @Sendable (TableError) -> Void
  ) {
    reconsider(error, isUpToDate: isUpToDate, again: again) { [self] error in
      if !content.access({ $0.commits.whenStored({ answer(error) }, undone: retry) }) { answer(error) }
    }
  }

  /// Takes over what others have written to the table and to the items that it shows. `completion` is called on the table's queue.
  func lookForNewsOfInputs(_ completion: @escaping @Sendable (_ isRead: Bool) -> Void) {
    let group = DispatchGroup()
    let isRead = Mutex(true)
    for record in logs as [any StoredRecord] + [self] {
      group.enter()
      record.lookForNews { read in
        isRead.withLock { $0 = $0 && read }
        group.leave()
      }
    }
    group.notify(queue: content.queue) { completion(isRead.withLock { $0 }) }
  }
}

extension TableError {
  fileprivate static var storeUnreachable: TableError {
    TableError(
      .unavailable,
      detail: "The database can't be reached: nothing was sent to the upstream.",
      retryAfter: .seconds(1)
    )
  }

  /// With other content it might not be said.
  var isOfContent: Bool {
    switch kind {
    case .unknown, .conflict, .conditionFailed, .impossible, .forbidden, .notAllowed: upstreamStatus == nil
    default: false
    }
  }

  /// The edit is stored, and another replica has to show it.
  static var storedUnseen: TableError {
    TableError(
      .unavailable,
      detail:
        "The edit is stored, but the replica that asks the table's upstreams has not shown it yet: a repeat with the same "
        + "`Idempotency-Key` gets its answer.",
      retryAfter: .seconds(1)
    )
  }

  /// The items that are looked up are older here than those that the table shows.
  static var itemsBehind: TableError {
    TableError(
      .unavailable,
      detail: "What the table looks up has been changed by another replica, and is not known here yet.",
      retryAfter: .seconds(1)
    )
  }
}

extension StoreError {
  /// Nobody can tell what other replicas have written.
  static let unreadable = StoreError.unavailable("the database does not answer")
}

extension TableError {
  /// `If-Match` names another version than the one that an edit would be built on.
  static var movedOn: TableError {
    TableError(
      .conditionFailed,
      detail: "The table has moved on since the version that `If-Match` names. Follow its changes, then decide again.",
      field: "If-Match"
    )
  }
}
