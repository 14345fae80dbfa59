import Dispatch
import Queues
import TableModel
import TableStore

/// The store as one replica has it: what it asks goes to the database on a line, and comes back on it. A line can be cut: then nobody
/// knows what has become of what was on its way.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class DatabaseConnection: Store, @unchecked Sendable {
  private let database: Database
  private let world: World
  private let line: Host
  /// What writes, and what reads, don't wait for each other.
  private let (writing, reading): (SimulatedQueue, SimulatedQueue)
  /// Of the replica, and go with it: what others have said is heard on a connection of its own, in no order with answers.
  private let (back, hearing): (SimulatedQueue, SimulatedQueue)
  private var observers: [@Sendable (StoreEvent) -> Void] = []
  /// What is to be heard, in order: of others, while the replica has no time for it.
  private var unheard: ArraySlice<StoreEvent> = []
  private var deafUntil: UInt64 = 0
  private var calls: [Int: @Sendable () -> Void] = [:]
  private var number = 0
  /// Its own among all connections: of claims it is known whose they are.
  var serial = 0
  private(set) var isCut = false
  /// Gives observations their type.
  private let ears: MemoryStore

  init(_ database: Database, of replica: Host) {
    (self.database, world) = (database, database.world)
    line = Host("line of \(replica.name)", database.world)
    writing = SimulatedQueue("writing of \(replica.name)", isSerial: true, line)
    reading = SimulatedQueue("reading of \(replica.name)", isSerial: true, line)
    back = SimulatedQueue("database of \(replica.name)", isSerial: true, replica)
    hearing = SimulatedQueue("hearing of \(replica.name)", isSerial: true, replica)
    ears = MemoryStore(history: 1, queues: QueueFactory(HostQueues(replica)))
    database.add(self)
  }

  // MARK: The line

  /// The process has ended: of what was on its way only a beginning is done.
  func end() {
    world.loseSome(of: line)
    database.remove(self)
    calls = [:]
  }

  func cut() {
    guard !isCut else { return }
    isCut = true
    world.loseSome(of: line)
    let broken = calls.sorted { $0.key < $1.key }.map(\.value)
    calls = [:]
    back.async { for call in broken { call() } }
    hear(.reachable(false), always: true)
  }

  func mend() {
    guard isCut else { return }
    isCut = false
    hear(.reachable(true))
    for event in database.standing { hear(event) }
  }

  /// The line breaks, or the server has ended: nobody knows what has become of what was on its way. There is another one soon.
  func breakOff() {
    guard !isCut else { return }
    cut()
    world.after(Double(world.pick(0...300)), on: writing) { [self] in mend() }
  }

  func hear(_ event: StoreEvent, always: Bool = false) {
    guard always || !isCut else { return }
    let isLate = database.isHeardLateOneOf > 0 && world.chance(database.isHeardLateOneOf)
    if isLate { deafUntil = world.now + UInt64(world.pick(1...1_000)) * 1_000_000 }
    unheard.append(event)
    let wait = deafUntil > world.now ? Double(deafUntil - world.now) / 1e6 : 0
    world.after(wait, on: hearing) { [self] in
      guard let event = unheard.popFirst() else { return }
      for observer in observers { observer(event) }
    }
  }

  private func ask<Value: Sendable>(
    _ queue: SimulatedQueue,
    _ completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
    _ body: @escaping @Sendable (Database) -> Result<Value, StoreError>
  ) {
    let fails: @Sendable () -> Void = { completion(.failure(.unavailable("the line to the database is cut"))) }
    guard !isCut else { return back.async(fails) }
    number += 1
    let call = number
    calls[call] = fails
    queue.async { [self] in
      database.queue.async { [self] in
        let result = database.perform(for: self, body)
        back.async { [self] in
          guard calls.removeValue(forKey: call) != nil else { return }
          completion(result)
          if database.breaksOneOf > 0, world.chance(database.breaksOneOf) { breakOff() }
        }
      }
    }
  }

  // MARK: Store

  func restore(_ table: String, completion: @escaping @Sendable (Result<StoredTable, StoreError>) -> Void) {
    ask(writing, completion) { $0.restore(table) }
  }

  func commit(_ commit: Commit, mayBlock: Bool, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    ask(writing, completion) { $0.commit(commit) }
  }

  func changes(
    of table: String,
    since revision: Revision,
    completion: @escaping @Sendable (Result<CatchUp, StoreError>) -> Void
  ) {
    ask(reading, completion) { $0.changes(of: table, since: revision) }
  }

  func revision(of table: String, completion: @escaping @Sendable (Result<Revision?, StoreError>) -> Void) {
    ask(reading, completion) { $0.revision(of: table) }
  }

  func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
    observers.append(observer)
    return ears.observe { _ in }
  }

  func signal(_ name: String, _ text: String, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    ask(writing, completion) { .success($0.signal(name, text)) }
  }

  func reply(_ key: TableStore.ReplyKey, completion: @escaping @Sendable (Result<StoredReply?, StoreError>) -> Void) {
    ask(reading, completion) { $0.reply(key) }
  }

  func claim(
    _ key: TableStore.ReplyKey,
    request: [UInt8],
    for lifetime: Duration,
    completion: @escaping @Sendable (Result<ReplyClaim, StoreError>) -> Void
  ) {
    ask(writing, completion) { $0.claim(key, request: request, for: lifetime) }
  }

  func disclaim(_ key: TableStore.ReplyKey, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    ask(writing, completion) { .success($0.disclaim(key)) }
  }

  func rename(
    _ record: String,
    to name: String,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    ask(writing, completion) { $0.rename(record, to: name) }
  }

  func remove(_ table: String, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    ask(writing, completion) { $0.remove(table) }
  }

  func flush(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    ask(writing, completion) { _ in .success(()) }
  }

  func close(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    ask(writing, completion) { _ in .success(()) }
  }

  // MARK: Leases

  func acquire(
    _ name: String,
    holder: String,
    for lifetime: Duration,
    completion: @escaping @Sendable (Result<Lease?, StoreError>) -> Void
  ) {
    ask(reading, completion) { .success($0.acquire(name, holder: holder, for: lifetime)) }
  }

  func renew(
    _ lease: Lease,
    for lifetime: Duration,
    precedence: [UInt8],
    handover: [UInt8]?,
    completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
  ) {
    ask(reading, completion) { .success($0.renew(lease, for: lifetime, precedence: precedence, handover: handover)) }
  }

  func precedence(_ name: String, completion: @escaping @Sendable (Result<Lease.Precedence?, StoreError>) -> Void) {
    ask(reading, completion) { .success($0.precedence(name)) }
  }

  func release(
    _ lease: Lease,
    precedence: [UInt8],
    handover: [UInt8]?,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    ask(writing, completion) { .success($0.release(lease, precedence: precedence, handover: handover)) }
  }

  // MARK: Members

  var sharedSecret: [UInt8] { database.secret }

  func members(completion: @escaping @Sendable (Result<[String], StoreError>) -> Void) {
    ask(reading, completion) { .success($0.members) }
  }

  func remove(_ tables: [String], fence: Lease, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    ask(writing, completion) { $0.remove(tables, fence: fence) }
  }

  func leave(
    _ handovers: [String: [UInt8]],
    under lease: Lease,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    ask(writing, completion) { .success($0.leave(handovers, under: lease)) }
  }

  func handover(of table: String, completion: @escaping @Sendable (Result<Lease.Handover?, StoreError>) -> Void) {
    ask(reading, completion) { .success($0.handover(of: table)) }
  }

  func release(_ table: String) {}

  // MARK: Views

  func view(
    _ name: String,
    of table: Epoch,
    completion: @escaping @Sendable (Result<KeptView?, StoreError>) -> Void
  ) {
    ask(reading, completion) { .success($0.view(name, of: table)) }
  }

  func keep(
    _ view: StoredView,
    of record: String?,
    after base: StoredView?,
    for lifetime: Duration,
    answer: TapReply?,
    completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
  ) {
    ask(writing, completion) { $0.keep(view, of: record, after: base, for: lifetime, answer: answer) }
  }

  func limitViews(to count: Int, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    ask(writing, completion) { _ in .success(()) }
  }

  func prolong(
    _ name: String,
    of table: Epoch,
    for lifetime: Duration,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    ask(writing, completion) { .success($0.prolong(name, of: table, for: lifetime)) }
  }

  func views(atMost count: Int, completion: @escaping @Sendable (Result<[StoredView], StoreError>) -> Void) {
    ask(reading, completion) { .success($0.views(atMost: count)) }
  }
}
