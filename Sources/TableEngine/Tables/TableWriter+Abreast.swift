import Dispatch
package import TableModel
import TableStore

/// Coming abreast of the store, before something is said that another replica's writing may have changed: what is heard
/// of that comes some milliseconds later.
extension TableWriter {
  /// So long may the store take to say where a table stands, and to be read. Beyond that, what is known counts.
  private static let patience = DispatchTimeInterval.milliseconds(1000)

  /// So often is what a look has found to be missing read, where own commits are in the way.
  private static let attempts = 4

  /// Others may write to the table.
  var isShared: Bool { isStored && context.replica.isShared }

  /// Has readers see all that was committed before this call, by whichever replica. On any queue.
  ///
  /// - Parameter completion: On the table's queue: false where the store could not be read.
  func comeAbreast(_ completion: @escaping StoreLooks.Completion) {
    content.queue.async { [self] in
      guard isShared else { return completion(true) }
      if content.access({ $0.looks.ask(completion) }) { look() }
    }
  }

  /// So often is the store looked at for what another replica has said that it is there.
  static let attemptsToRead = 10

  /// The same, tried again where the store can't be read.
  func comeAbreast(attempts: Int, _ completion: @escaping StoreLooks.Completion) {
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
    let number = content.access { $0.looks.number }
    content.queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.endLook(number, isRead: false) }
    context.store.revision(of: storedName) { [self] result in
      content.queue.async { [self] in
        switch result {
        case .failure: endLook(number, isRead: false)
        case .success(let revision): reach(revision, look: number, attempts: Self.attempts)
        }
      }
    }
  }

  /// Goes on until a revision, or a later one, can be seen.
  ///
  /// - Parameter lost: what was read of the store once, and is no longer there: the database is an older one.
  private func reach(_ revision: Revision?, look number: UInt64, attempts: Int, lost: Revision? = nil) {
    let again: @Sendable () -> Void = { [self] in reach(revision, look: number, attempts: attempts - 1, lost: lost) }
    // With something of its own under way, what others wrote shows when that comes back.
    if content.access({ $0.commits.follow(again, undone: again) }) { return }
    guard let revision, let base = content.access({ $0.base }), base != revision else {
      return endLook(number, isRead: true)
    }
    guard attempts > 0 else { return endLook(number, isRead: false) }
    if base.number > revision.number, base != lost {
      // Where something was lost it is read anew by now.
      return lost == nil ? confirm(base, look: number, attempts: attempts - 1) : endLook(number, isRead: true)
    }
    catchUp()
    if !content.access({ $0.commits.follow(again, undone: again) }) { endLook(number, isRead: false) }
  }

  /// What was read since a look began may be newer than what that has found. Where the store is still behind it now, it has lost
  /// what it had.
  private func confirm(_ base: Revision, look number: UInt64, attempts: Int) {
    context.store.revision(of: storedName) { [self] result in
      content.queue.async { [self] in
        switch result {
        case .failure: endLook(number, isRead: false)
        case .success(let revision):
          let isLost = revision.map { $0.number < base.number } ?? false
          reach(revision, look: number, attempts: attempts, lost: isLost ? base : nil)
        }
      }
    }
  }

  private func endLook(_ number: UInt64, isRead: Bool) {
    let (told, begins) = content.access { $0.looks.end(number) }
    if !told.isEmpty { context.replica.isCut = !isRead }
    if isRead { reader.noteLook() }
    for completion in told { completion(isRead) }
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

extension LiveTable {
  /// Others may write to the table, and can be heard.
  package var mayBeBehind: Bool { writer.isShared && !context.replica.isCut }

  /// Whether only the store can tell what a reader is to be answered: the table is shared, and the request asks for what
  /// there is now, or stands where this replica has not come yet. O(toggles).
  package func isBehind(_ request: LensRequest, after: Cursor?) -> Bool {
    guard mayBeBehind else { return false }
    guard let after else { return true }
    return reader.isAhead(after, view: request.view)
  }

  /// Reads what other replicas have written, in a view too. `completion` is called on any queue, after a second at most.
  package func comeAbreast(view: String?, _ completion: @escaping @Sendable () -> Void) {
    writer.comeAbreast { [self] isRead in
      guard isRead, let view else { return completion() }
      context.views.read(view, table: current.cursor.epoch) { _ in completion() }
    }
  }
}
