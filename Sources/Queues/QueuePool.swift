internal import DequeModule
internal import Dispatch
internal import Foundation
internal import Synchronization

/// A few threads that do the work of any number of serial queues.
///
/// A queue of Dispatch that has something to do takes a thread of its own, up to 255 of them. Thousands of tables that
/// begin at once would have all of these. Queues of a pool take turns instead: one that has work gets an idle thread, else it
/// waits behind those that came before it. One that has much to do gives its thread to the next after ``turn`` blocks.
///
/// Work of a pool must not wait for another of its queues: were all threads to wait so, none would be left for what they wait
/// for.
public final class QueuePool: Sendable {
  private let source: (any QueueSource)?
  private let label: String
  private let maximum: Int
  private let turns = Mutex(Turns())
  /// Signalled for each thread that was idle and is not to be any more.
  private let arrival = DispatchSemaphore(value: 0)

  private struct Turns {
    /// Queues with work that no thread does.
    var ready: Deque<PooledQueue> = []
    /// Threads that wait for work.
    var idle = 0
    /// Threads that are there or about to be.
    var count = 0
  }

  /// How many blocks of a queue are done before another queue has its turn.
  static let turn = 64
  /// How long a thread waits for work before it ends, in seconds.
  private static let patience = 5.0

  /// The number of cores that this process may use.
  public static let cores = ProcessInfo.processInfo.activeProcessorCount

  init(_ label: String, threads: Int, _ source: (any QueueSource)?) {
    (self.label, maximum, self.source) = (label, max(threads, 1), source)
  }

  /// A serial queue whose work this pool's threads do.
  public func serial(_ label: String) -> WorkQueue {
    .given(source?.makeQueue(label, isSerial: true) ?? PooledQueue(self))
  }

  /// Takes a queue that has work which no thread does.
  func enqueue(_ queue: PooledQueue) {
    enum Need { case idle, new, none }
    let need = turns.withLock { turns -> Need in
      turns.ready.append(queue)
      if turns.idle > 0 {
        turns.idle -= 1
        return .idle
      }
      guard turns.count < maximum else { return .none }
      turns.count += 1
      return .new
    }
    switch need {
    case .idle: arrival.signal()
    case .new:
      let thread = Thread { self.run() }
      thread.name = label
      thread.start()
    case .none: break
    }
  }

  /// Does the queues' work until there has been none for a while.
  private func run() {
    repeat {
      while let queue = next() {
        if queue.perform() { turns.withLock { $0.ready.append(queue) } }
      }
    } while awaitWork()
  }

  private func next() -> PooledQueue? {
    turns.withLock { turns in
      if let queue = turns.ready.popFirst() { return queue }
      turns.idle += 1
      return nil
    }
  }

  /// Returns false where the thread is to end.
  private func awaitWork() -> Bool {
    while arrival.wait(timeout: .now() + Self.patience) == .timedOut {
      let ends = turns.withLock { turns -> Bool in
        // Its signal is on the way: from a thread that may need this lock.
        guard turns.idle > 0 else { return false }
        turns.idle -= 1
        turns.count -= 1
        return true
      }
      if ends { return false }
    }
    return true
  }
}

/// A serial queue of a pool.
///
/// It is *claimed* from its first block until none is left: it then waits for a thread of the pool, or is done by one.
final class PooledQueue: GivenQueue {
  private let pool: QueuePool
  private let state = Mutex(State())
  /// The thread that does its work at the moment; 0: none.
  private let owner = Atomic<UInt>(0)

  private struct State {
    var entries: Deque<@Sendable () -> Void> = []
    var isClaimed = false
  }

  init(_ pool: QueuePool) { self.pool = pool }

  var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

  func async(_ work: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.entries.append(work)
      defer { state.isClaimed = true }
      return !state.isClaimed
    }
    if isFirst { pool.enqueue(self) }
  }

  func async(at deadline: DispatchTime, _ work: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: deadline) { self.async(work) }
  }

  func async(after group: DispatchGroup, _ work: @escaping @Sendable () -> Void) {
    group.notify(queue: .global()) { self.async(work) }
  }

  /// Does work, on a thread of the pool. Returns whether more is left.
  func perform() -> Bool {
    for _ in 0..<QueuePool.turn {
      guard let work = next() else { return false }
      owner.store(UInt(pthread_self()), ordering: .relaxed)
      work()
      owner.store(0, ordering: .relaxed)
    }
    return state.withLock { state in
      state.isClaimed = !state.entries.isEmpty
      return state.isClaimed
    }
  }

  /// Ends the claim where nothing is left.
  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if let entry = state.entries.popFirst() { return entry }
      state.isClaimed = false
      return nil
    }
  }
}
