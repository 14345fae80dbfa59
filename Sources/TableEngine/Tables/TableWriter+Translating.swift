import Dispatch
import Synchronization
import TableModel
import TableStore

/// A table in several languages: the original takes in what sources say and what clients edit; each translation follows
/// it, and publishes versions of its own, which are stored where the original's are. What is represented is kept by the
/// original alone.
extension TableWriter {
  /// Has the translations follow. On the table's queue, whenever what may be shown has changed.
  ///
  /// - Parameter publishing: false where another replica will show what comes of it.
  func share(publishing: Bool = true) {
    let isStored = isStored
    // What is on its way to the store is not shown yet.
    let translators = translators.withLock { $0 }
    guard !translators.isEmpty else { return }
    let own = content.access { isStored ? $0.durable : $0.own }
    let (original, version) = (content.access { $0 }, feed.current.cursor)
    for translator in translators { translator.follow(original, own: own, version, publishing: publishing) }
  }

  /// The same, for a table that no source will tell anything.
  func publishAll() { content.queue.sync { share() } }

  private func follow(
    _ original: TableContent,
    own: TableContent.OwnState,
    _ version: Cursor,
    publishing: Bool
  ) {
    follow(publishing: publishing) { [basis] content in
      content.follow(original, own: own)
      basis.access { $0 = version }
    }
  }

  /// Takes over what the original has, and shows what comes of it.
  private func follow(publishing: Bool, _ take: @escaping @Sendable (inout TableContent) -> Void) {
    following.add(1, ordering: .acquiringAndReleasing)
    content.queue.async { [self] in
      content.access { take(&$0) }
      guard publishing else {
        content.access { $0.isResultOld = true }
        share(publishing: false)
        following.subtract(1, ordering: .acquiringAndReleasing)
        return
      }
      publishContent { [self] _ in following.subtract(1, ordering: .acquiringAndReleasing) }
    }
  }

  /// Calls `body` on the table's queue when all that the original has shared so far is shown, or could not be stored.
  func afterFollowing(_ body: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in follow(body, attempts: Self.attemptsToFollow) }
  }

  /// What somebody else's version came in the way of is laid out anew: that is waited for, too, unless others are never done.
  private func follow(_ body: @escaping @Sendable () -> Void, attempts: Int) {
    let again: @Sendable () -> Void = { [self] in follow(body, attempts: attempts - 1) }
    guard attempts > 0, content.access({ $0.commits.follow(body, undone: again) }) else { return body() }
  }

  private static let attemptsToFollow = 20

  /// The same, where another replica may be the one that shows it.
  func afterShowing(_ body: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in
      guard isShared, !context.replica.isLeading, !followsItems else { return afterFollowing(body) }
      comeAbreast(attempts: Self.attemptsToRead) { _ in body() }
    }
  }

  /// The terms in the original's versions: a version of the translation stands for the one that it is of. On the table's
  /// queue.
  func original(of preconditions: EditPreconditions) -> EditPreconditions {
    guard let condition = preconditions.condition, condition != .any else { return preconditions }
    var preconditions = preconditions
    preconditions.condition = .oneOf(
      condition.holds(for: feed.latest.cursor) ? basis.access { $0 }.map { [$0] } ?? [] : []
    )
    return preconditions
  }
}
