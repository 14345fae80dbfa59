import Synchronization

/// The configurations that an engine takes over, one after the other. While that is done a table may have sources already that do not tell
/// it anything yet.
final class Adoptions: Sendable {
  private struct State {
    var count = 0
    var isUnderWay = false
    var waiting: [@Sendable (Int) -> Void] = []
  }

  private let state = Mutex(State())

  /// How many were taken over so far.
  var count: Int { state.withLock { $0.count } }

  /// Takes one over.
  func perform<Value>(_ body: () async -> Value) async -> Value {
    state.withLock { $0.isUnderWay = true }
    let value = await body()
    let (count, waiting) = state.withLock { state in
      state.count += 1
      state.isUnderWay = false
      defer { state.waiting = [] }
      return (state.count, state.waiting)
    }
    for call in waiting { call(count) }
    return value
  }

  /// Calls `body` with their number when none is under way; at once, or where one is taken over.
  func whenDone(_ body: @escaping @Sendable (Int) -> Void) {
    let count = state.withLock { state -> Int? in
      guard state.isUnderWay else { return state.count }
      state.waiting.append(body)
      return nil
    }
    if let count { body(count) }
  }
}
