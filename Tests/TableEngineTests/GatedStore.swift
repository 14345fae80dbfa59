import Synchronization
import TableStore

/// A store whose commits wait for the test to let them through, or to fail.
final class GatedStore: SingleProcessStore {
  private let inner: MemoryStore
  private let waiting = Mutex<[(commit: Commit, completion: @Sendable (Result<Void, StoreError>) -> Void)]>([])
  private let isOpen = Mutex(true)
  private let failure = Mutex<StoreError?>(nil)
  private let unreadable = Mutex<Set<String>>([])
  /// How the next records fail to be given other names, in turn; some are given them all the same.
  let namingFailures = Mutex<[(error: StoreError, isDone: Bool)]>([])

  /// - Parameter inner: what others may commit to meanwhile.
  init(_ inner: MemoryStore = MemoryStore()) { self.inner = inner }

  /// From now on this table can't be restored.
  func lose(_ table: String) { _ = unreadable.withLock { $0.insert(table) } }

  /// From now on it can be restored again.
  func find(_ table: String) { _ = unreadable.withLock { $0.remove(table) } }

  /// From now on commits wait.
  func shut() { isOpen.withLock { $0 = false } }

  /// From now on commits don't wait.
  func open() { isOpen.withLock { $0 = true } }

  /// From now on commits fail; nil: no more.
  func fail(_ error: StoreError?) { failure.withLock { $0 = error } }

  var waitingCount: Int { waiting.withLock { $0.count } }

  /// Lets the oldest commit go on, or fails it.
  ///
  /// - Parameter isDone: it fails, and was stored all the same.
  func release(failing error: StoreError? = nil, isDone: Bool = false) {
    let (commit, completion) = waiting.withLock { $0.removeFirst() }
    guard let error else { return inner.commit(commit, completion: completion) }
    guard isDone else { return completion(.failure(error)) }
    inner.commit(commit) { _ in completion(.failure(error)) }
  }

  func commit(
    _ commit: Commit,
    mayBlock: Bool,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    if let error = failure.withLock({ $0 }) { return completion(.failure(error)) }
    guard !isOpen.withLock({ $0 }) else { return inner.commit(commit, completion: completion) }
    waiting.withLock { $0.append((commit, completion)) }
  }

  func restore(_ table: String, completion: @escaping @Sendable (Result<StoredTable, StoreError>) -> Void) {
    guard unreadable.withLock({ !$0.contains(table) }) else { return completion(.failure(.failed("unreadable"))) }
    inner.restore(table, completion: completion)
  }

  func changes(
    of table: String,
    since revision: Revision,
    completion: @escaping @Sendable (Result<CatchUp, StoreError>) -> Void
  ) {
    inner.changes(of: table, since: revision, completion: completion)
  }

  func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation { inner.observe(observer) }

  func reply(_ key: ReplyKey, completion: @escaping @Sendable (Result<StoredReply?, StoreError>) -> Void) {
    inner.reply(key, completion: completion)
  }

  func rename(
    _ record: String,
    to name: String,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    let failure = namingFailures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let failure {
      guard failure.isDone else { return completion(.failure(failure.error)) }
      return inner.rename(record, to: name) { _ in completion(.failure(failure.error)) }
    }
    inner.rename(record, to: name, completion: completion)
  }

  func remove(_ table: String, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    inner.remove(table, completion: completion)
  }

  func flush(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) { inner.flush(completion: completion) }

  func close(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) { inner.close(completion: completion) }
}
