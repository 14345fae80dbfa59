import Dispatch
import HTTPServer
import Synchronization
import TableEngine

/// Requests that would hold up the other connections of an event loop: those with large bodies, and for long lists.
///
/// They are answered on queues of their own, in turns: of each client the first one, then of each the second. No more
/// than ``atOnce`` are in hand, whatever comes, so that making something of them takes a bounded amount of memory.
final class LongRequests: Sendable {
  /// In bytes: a smaller body is parsed in less time than it takes to hand it to another thread and back.
  static let largeBody = 32 << 10
  static let atOnce = 2

  private let state = Mutex(State())

  private struct State {
    var turns = ReplyTurns()
    /// The queues without work.
    var idle = (0..<LongRequests.atOnce).map { DispatchQueue(label: "tablecast.requests.\($0)") }
  }

  /// Answers a request when its turn has come.
  func answer(_ exchange: Exchange, _ make: @escaping @Sendable () -> Reply) -> Reply {
    perform(for: exchange.asker.share) { exchange.finish(make()) }
    return .later
  }

  /// Does a client's work when its turn has come.
  ///
  /// - Parameter share: as ``Asker/share``.
  func perform(for share: UInt64, _ work: @escaping @Sendable () -> Void) {
    let queue = state.withLock { state -> DispatchQueue? in
      // Also where nobody waits for it any more: what is dropped under the lock may free what takes the lock.
      _ = state.turns.add(ReplyTurns.Job(isWanted: { true }, make: work), of: share)
      return state.idle.popLast()
    }
    guard let queue else { return }
    queue.async { [self] in
      while let job = next(queue) { job.make() }
    }
  }

  /// The next job; nil where none is left: the queue rests.
  private func next(_ queue: DispatchQueue) -> ReplyTurns.Job? {
    state.withLock { state in
      if let job = state.turns.next() { return job }
      state.idle.append(queue)
      return nil
    }
  }
}

extension RouteMatch {
  /// Returns whether a request with a body of so many bytes is for ``LongRequests``.
  func isLong(bodyCount: Int) -> Bool {
    guard bodyCount >= LongRequests.largeBody, let operation = try? operation.get() else { return false }
    return operation.takesContent
  }
}

extension Route {
  /// Returns the bytes of memory for each one of a request's body. An edit is kept as values until its upstream has
  /// answered: they take 3 bytes (a text) to 13 (`0,`) for each one.
  func weight(of request: Request) -> Int { changesItems(request) ? 8 : 1 }
}
