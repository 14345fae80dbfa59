import Dispatch
import Logging
import Queues
import Synchronization
import TableModel
import TableStore

/// The answers to a table's requests with an `Idempotency-Key`: each request is carried out once, and its repeats get the first answer,
/// if that was a judgement. Also those that come meanwhile, and those that come to another replica.
struct KeyedAnswers: Sendable {
  /// The table that was asked, as keys name it: the same in all languages.
  let table: String
  /// The record of the store that they are kept with; nil: they are kept in this process alone.
  let record: String?
  let queue: WorkQueue
  let context: EngineContext

  typealias Take = @Sendable (ChangeProgress.Event) -> Void

  /// So often is asked whether another replica has carried a request out, and at this interval.
  private static let claimAttempts = 100
  private static let claimInterval = DispatchTimeInterval.milliseconds(100)

  /// True if a claim holds on other replicas.
  private var isShared: Bool { record != nil && context.replica.isShared }

  /// Joins the requests with the same key that are under way.
  ///
  /// - Parameter completion: gets the answer of the first one.
  func join(_ idempotency: Idempotency, _ completion: @escaping @Sendable (EditResult) -> Void) -> RepeatedEdits.Place {
    context.repeats.withLock { $0.join(key(idempotency), idempotency.content, completion) }
  }

  /// Gives the answer to all who have joined. On any queue.
  ///
  /// - Parameter isClaimed: other replicas wait for it: where it is no judgement, one of them may carry the request out.
  func end(_ idempotency: Idempotency, with outcome: EditResult, isClaimed: Bool) {
    let key = key(idempotency)
    let answerAll: @Sendable () -> Void = { [context, queue] in
      queue.async {
        for completion in context.repeats.withLock({ $0.leave(key) }) { completion(outcome) }
      }
    }
    guard isClaimed, isShared, StoredReply(idempotency, outcome) == nil else { return answerAll() }
    context.store.disclaim(key) { _ in answerAll() }
  }

  /// Looks an answer up, and claims the request where there is none. `take` is called on the queue.
  ///
  /// - Parameter lifetime: so long no other replica may carry it out; nil: it may, and who commits first has.
  func lookUp(_ idempotency: Idempotency, claiming lifetime: Duration?, _ take: @escaping Take) {
    // Answers that no store keeps, and answers to carried out requests that could not be stored.
    let known = Self.event(context.answers.answer(key(idempotency)), idempotency)
    if case .known = known { return take(known) }
    guard record != nil else { return take(.clear) }
    if let lifetime, isShared { return claim(idempotency, for: lifetime, Self.claimAttempts, take) }
    context.store.reply(key(idempotency)) { [queue] result in
      queue.async {
        switch result {
        case .success(let stored): take(Self.event(stored, idempotency))
        case .failure(let error): take(.failed(TableError(error)))
        }
      }
    }
  }

  private static func event(_ stored: StoredReply?, _ idempotency: Idempotency) -> ChangeProgress.Event {
    stored.flatMap { $0.outcome(for: idempotency) }.map { .known($0) } ?? .clear
  }

  /// - Parameter attempts: so often may still be asked, with this time.
  private func claim(_ idempotency: Idempotency, for lifetime: Duration, _ attempts: Int, _ take: @escaping Take) {
    context.store.claim(key(idempotency), request: idempotency.content, for: lifetime) { [self] result in
      queue.async { [self] in
        guard let event = Self.event(after: result, idempotency, isLast: attempts == 1) else {
          return queue.asyncAfter(deadline: .now() + Self.claimInterval) { [self] in
            claim(idempotency, for: lifetime, attempts - 1, take)
          }
        }
        take(event)
      }
    }
  }

  /// Returns what follows for a request from what the store says of its claim; nil: another replica has it in hand, and is waited
  /// for.
  ///
  /// - Parameter isLast: It was asked often enough.
  static func event(
    after claim: Result<ReplyClaim, StoreError>,
    _ idempotency: Idempotency,
    isLast: Bool
  ) -> ChangeProgress.Event? {
    switch claim {
    case .failure(let error): .failed(TableError(error))
    case .success(.granted): .clear
    case .success(.answered(let stored)): event(stored, idempotency)
    case .success(.underWay(let request)) where request != idempotency.content: .failed(.keyReused)
    case .success(.underWay): isLast ? .failed(.inOtherHands) : nil
    }
  }

  /// Keeps the answer to what has been done, or judged, without a commit of its own. A judgement that can't be stored is none: a
  /// repeat might get another one. What has been done stays so, and its answer is kept for as long as the process lives.
  ///
  /// - Parameter completion: given what is to be answered, when it is kept or can't be. On any queue.
  func remember(
    _ outcome: EditResult,
    for idempotency: Idempotency?,
    then completion: @escaping @Sendable (EditResult) -> Void
  ) {
    guard let idempotency, let reply = StoredReply(idempotency, outcome) else { return completion(outcome) }
    store(reply) { [context, table] error in
      guard let error else { return completion(outcome) }
      guard case .success = outcome else { return completion(.failure(TableError(error))) }
      context.answers.remember(reply, table: table)
      completion(outcome)
    }
  }

  /// Keeps the answer to what has been done or judged, as ``remember(_:for:then:)`` does. Of a refusal another replica may have been
  /// first with the same request, and may have carried it out: then its answer is the one that counts. `take` is called on any queue.
  func keep(_ outcome: EditResult, for idempotency: Idempotency?, _ take: @escaping Take) {
    guard case .failure = outcome, isShared, let idempotency, let reply = StoredReply(idempotency, outcome) else {
      return remember(outcome, for: idempotency) { take(.kept($0)) }
    }
    commit(reply) { [self] error in
      switch error {
      case nil: take(.kept(outcome))
      case .superseded?:
        lookUp(idempotency, claiming: nil) { event in
          if case .clear = event { take(.kept(outcome)) } else { take(event) }
        }
      case let error?: take(.kept(.failure(TableError(error))))
      }
    }
  }

  /// Keeps an answer beside what it is of. `completion` is given why it can't be stored, on any queue.
  func store(_ reply: StoredReply, then completion: @escaping @Sendable (StoreError?) -> Void) {
    // Another replica's answer to the same stays.
    commit(reply) { completion($0 == .superseded ? nil : $0) }
  }

  private func commit(_ reply: StoredReply, _ completion: @escaping @Sendable (StoreError?) -> Void) {
    guard let record else {
      context.answers.remember(reply, table: table)
      return completion(nil)
    }
    var reply = reply
    reply.table = reply.table ?? table
    var commit = Commit(table: record, durability: .full)
    commit.reply = reply
    context.store.commit(commit) { [context, table] result in
      guard case .failure(let error) = result else { return completion(nil) }
      guard error != .superseded else { return completion(error) }
      context.logger.error("An answer could not be stored", metadata: ["table": "\(table)", "reason": "\(error)"])
      completion(error)
    }
  }

  private func key(_ idempotency: Idempotency) -> TableStore.ReplyKey {
    TableStore.ReplyKey(
      caller: idempotency.caller,
      table: idempotency.table ?? table,
      scope: idempotency.route,
      key: idempotency.key
    )
  }
}
