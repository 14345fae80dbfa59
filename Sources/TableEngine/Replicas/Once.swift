import Synchronization

/// Something that is done once, however many ask for it.
final class Once: Sendable {
  private let isDone = Atomic(false)
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func run() { if !isDone.exchange(true, ordering: .relaxed) { body() } }
}
