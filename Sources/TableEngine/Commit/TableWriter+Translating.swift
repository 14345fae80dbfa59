import Queues
import Synchronization
import TableModel
import TableStore

/// A table in several languages: the original takes in what sources say; each translation follows it, and publishes versions of
/// its own, which are stored where the original's are. What is represented is kept by the original alone, which also has edits of an
/// upstream's items sent, as those are the same in all languages. What may be done to them is said by the table that the client sees.
extension TableWriter {
  /// Has the translations follow. On the table's queue, whenever what may be shown has changed.
  ///
  /// - Parameter publishing: false where another replica will show what comes of it.
  func updateTranslations(publishing: Bool = true) {
    let translators = translators.withLock { $0 }
    guard !translators.isEmpty else { return }
    let original = content.access { $0 }
    // Commits on their way to the store are not shown yet.
    let own = isStored ? original.durable : original.own
    let version = versions.current.cursor
    for translator in translators {
      translator.follow(publishing: publishing) { $0.translate(original, own: own, at: version) }
    }
  }

  /// Takes over what the original has, and shows what comes of it.
  private func follow(publishing: Bool, _ take: @escaping @Sendable (inout TableContent) -> Void) {
    following.add(1, ordering: .acquiringAndReleasing)
    content.queue.async { [self] in
      content.access { take(&$0) }
      guard publishing else {
        content.access { ($0.isResultOld, $0.storedOriginal) = (true, $0.original) }
        following.subtract(1, ordering: .acquiringAndReleasing)
        return
      }
      publishContent { [self] error in followed(error) }
    }
  }

  /// Calls `body` on the table's queue when all that the original has shared so far is shown, or could not be stored.
  func afterFollowing(_ body: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in follow(body, attempts: Self.attemptsToFollow) }
  }

  /// What somebody else's version came in the way of is laid out anew, and what waits until nothing is under way has its turn
  /// before: both are waited for, too, unless others are never done.
  private func follow(_ body: @escaping @Sendable () -> Void, attempts: Int) {
    let again: @Sendable () -> Void = { [self] in follow(body, attempts: attempts - 1) }
    guard attempts > 0 else { return body() }
    let isWaiting = content.access { content in
      content.commits.enqueueIfBlocked(again) || content.commits.whenStored(body, undone: again)
    }
    if !isWaiting { body() }
  }

  private static let attemptsToFollow = 20

  /// The same, where another replica may be the one that shows it.
  func afterShowing(_ body: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in
      guard isShared, !context.replica.isLeading, !followsItems else { return afterFollowing(body) }
      lookForNews(attempts: Self.attemptsToRead) { _ in body() }
    }
  }

  // MARK: Requests of those who see a translation

  /// Gives the terms of a request in the original's versions: a client's condition names the newest stored version of this table, and
  /// stands for the one that this is of. The original compares that once more at its turn: what it has done meanwhile counts. What
  /// does not hold by what is known here may do so by what is on its way, or by what another replica has stored. On the table's queue.
  func translate(_ preconditions: EditPreconditions, _ body: @escaping @Sendable (EditPreconditions) -> Void) {
    guard let condition = preconditions.condition, condition != .any else { return body(preconditions) }
    let judge: @Sendable () -> Void = { [self] in
      let isMet = condition.holds(for: versions.current.cursor)
      var preconditions = preconditions
      preconditions.condition = .oneOf(isMet ? content.access { $0.storedOriginal }.map { [$0] } ?? [] : [])
      body(preconditions)
    }
    guard needsReadBarrier else { return judge() }
    readBarrier { [content] _ in content.queue.async(execute: judge) }
  }

  /// Gives the snapshot on which the original is to plan an edit, and the request in terms of the original. On the table's queue.
  func translate(_ request: EditRequest, _ body: @escaping @Sendable (EditSnapshot, EditRequest) -> Void) {
    translate(request.preconditions) { [self] preconditions in
      var request = request
      request.preconditions = preconditions
      body(snapshot, request)
    }
  }

  /// Answers a request that the original has carried out, with a version of this table that has it; a repeat as the first one was.
  func answer(
    _ request: EditRequest,
    as outcome: EditResult,
    of other: TableWriter,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    guard case .success(let done) = outcome, done.cursor.epoch == other.versions.current.cursor.epoch else {
      return completion(outcome)
    }
    whenShown(isElsewhere: done.isRepeated) { shown in
      let cursor = shown.reader.cursor(shown.versions.current, request.lens)
      let answer = EditResult.success(
        EditAnswer(cursor: cursor, rows: done.rows, hasReplaced: done.hasReplaced, unfit: done.unfit)
      )
      // Answers kept by earlier releases have the original's cursor.
      shown.remember(answer, for: request.preconditions.idempotency) { completion(answer) }
    }
  }

  /// Gives the table whose current version has an edit that was carried out, on its queue: another one where a configuration that
  /// was read meanwhile has put that in this one's place. On the table's queue.
  ///
  /// - Parameter isElsewhere: the edit may have come to another replica.
  private func whenShown(isElsewhere: Bool, _ body: @escaping @Sendable (TableWriter) -> Void) {
    guard !content.access({ $0.gate.isClosed }) else {
      return whenDecided { [self] in
        let shown = table.withLock { $0.value }?.present.writer ?? self
        shown.afterFollowing { body(shown) }
      }
    }
    guard isElsewhere, needsReadBarrier else { return body(self) }
    readBarrier { [self] _ in content.queue.async { [self] in body(self) } }
  }
}
