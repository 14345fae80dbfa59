import FieldValues
import Foundation
public import Queues
import Synchronization
import TableModel

/// A store that keeps nothing past the process: `store: memory`.
///
/// Idempotency keys are remembered, everything else lives in its table anyway. Identities, orders and versions
/// are checked as the durable store checks them.
public final class MemoryStore: SingleProcessStore {
  private let queue: WorkQueue
  private let now: @Sendable () -> Int64
  private let observers = StoreObservers()
  private let state: Mutex<State>

  private struct State {
    var tables: [String: KeptTable] = [:]
    var replies: ReplyLedger
    var historyBytes: Int
    var isClosed = false
  }

  private let history: Int

  /// - Parameters:
  ///   - history: How many versions of a table are kept.
  ///   - historyBytes: What those before the last one may take in memory.
  ///   - now: Seconds since 1970.
  ///   - bounds: How many answers to idempotent requests are kept.
  ///   - queues: Where it works.
  public init(
    history: Int = 64,
    historyBytes: Int = .max,
    now: @escaping @Sendable () -> Int64 = secondsSince1970,
    bounds: ReplyBounds = ReplyBounds(),
    queues: QueueFactory = .dispatch
  ) {
    queue = queues.serial("tablecast.store.memory")
    self.history = max(history, 1)
    self.now = now
    state = Mutex(State(replies: ReplyLedger(bounds: bounds), historyBytes: historyBytes))
  }

  /// A copy of another store, for tests of a database whose standby falls behind. O(1): the two share their values.
  package init(copying other: MemoryStore, queues: QueueFactory) {
    queue = queues.serial("tablecast.store.memory")
    (history, now) = (other.history, other.now)
    state = Mutex(other.state.withLock { $0 })
  }

  /// Gives all versions new epochs, as a database does that was promoted and may lack what clients have seen. O(versions).
  package func beginEpochs() {
    let moved = state.withLock { state in
      state.tables.keys.sorted().compactMap { name in state.tables[name]?.beginEpoch().map { (name, $0) } }
    }
    for (table, revision) in moved { observers.tell(.moved(table: table, revision: revision)) }
  }

  /// Goes on with another bound for what the versions before the last one take in memory. O(versions).
  public func bound(historyBytes: Int) {
    state.withLock { state in
      state.historyBytes = historyBytes
      for name in state.tables.keys { state.tables[name]?.bound(historyBytes: historyBytes) }
    }
  }

  public func restore(_ table: String, completion: @escaping StoreCompletion<StoredTable>) {
    perform(completion) { [self] state throws(StoreError) in
      open(table, in: &state).stored
    }
  }

  public func commit(_ commit: Commit, mayBlock: Bool, completion: @escaping StoreCompletion<Void>) {
    let finish: StoreCompletion<[(String, Revision)]> = { [observers] result in
      completion(result.map { _ in })
      guard case .success(let moved) = result else { return }
      for (table, revision) in moved { observers.tell(.moved(table: table, revision: revision)) }
    }
    perform(finish) { [self] state throws(StoreError) in
      for part in commit.parts where open(part.table, in: &state).isSuperseded(part) { throw .superseded }
      var moved: [(String, Revision)] = []
      for part in commit.parts where part.changesTable {
        if let revision = state.tables[part.table]?.apply(part) { moved.append((part.table, revision)) }
      }
      if let reply = commit.reply { state.replies.store(reply, table: commit.table, now: now()) }
      return moved
    }
  }

  public func rename(_ record: String, to name: String, completion: @escaping StoreCompletion<Void>) {
    perform(completion) { [history] state throws(StoreError) in
      guard state.tables[name]?.isEmpty ?? true, let kept = state.tables[record], !kept.isEmpty else { return }
      state.tables[name] = kept
      for table in state.tables.keys { state.tables[table]?.renameInput(record, to: name) }
      var former = KeptTable(history: history, bytes: state.historyBytes, revision: 1)
      former.inputs = InputRevisions(newName: name)
      state.tables[record] = former
    }
  }

  public func changes(of table: String, since revision: Revision, completion: @escaping StoreCompletion<CatchUp>) {
    perform(completion) { [self] state throws(StoreError) in
      let kept = open(table, in: &state)
      return kept.recent.changes(since: revision).map(CatchUp.changes) ?? .replaced(kept.stored)
    }
  }

