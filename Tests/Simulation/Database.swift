import Dispatch
import Queues
import TableModel
import TableStore

/// What PostgreSQL promises to the processes that share it, as a model: one transaction after another, each whole or not there;
/// leases by its own clock, and fences by them; the first answer under a key; claims, views, notifications. Held against the real one
/// by the store's own tests.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Database: @unchecked Sendable {
  let world: World
  let queue: SimulatedQueue
  private var observation: StoreObservation?
  private var connections: [DatabaseConnection] = []
  private weak var asking: DatabaseConnection?
  private var connectionCount = 0
  private var contents: Contents
  /// What a server that waits to be promoted has.
  private var standby: Contents?
  let secret: [UInt8]
  /// Right behind one of so many answers the line breaks on which it came; 0: none.
  var breaksOneOf = 0
  /// One of so many messages, and all that come after it, is heard late; 0: none.
  var isHeardLateOneOf = 0

  /// What is lost where a server takes over that has not heard of all.
  private struct Contents {
    var inner: MemoryStore
    var revisions: [String: Revision] = [:]
    var leases: [String: HeldLease] = [:]
    var claims: [TableStore.ReplyKey: (request: [UInt8], expires: UInt64, owner: Int)] = [:]
    var left: [String: (bytes: [UInt8], at: UInt64)] = [:]
    var views: [ViewName: (view: StoredView, expires: UInt64)] = [:]
  }

  private struct HeldLease {
    /// Nil: it was let go.
    var holder: String?
    var term: UInt64 = 0
    var expires: UInt64 = 0
    var precedence: [UInt8] = []
    var handover: (bytes: [UInt8], at: UInt64)?
  }

  private struct ViewName: Hashable {
    var table: Epoch
    var name: String
  }

  init(_ world: World) {
    self.world = world
    queue = SimulatedQueue("database", isSerial: true, Host("database", world))
    contents = Contents(inner: MemoryStore(history: 64, queues: QueueFactory(QueuesAtOnce())))
    secret = (0..<32).map { _ in UInt8(world.pick(0...255)) }
    observe()
  }

  private func observe() {
    observation = contents.inner.observe { [unowned self] event in
      switch event {
      case .moved(let table, let revision): contents.revisions[table] = revision
      case .removed(let table):
        contents.revisions = contents.revisions.filter { $0.key != table && !$0.key.hasPrefix(table + ";") }
      default: break
      }
      tell(event)
    }
  }

  // MARK: Another server

  /// From now on a standby hears of nothing more.
  func leaveStandbyBehind() {
    standby = contents
    standby?.inner = MemoryStore(copying: contents.inner, queues: QueueFactory(QueuesAtOnce()))
  }

  /// The standby is promoted, and may lack what was acknowledged: the tables begin new epochs, as `note_server` of the schema has it.
  ///
  /// - Returns: false: there is none.
  func promote() -> Bool {
    guard let standby else { return false }
    (contents, self.standby) = (standby, nil)
    observe()
    for connection in connections { connection.breakOff() }
    contents.inner.beginEpochs()
    return true
  }

  // MARK: Connections

  func add(_ connection: DatabaseConnection) {
    connectionCount += 1
    connection.serial = connectionCount
    connections.append(connection)
  }

  func remove(_ connection: DatabaseConnection) { connections.removeAll { $0 === connection } }

  /// Has a connection's request done, as one transaction.
  func perform<Value>(for connection: DatabaseConnection, _ body: (Database) -> Value) -> Value {
    asking = connection
    defer { asking = nil }
    return body(self)
  }

  /// To all others.
  private func tell(_ event: StoreEvent) {
    for connection in connections where connection !== asking { connection.hear(event) }
  }

  /// Where all records stand: for who has heard nothing for a while.
  var standing: [StoreEvent] {
    contents.revisions.sorted { $0.key < $1.key }.map { .moved(table: $0.key, revision: $0.value) }
  }

  /// What is done at once there: its completion has been called when this returns.
  private func now<Value>(_ body: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void)
    -> Result<Value, StoreError>
  {
    nonisolated(unsafe) var result: Result<Value, StoreError> = .failure(.failed("it was not done at once"))
    body { result = $0 }
    return result
  }

  // MARK: Records

  /// Of what was never stored, or was removed, there is nothing: the memory store would give it a stamp.
  func restore(_ table: String) -> Result<StoredTable, StoreError> {
    contents.revisions[table] == nil ? .success(StoredTable()) : now { contents.inner.restore(table, completion: $0) }
  }

  /// A commit that begins a record is built on nothing. Nil where one is built on what is not there.
  private func based(_ commit: Commit) -> Commit? {
    var commit = commit
    commit.beside = commit.beside.compactMap(based)
    guard contents.revisions[commit.table] == nil, let base = commit.base else { return commit }
    commit.base = nil
    return base == StoredTable().revision ? commit : nil
  }

  func commit(_ commit: Commit) -> Result<Void, StoreError> {
    if let fence = commit.fence, !isHeld(fence) { return .failure(.fenced) }
    let key = commit.reply.map { $0.fullKey(table: commit.table) }
    if let key, case .success(.some) = reply(key) { return .failure(.superseded) }
    if let key, !commit.changesTable, isClaimedByAnother(key) { return .failure(.superseded) }
    guard let based = based(commit), based.beside.count == commit.beside.count else { return .failure(.superseded) }
    let result: Result<Void, StoreError> = now { contents.inner.commit(based, completion: $0) }
    if let key, case .success = result { contents.claims[key] = nil }
    return result
  }

  func changes(of table: String, since revision: Revision) -> Result<CatchUp, StoreError> {
    guard contents.revisions[table] != nil else { return .success(.replaced(StoredTable())) }
    return now { contents.inner.changes(of: table, since: revision, completion: $0) }
  }

  func revision(of table: String) -> Result<Revision?, StoreError> {
    .success(contents.revisions[table])
  }

  func rename(_ record: String, to name: String) -> Result<Void, StoreError> {
    guard hasItems(record), !hasItems(name) else { return .success(()) }
    let result: Result<Void, StoreError> = now { contents.inner.rename(record, to: name, completion: $0) }
    contents.revisions[name] = contents.revisions[record]
    // The former name is taken.
    let former: Result<StoredTable, StoreError> = now { contents.inner.restore(record, completion: $0) }
    contents.revisions[record] = try? former.get().revision
    return result
  }

  private func hasItems(_ record: String) -> Bool {
    guard case .success(let stored) = restore(record) else { return false }
    return stored.items != nil
  }

  func remove(_ table: String) -> Result<Void, StoreError> { now { contents.inner.remove(table, completion: $0) } }

  // MARK: Answers

  func reply(_ key: TableStore.ReplyKey) -> Result<StoredReply?, StoreError> {
    now { contents.inner.reply(key, completion: $0) }
  }

  func claim(_ key: TableStore.ReplyKey, request: [UInt8], for lifetime: Duration) -> Result<ReplyClaim, StoreError> {
    if case .success(let stored?) = reply(key) { return .success(.answered(stored)) }
    if let claim = contents.claims[key], claim.expires > world.now,
      claim.owner != asking?.serial || claim.request != request
    {
      return .success(.underWay(request: claim.request))
    }
    contents.claims[key] = (request, end(of: lifetime), asking?.serial ?? 0)
    return .success(.granted)
  }

  private func isClaimedByAnother(_ key: TableStore.ReplyKey) -> Bool {
    guard let claim = contents.claims[key] else { return false }
    return claim.expires > world.now && claim.owner != asking?.serial
  }

  func disclaim(_ key: TableStore.ReplyKey) {
    if let claim = contents.claims[key], claim.owner == asking?.serial { contents.claims[key] = nil }
  }

  func signal(_ name: String, _ text: String) { tell(.signal(name: name, text: text)) }

  // MARK: Leases

  private func end(of lifetime: Duration) -> UInt64 {
    world.now + UInt64(lifetime.components.seconds) * 1_000_000_000
      + UInt64(lifetime.components.attoseconds / 1_000_000_000)
  }

  private func age(_ instant: UInt64) -> Duration { .nanoseconds(Int64(world.now - instant)) }

  private func isHeld(_ lease: Lease) -> Bool {
    guard let held = contents.leases[lease.name] else { return false }
    return held.holder == lease.holder && held.term == lease.term && held.expires > world.now
  }

  func acquire(_ name: String, holder: String, for lifetime: Duration) -> Lease? {
    var held = contents.leases[name] ?? HeldLease()
    if let other = held.holder, other != holder, held.expires > world.now { return nil }
    held.term += 1
    (held.holder, held.expires) = (holder, end(of: lifetime))
    contents.leases[name] = held
    return Lease(
      name: name,
      holder: holder,
      term: held.term,
      precedence: held.precedence,
      handover: held.handover.map { Lease.Handover(bytes: $0.bytes, age: age($0.at)) }
    )
  }

  func renew(_ lease: Lease, for lifetime: Duration, precedence: [UInt8], handover: [UInt8]?) -> Bool {
    guard var held = contents.leases[lease.name], held.holder == lease.holder, held.term == lease.term else {
      return false
    }
    (held.expires, held.precedence) = (end(of: lifetime), precedence)
    if let handover { held.handover = (handover, world.now) }
    contents.leases[lease.name] = held
    return true
  }

  func precedence(_ name: String) -> Lease.Precedence? {
    contents.leases[name].map {
      Lease.Precedence(bytes: $0.precedence, isHeld: $0.holder != nil && $0.expires > world.now, term: $0.term)
    }
  }

  func release(_ lease: Lease, precedence: [UInt8], handover: [UInt8]?) {
    guard renew(lease, for: .zero, precedence: precedence, handover: handover) else { return }
    contents.leases[lease.name]?.holder = nil
    tell(.leaseFree(lease.name))
  }

  // MARK: Members

  var members: [String] { contents.revisions.keys.filter { $0.contains(";") }.sorted() }

  func remove(_ tables: [String], fence: Lease) -> Result<Void, StoreError> {
    guard isHeld(fence) else { return .failure(.fenced) }
    for table in tables { _ = remove(table) }
    return .success(())
  }

  func leave(_ handovers: [String: [UInt8]], under lease: Lease) {
    guard isHeld(lease) else { return }
    for (table, bytes) in handovers where contents.revisions[table] != nil { contents.left[table] = (bytes, world.now) }
  }

  func handover(of table: String) -> Lease.Handover? {
    contents.left[table].map { Lease.Handover(bytes: $0.bytes, age: age($0.at)) }
  }

  // MARK: Views

  func view(_ name: String, of table: Epoch) -> KeptView? {
    guard let kept = contents.views[ViewName(table: table, name: name)], kept.expires > world.now else { return nil }
    return KeptView(kept.view, remaining: .nanoseconds(Int64(kept.expires - world.now)))
  }

  func keep(
    _ view: StoredView,
    of record: String?,
    after base: StoredView?,
    for lifetime: Duration,
    answer: TapReply?
  ) -> Result<Bool, StoreError> {
    guard self.view(view.name, of: view.table)?.view == base else { return .success(false) }
    if let record {
      let stored: Result<StoredTable, StoreError> = now { contents.inner.restore(record, completion: $0) }
      guard case .success(let table) = stored, table.versions?.epoch == view.table else { return .success(false) }
    }
    if let answer {
      var commit = Commit(table: answer.table, durability: .full)
      commit.reply = answer.reply
      if case .failure(let error) = self.commit(commit) { return .failure(error) }
    }
    contents.views[ViewName(table: view.table, name: view.name)] = (view, end(of: lifetime))
    return .success(true)
  }

  func prolong(_ name: String, of table: Epoch, for lifetime: Duration) {
    contents.views[ViewName(table: table, name: name)]?.expires = end(of: lifetime)
  }

  func views(atMost count: Int) -> [StoredView] {
    contents.views.values.filter { $0.expires > world.now }.map(\.view).sorted {
      ($0.name, $0.taps) < ($1.name, $1.taps)
    }
    .prefix(count).map { $0 }
  }
}

/// Queues whose work is done when it is given.
private final class QueuesAtOnce: QueueSource {
  private final class Queue: GivenQueue {
    func async(_ work: @escaping @Sendable () -> Void) { work() }
    func async(at deadline: DispatchTime, _ work: @escaping @Sendable () -> Void) { work() }
    func async(after group: DispatchGroup, _ work: @escaping @Sendable () -> Void) { work() }
    var isCurrent: Bool { true }
  }

  func makeQueue(_ label: String, isSerial: Bool) -> any GivenQueue { Queue() }
}
