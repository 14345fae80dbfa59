import Dispatch
import Synchronization

/// A message from another thread to an event loop.
enum LoopMessage: Sendable {
  case wake([Topic])
  case finish(slot: Int32, exchange: UInt32, Reply)
  case send(slot: Int32, exchange: UInt32, [[UInt8]])
  case end(slot: Int32, exchange: UInt32)
  case allow(CrossOriginPolicy, DispatchGroup)
  case forgetHeads
  case giveUpReaders
  case drain
  case abort
}

/// Messages to an event loop, and how to make it look at them.
final class Mailbox: Sendable {
  /// The step that makes a message seen.
  enum Delivery {
    /// Nothing: the loop will look before it rests.
    case seen
    /// The loop rests: start it.
    case start
    /// The loop waits for events: interrupt it.
    case interrupt
  }

  private enum Mode {
    case resting
    case running
    case polling
  }

  private struct State {
    var messages: [LoopMessage] = []
    var mode = Mode.resting
    /// Nobody waits for a topic, as long as the loop does not run.
    var isWithoutWaiters = true
  }

  private let state = Mutex(State())

  /// Puts a message in. A loop that has nobody to wake and does not run is left alone: whoever comes later compares
  /// with what there is by then.
  func post(_ message: LoopMessage) -> Delivery {
    state.withLock { state in
      if case .wake = message, state.isWithoutWaiters, state.mode != .running { return .seen }
      state.messages.append(message)
      switch state.mode {
      case .running:
        return .seen
      case .resting:
        state.mode = .running
        return .start
      case .polling:
        state.mode = .running
        return .interrupt
      }
    }
  }

  /// The loop has begun to run, or goes on: takes all messages out.
  func take() -> [LoopMessage] {
    state.withLock { state in
      state.mode = .running
      if state.messages.isEmpty { return [] }
      let messages = state.messages
      state.messages = []
      return messages
    }
  }

  /// The loop is about to wait for events. False where there are messages.
  func beginPolling(withoutWaiters: Bool) -> Bool { begin(.polling, withoutWaiters) }

  /// The loop no longer waits for events.
  func endPolling() { state.withLock { $0.mode = .running } }

  /// The loop is about to rest. False where there are messages.
  func beginResting(withoutWaiters: Bool) -> Bool { begin(.resting, withoutWaiters) }

  private func begin(_ mode: Mode, _ isWithoutWaiters: Bool) -> Bool {
    state.withLock { state in
      guard state.messages.isEmpty else { return false }
      (state.mode, state.isWithoutWaiters) = (mode, isWithoutWaiters)
      return true
    }
  }
}