  public func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
    observers.add(observer)
  }

  public func reply(_ key: ReplyKey, completion: @escaping StoreCompletion<StoredReply?>) {
    perform(completion) { [now] state throws(StoreError) in state.replies.reply(key, now: now()) }
  }

  public func remove(_ table: String, completion: @escaping StoreCompletion<Void>) {
    let finish: StoreCompletion<Void> = { [observers] result in
      completion(result)
      if case .success = result { observers.tell(.removed(table: table)) }
    }
    perform(finish) { state throws(StoreError) in
      let prefix = memberPrefix(of: table)
      state.tables = state.tables.filter { $0.key != table && !$0.key.hasPrefix(prefix) }
      state.replies.remove(table: table)
    }
  }

  public func flush(completion: @escaping StoreCompletion<Void>) {
    perform(completion) { _ throws(StoreError) in }
  }

  public func close(completion: @escaping StoreCompletion<Void>) {
    perform(completion) { state throws(StoreError) in state.isClosed = true }
  }

  private func open(_ table: String, in state: inout State) -> KeptTable {
    if let kept = state.tables[table] { return kept }
    let kept = KeptTable(history: history, bytes: state.historyBytes)
    state.tables[table] = kept
    return kept
  }

  private func perform<Value: Sendable>(
    _ completion: @escaping StoreCompletion<Value>,
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

/// A table as the memory store keeps it.
private struct KeptTable: Sendable {
  /// Nil while there are none.
  private var versions: HeldVersions?
  private let history: Int
  private var historyBytes: Int
  private var items: [ItemID: StoredItem] = [:]
  private var hasItems = false
  private var nextID: UInt64 = 1
  fileprivate(set) var inputs: InputRevisions?
  private var objects: [ByteText: [UInt8]] = [:]
  private var toggled: Set<ByteText> = []
  private(set) var recent: RecentCommits

  init(history: Int, bytes: Int, revision: UInt64 = 0) {
    (self.history, historyBytes) = (history, bytes)
    // A stamp of its own, so that a table that was removed and came again is not taken for the one before.
    let base = Revision(number: revision, stamp: .random(in: 1...UInt64(Int64.max)))
    recent = RecentCommits(base: base, maximumCount: history)
  }

  /// A record that it is made of has another name.
  mutating func renameInput(_ record: String, to name: String) {
    _ = inputs?.rename(record, to: name)
    recent.renameInput(record, to: name)
  }

  mutating func bound(historyBytes: Int) {
    self.historyBytes = historyBytes
    _ = versions?.bound(bytes: historyBytes)
  }

  /// Returns the revision that comes of it; nil where there are no versions.
  mutating func beginEpoch() -> Revision? {
    guard let held = versions else { return nil }
    let epoch = Epoch.random()
    let all = held.all.map { Version(cursor: Cursor(epoch: epoch, version: $0.number), table: $0.table) }
    var renewed = HeldVersions(all[0], atMost: history, bytes: historyBytes)
    for version in all.dropFirst() { _ = renewed.append(version) }
    versions = renewed
    let base = Revision(number: recent.revision.number + 1, stamp: .random(in: 1...UInt64(Int64.max)))
    recent = RecentCommits(base: base, maximumCount: history)
    return base
  }

  var stored: StoredTable {
    var result = StoredTable()
    result.revision = recent.revision
    result.versions = versions.flatMap { StoredVersions(epoch: $0.last.cursor.epoch, versions: Array($0.all)) }
    result.items = hasItems ? LocalItems(stored: items.values, nextID: nextID) : nil
    result.inputs = inputs ?? result.inputs
    result.objects = objects
    result.toggled = toggled
    return result
  }

  /// Nothing is kept in it.
  var isEmpty: Bool { !hasItems && versions == nil && objects.isEmpty && toggled.isEmpty }

  func isSuperseded(_ commit: Commit) -> Bool {
    commit.isSuperseded(at: recent.revision, inputs: inputs, last: versions?.last)
  }

  /// The revision that comes of it, where it is not superseded.
  mutating func apply(_ commit: Commit) -> Revision {
    if let version = commit.version {
      if let last = versions?.last, last.cursor.epoch == version.cursor.epoch {
        _ = versions?.append(version)
      } else {
        versions = HeldVersions(version, atMost: history, bytes: historyBytes)
      }
    }
    if let changes = commit.items {
      for id in changes.deleted { items[id] = nil }
      for entry in changes.stored { items[entry.item.id] = entry }
      nextID = Swift.max(nextID, changes.nextID)
      hasItems = true
    }
    inputs = commit.inputs ?? inputs
    for change in commit.objects { objects[ByteText(change.row)] = change.bytes }
    for change in commit.toggles {
      let row = ByteText(change.row)
      if change.isToggled { toggled.insert(row) } else { toggled.remove(row) }
    }
    recent.append(RecentCommits.Entry(commit))
    return recent.revision
  }
}

/// The wall clock, which idempotency keys expire by.
@Sendable public func secondsSince1970() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec)
}
