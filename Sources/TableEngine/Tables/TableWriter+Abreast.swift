import Dispatch
import TableModel
import TableStore

/// Coming abreast of the store, before something is said that another replica's writing may have changed: what is heard
/// of that comes some milliseconds later.
extension TableWriter {
  /// So long may the store take to say where a table stands, and to be read.
  static let patienceOfLooks = Duration.seconds(1)
  private static let patience = DispatchTimeInterval.milliseconds(Int(patienceOfLooks.components.seconds) * 1000)

  /// So often is what a look has found to be missing read, where own commits are in the way.
  private static let attempts = 4

  /// Others may write to the table.
  var isShared: Bool { isStored && context.replica.isShared }

  /// Has readers see all versions that were committed before this call, by whichever replica. On any queue.
  ///
  /// - Parameter completion: On the table's queue: false where the store could not be read.
  func comeAbreast(_ completion: @escaping @Sendable (_ isRead: Bool) -> Void) {
    look { completion($0 == .read) }
  }

  /// The same. On any queue.
  ///
  /// - Parameter completion: On the table's queue.
  func look(_ completion: @escaping StoreLooks.Completion) {
    content.queue.async { [self] in
      guard isShared else { return completion(.read) }
      if content.access({ $0.looks.ask(completion) }) { look() }
    }
  }

  /// So often is the store looked at for what another replica has said that it is there.
  static let attemptsToRead = 10

  /// The same, tried again where the store can't be read.
  func comeAbreast(attempts: Int, _ completion: @escaping @Sendable (_ isRead: Bool) -> Void) {
    comeAbreast { [self] isRead in
      guard !isRead, attempts > 1 else { return completion(isRead) }
      content.queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
        comeAbreast(attempts: attempts - 1, completion)
      }
    }
  }

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

  private func look() {
    let (number, known) = content.access { ($0.looks.number, $0.durable.base) }
    let begun = DispatchTime.now()
    content.queue.asyncAfter(deadline: begun + Self.patience) { [weak self] in self?.expire(number, begun: begun) }
    context.store.revision(of: storedName) { [self] result in
      content.queue.async { [self] in
        switch result {
        case .failure(.unavailable): endLook(number, .unreachable)
        case .failure: endLook(number, .late)
        case .success(let revision): reach(revision, since: known, look: number, attempts: Self.attempts)
        }
      }
    }
  }

  /// The time for a look is over. Where the process was stopped meanwhile it is the clock that has moved on: a look begins anew.
  private func expire(_ number: UInt64, begun: DispatchTime) {
    let isStale = DispatchTime.now() > begun + Self.patience + Self.patience
    if isStale, content.access({ $0.looks.beginAnew(number) }) { return look() }
    endLook(number, context.replica.isReachable ? .late : .unreachable)
  }

  /// Goes on until a revision, or a later one, can be seen.
  ///
  /// - Parameter known: what was stored, as far as was known here, when the look began: a store that stands before that has lost
  ///   it.
  private func reach(_ revision: Revision?, since known: Revision?, look number: UInt64, attempts: Int) {
    let again: @Sendable () -> Void = { [self] in reach(revision, since: known, look: number, attempts: attempts - 1) }
    // With something of its own under way, what others wrote shows when that comes back.
    if content.access({ $0.commits.follow(again, undone: again) }) { return }
    let isSetBack = known.map { known in revision.map { $0.number < known.number } ?? false } ?? false
    guard let revision, let base = content.access({ $0.base }), base != revision,
      base.number <= revision.number || isSetBack && base == known
    else { return endLook(number, .read) }
    guard attempts > 0 else { return endLook(number, context.replica.isReachable ? .late : .unreachable) }
    catchUp()
    if !content.access({ $0.commits.follow(again, undone: again) }) { endLook(number, .late) }
  }

  private func endLook(_ number: UInt64, _ outcome: LookOutcome) {
    let (told, begins) = content.access { $0.looks.end(number) }
    guard !told.isEmpty else { return }
    if isShared { context.replica.noteLook(outcome) }
    reader.noteLook(isRead: outcome == .read)
    for completion in told { completion(outcome) }
    if begins { look() }
  }

  /// Answers what refuses a request by what is known here; what another replica has written may have taken the reason
  /// away, so it is tried once more on what the store has. On the table's queue.
  ///
  /// - Parameters:
  ///   - isAbreast: That was done.
  ///   - again: Tries again.
  func reconsider(
    _ error: TableError,
    isAbreast: Bool,
    again: @escaping @Sendable () -> Void,
    _ answer: @escaping @Sendable (TableError) -> Void
  ) {
    guard isShared, !isAbreast, error.isOfContent else { return answer(error) }
    comeAbreast { isRead in
      if isRead { again() } else { answer(TableError(.unreadable)) }
    }
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
  fileprivate var isOfContent: Bool {
    switch kind {
    case .unknown, .conflict, .conditionFailed, .impossible, .forbidden, .notAllowed: upstreamStatus == nil
    default: false
    }
  }
}

extension StoreError {
  /// Nobody can tell what other replicas have written.
  static let unreadable = StoreError.unavailable("the database does not answer")
}
