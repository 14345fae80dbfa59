import Dispatch
import Glibc
import Synchronization

/// The lines of a log on their way to a descriptor that others may read slowly, or not at all, as a pipe: no thread that
/// logs waits for them.
///
/// A line is written at once where the descriptor takes it, so that it is out whatever happens to the process next. Else it
/// waits for a queue that writes what waits. Beyond a bound lines are lost, and the next one that isn't comes behind a
/// notice of how many were. The lines of several threads stand one behind the other, each whole.
final class LineOutput: Sendable {
  static let standardError = LineOutput(STDERR_FILENO)

  private let descriptor: Int32
  private let capacity: Int
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "tablecast.log")

  private struct State {
    /// The bytes that are not written yet.
    var waiting: [UInt8] = []
    /// The queue writes them.
    var isDraining = false
    /// The last byte that was written is within a line.
    var isInLine = false
    /// How many lines were lost since the last one that wasn't.
    var lost = 0
  }

  private static let lineEnd = UInt8(ascii: "\n")
  /// How many bytes a pipe takes without blocking where it takes any (`PIPE_BUF`, pipe(7)).
  private static let atOnce = 4096

  /// - Parameter capacity: How many bytes may wait.
  init(_ descriptor: Int32, capacity: Int = 1 << 20) { (self.descriptor, self.capacity) = (descriptor, capacity) }

  /// Takes a line, without its end; doesn't block.
  ///
  /// - Parameter notice: the line that says how many were lost.
  func write(_ line: [UInt8], afterLoss notice: (Int) -> [UInt8]) {
    let begins = state.withLock { state in
      // After a loss not before there is some room, so that there are few notices.
      let most = state.lost == 0 ? capacity : capacity / 2
      guard state.waiting.isEmpty || state.waiting.count + line.count < most else {
        state.lost += 1
        return false
      }
      // The end of a line that was written in part.
      if state.waiting.isEmpty, state.isInLine { state.waiting.append(Self.lineEnd) }
      if state.lost > 0 {
        state.waiting += notice(state.lost)
        state.waiting.append(Self.lineEnd)
        state.lost = 0
      }
      state.waiting += line
      state.waiting.append(Self.lineEnd)
      guard !state.isDraining else { return false }
      put(&state)
      state.isDraining = !state.waiting.isEmpty
      return state.isDraining
    }
    if begins { queue.async { [self] in drain() } }
  }

  /// Waits until nothing waits to be written, or for some time: before the process ends.
  ///
  /// - Returns: whether all is written.
  @discardableResult
  func flush(within time: Duration) -> Bool {
    let end = ContinuousClock.now + time
    while true {
      let isDone = state.withLock { state in
        put(&state)
        return state.waiting.isEmpty
      }
      if isDone || ContinuousClock.now >= end { return isDone }
      _ = isReady(within: 10)
    }
  }

  private func drain() {
    while true {
      _ = isReady(within: 1_000)
      let (isDone, isStuck) = state.withLock { state in
        let count = state.waiting.count
        put(&state)
        state.isDraining = !state.waiting.isEmpty
        return (state.waiting.isEmpty, state.waiting.count == count)
      }
      if isDone { return }
      // Another process that has the descriptor was faster.
      if isStuck { usleep(1_000) }
    }
  }

  /// Writes what waits as long as the descriptor takes it at once.
  private func put(_ state: inout State) {
    var written = 0
    while written < state.waiting.count, isReady(within: 0) {
      let count = state.waiting.withUnsafeBytes { bytes in
        let part = UnsafeRawBufferPointer(rebasing: bytes[written...].prefix(Self.atOnce))
        return Glibc.write(descriptor, part.baseAddress, part.count)
      }
      if count > 0 {
        written += count
        state.isInLine = state.waiting[written - 1] != Self.lineEnd
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        // A log that nobody takes must not end the service; nor is there anybody to be told of a loss.
        written = state.waiting.count
      }
    }
    state.waiting.removeFirst(written)
  }

  /// True where the descriptor takes bytes, or has an error to say.
  private func isReady(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }
}
