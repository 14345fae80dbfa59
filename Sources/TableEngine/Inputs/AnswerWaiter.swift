import Synchronization

/// Somebody who waits until an upstream has answered, but not for ever.
final class AnswerWaiter: Sendable {
  private let isOver = Atomic(false)
  private let completion: @Sendable (_ isAnswered: Bool) -> Void

  init(_ completion: @escaping @Sendable (_ isAnswered: Bool) -> Void) { self.completion = completion }

  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// The first time counts.
  func end(isAnswered: Bool) {
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { completion(isAnswered) }
  }
}
