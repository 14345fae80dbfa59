import Queues
import TableModel
import TableStore

/// The store as the simulated process has it: what is committed outlasts the process, and now and then a commit fails, of which
/// nothing is there then.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Disk: SingleProcessStore, @unchecked Sendable {
  private let world: World
  private let host: Host
  private let inner: MemoryStore
  private let queue: SimulatedQueue
  /// One of so many commits fails; 0: none.
  var failsOneOf = 0
  /// Those of one in so many tables fail, all of them; which ones, a number says.
  var refuses: (oneOf: UInt64, which: UInt64)?

  init(_ world: World) {
    self.world = world
    host = Host("disk", world)
    queue = SimulatedQueue("disk", isSerial: true, host)
    inner = MemoryStore(history: 64, queues: QueueFactory(HostQueues(host)))
  }

  /// The process has ended: of what was on its way only a beginning is done.
  func loseSome() { world.loseSome(of: host) }

  func commit(
    _ commit: Commit,
    mayBlock: Bool,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    let fails = refuses(commit.table) || failsOneOf > 0 && world.chance(failsOneOf)
    let error = world.pick([StoreError.full, .failed("the disk says no")])
    queue.async { [self] in
      guard fails else { return inner.commit(commit, mayBlock: mayBlock, completion: completion) }
      world.history.note(world, "service", "a commit of \(commit.table) fails")
      // In its turn.
      inner.flush { _ in completion(.failure(error)) }
    }
  }

  private func refuses(_ table: String) -> Bool {
    guard let refuses else { return false }
    return table.utf8.reduce(refuses.which) { ($0 &* 31) ^ UInt64($1) } % refuses.oneOf == 0
  }

  func restore(_ table: String, completion: @escaping @Sendable (Result<StoredTable, StoreError>) -> Void) {
    queue.async { [inner] in inner.restore(table, completion: completion) }
  }

  func changes(
    of table: String,
    since revision: Revision,
    completion: @escaping @Sendable (Result<CatchUp, StoreError>) -> Void
  ) {
    queue.async { [inner] in inner.changes(of: table, since: revision, completion: completion) }
  }

  func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation { inner.observe(observer) }

  func reply(_ key: ReplyKey, completion: @escaping @Sendable (Result<StoredReply?, StoreError>) -> Void) {
    queue.async { [inner] in inner.reply(key, completion: completion) }
  }

  func rename(
    _ record: String,
    to name: String,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    queue.async { [inner] in inner.rename(record, to: name, completion: completion) }
  }

  func remove(_ table: String, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    queue.async { [inner] in inner.remove(table, completion: completion) }
  }

  func flush(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    queue.async { [inner] in inner.flush(completion: completion) }
  }

  func close(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    // What it has outlasts the process.
    queue.async { [inner] in inner.flush(completion: completion) }
  }
}
