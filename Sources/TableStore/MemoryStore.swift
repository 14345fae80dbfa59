import Dispatch
import Foundation
import Synchronization
import TableModel

/// A store that keeps nothing past the process: `store: memory`.
///
/// Idempotency keys are remembered, everything else lives in its table anyway. Identities, orders and versions
/// are checked as the durable store checks them.
public final class MemoryStore: Store {
  private let queue = DispatchQueue(label: "tablecast.store.memory")
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  private struct State {
    var tables: [String: KeptTable] = [:]
    var isClosed = false
    var nextSweep: Int64 = 0
  }

  fileprivate struct KeptTable {
    var versions: [Version] = []
    var items: [ItemID: StoredItem] = [:]
    var hasItems = false
    var nextID: UInt64 = 1
    var objects: [String: [UInt8]] = [:]
    var toggled: Set<String> = []
    var replies: [String: StoredReply] = [:]
  }

  private let history: Int

  /// - Parameters:
  ///   - history: How many versions of a table are kept.
  ///   - now: Seconds since 1970.
  public init(history: Int = 64, now: @escaping @Sendable () -> Int64 = secondsSince1970) {
    self.history = max(history, 1)
    self.now = now
  }

  public func restore(_ table: String, completion: @escaping @Sendable (Result<StoredTable, StoreError>) -> Void) {
    perform(completion) { state throws(StoreError) in
      var result = StoredTable()
      guard let kept = state.tables[table] else { return result }
      if let epoch = kept.versions.last?.cursor.epoch {
        result.feed = StoredFeed(epoch: epoch, versions: kept.versions)
      }
      result.items = kept.hasItems ? LocalItems(stored: kept.items.values, nextID: kept.nextID) : nil
      result.objects = kept.objects
      result.toggled = kept.toggled
      return result
    }
  }

  public func commit(
    _ commit: Commit,
    mayBlock: Bool,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    perform(completion) { [history] state throws(StoreError) in
      try state.tables[commit.table, default: KeptTable()].apply(commit, history: history)
    }
  }

  public func reply(
    table: String,
    key: String,
    completion: @escaping @Sendable (Result<StoredReply?, StoreError>) -> Void
  ) {
    perform(completion) { [now] state throws(StoreError) in
      let now = now()
      if now >= state.nextSweep {
        state.nextSweep = now + 600
        state.tables = state.tables.mapValues { table in
          var table = table
          table.replies = table.replies.filter { $0.value.expires > now }
          return table
        }
      }
      guard let reply = state.tables[table]?.replies[key], reply.expires > now else { return nil }
      return reply
    }
  }

  public func remove(_ table: String, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    perform(completion) { state throws(StoreError) in state.tables[table] = nil }
  }

  public func flush(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    perform(completion) { _ throws(StoreError) in }
  }

  public func close(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    perform(completion) { state throws(StoreError) in state.isClosed = true }
  }

  private func perform<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
    _ body: @escaping @Sendable (inout State) throws(StoreError) -> Value
  ) {
    queue.async { [self] in
      let result: Result<Value, StoreError> = state.withLock { state in
        guard !state.isClosed else { return .failure(.closed) }
        do throws(StoreError) {
          return .success(try body(&state))
        } catch {
          return .failure(error)
        }
      }
      completion(result)
    }
  }
}

extension MemoryStore.KeptTable {
  fileprivate mutating func apply(_ commit: Commit, history: Int) throws(StoreError) {
    if let version = commit.version {
      if let last = versions.last, last.cursor.epoch == version.cursor.epoch {
        guard version.number == last.number + 1 else { throw .superseded }
        if versions.count >= history { versions.removeFirst() }
        versions.append(version)
      } else {
        versions = [version]
      }
    }
    if let changes = commit.items {
      for id in changes.deleted { items[id] = nil }
      for entry in changes.stored { items[entry.item.id] = entry }
      nextID = Swift.max(nextID, changes.nextID)
      hasItems = true
    }
    for change in commit.objects { objects[change.row] = change.bytes }
    for change in commit.toggles {
      if change.isToggled { toggled.insert(change.row) } else { toggled.remove(change.row) }
    }
    if let reply = commit.reply { replies[reply.key] = reply }
  }
}

/// The wall clock, which idempotency keys expire by.
@Sendable public func secondsSince1970() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec)
}
