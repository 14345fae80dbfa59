/// When a stream's next message is made: one at a time, each only when the last one has gone, and none forgotten that
/// became due meanwhile. A state machine without I/O; its owner holds a lock around it, as making may be a matter of
/// another queue.
public struct StreamPacing: Sendable {
  /// An action after an event.
  public enum Action: Sendable, Equatable {
    case nothing
    /// Look for something new; `send()` or `rest()` must follow.
    case make
  }

  private enum State {
    /// The reader has all that there was.
    case resting
    /// A message is being made, from what was there when it began or later.
    case making(isBehind: Bool)
    /// A message is on its way.
    case sending(isBehind: Bool)
  }

  private var state = State.resting

  public init() {}

  /// Something may be new.
  public mutating func woken() -> Action {
    switch state {
    case .resting:
      state = .making(isBehind: false)
      return .make
    case .making:
      state = .making(isBehind: true)
    case .sending:
      state = .sending(isBehind: true)
    }
    return .nothing
  }

  /// There is a message; to be called before it is handed over, so that its `drained()` finds it on its way.
  public mutating func send() {
    if case .making(let isBehind) = state { state = .sending(isBehind: isBehind) }
  }

  /// There was nothing new to be sent.
  public mutating func rest() -> Action {
    guard case .making(let isBehind) = state else { return .nothing }
    state = isBehind ? .making(isBehind: false) : .resting
    return isBehind ? .make : .nothing
  }

  /// All that was sent has gone.
  public mutating func drained() -> Action {
    guard case .sending(let isBehind) = state else { return .nothing }
    state = isBehind ? .making(isBehind: false) : .resting
    return isBehind ? .make : .nothing
  }

  /// A sign of life is due: true where it may be sent, which is then on its way as a message is.
  public mutating func heartbeat() -> Bool {
    guard case .resting = state else { return false }
    state = .sending(isBehind: true)
    return true
  }
}
