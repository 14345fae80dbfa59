import Definitions
import JSON
import Logging
import Queues
import TableEngine
import TableFinding
import TableModel
import TableStore

/// A process of the service: the real engine, and in place of its HTTP face what `TableService` makes of requests: one event loop,
/// on which polls wait.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Service: ChangeNotifier, @unchecked Sendable {
  let world: World
  let host: Host
  let loop: SimulatedQueue
  private(set) var engine: Engine?
  /// What requests find their tables in: that of the configuration before for a moment after another one is taken over.
  private var catalog: Catalog?
  private var waiters: [UInt64: [Waiter]] = [:]
  /// Of those whom an answer is on its way to.
  private var calls: [Int: (Bool) -> Void] = [:]
  private var callNumber = 0
  private var isLoading = false
  /// It takes no requests any more.
  private(set) var isEnding = false
  /// What it reads its configurations as.
  let release: Int
  /// It loads its configuration, or has not said that it can be sent requests.
  var isReady: Bool { host.isAlive && !isEnding && !isLoading && engine != nil && engine?.unreadiness == nil }
  /// The disk fails now and then: what is loaded then may not be.
  var mayFail = false
  var onFailedStart: () -> Void = {}

  init(_ name: String, release: Int = 0, _ world: World) {
    (self.world, self.release) = (world, release)
    host = Host(name, world)
    loop = SimulatedQueue("loop", isSerial: true, host)
  }

  // MARK: Life

  /// Starts with a configuration, from what the store has.
  func start(_ definition: ServiceDefinition, _ store: any Store, _ upstream: NewsUpstream) {
    upstream.askAnew()
    isLoading = true
    load { [self] in
      var environment = EngineEnvironment(
        store: store,
        logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() },
        notifier: self,
        queues: QueueFactory(HostQueues(host)),
        carrier: upstream
      )
      // Members share what they map of local items: all, some of them, or none.
      environment.mostPrivateItems = [0, 60, .max][Int(world.seed % 3)]
      do {
        let engine = try await Engine(definition, environment)
        await engine.start()
        (self.engine, catalog) = (engine, engine.catalog)
        isLoading = false
        world.history.note(world, "service", "is up")
      } catch {
        if mayFail { return onFailedStart() }
        world.fail("the service does not start: \(error)")
      }
    }
  }

  /// Has a task done where others go on in the middle of what it does.
  private func load(_ body: @escaping @Sendable () async -> Void) {
    let queue = SimulatedQueue(SimulatedQueue.loading, isSerial: true, host)
    Task(executorPreference: QueueExecutor(.given(queue)), operation: body)
  }

  /// Takes over another configuration; nothing where it is about to already, or has not started.
  ///
  /// - Parameter completion: true: it is taken over.
  func reload(_ definition: ServiceDefinition, _ completion: @escaping @Sendable (Bool) -> Void) -> Bool {
    guard let engine, !isLoading else { return false }
    isLoading = true
    load { [self] in
      var isTaken = false
      do {
        let next = try await engine.prepare(definition)
        await letTimePass()
        let adopted = try await engine.adopt(next)
        await letTimePass()
        catalog = adopted
        engine.wakeAll()
        isTaken = true
      } catch {
        if !mayFail { world.fail("a configuration can't be taken over: \(error)") }
      }
      isLoading = false
      completion(isTaken)
    }
    return true
  }

  /// The event loops go on while a configuration is loaded.
  private func letTimePass() async {
    let pause = world.chance(2) ? 0 : Double(world.pick(0...200))
    await withCallback { goOn in world.after(pause, on: loop) { goOn(()) } }
  }

  /// Ends as a process that is told to (SIGTERM): polls are answered as they stand, and what is left to write is written.
  func end(_ completion: @escaping @Sendable () -> Void) {
    isEnding = true
    loop.async { [self] in
      for waiter in waiting { waiter.end() }
      guard let engine else { return completion() }
      engine.close { [self] in loop.async(completion) }
    }
  }

  /// Ends as a process that is killed.
  func crash() {
    host.end()
    let broken = calls.sorted { $0.key < $1.key }.map(\.value)
    calls = [:]
    for call in broken { call(false) }
  }

  // MARK: Requests

  /// Something that is asked, answered on the loop. `answer` gets nil where the process has ended first.
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (Engine, @escaping @Sendable (Answer) -> Void) -> Void,
    _ answer: @escaping @Sendable (Answer?) -> Void
  ) {
    guard host.isAlive, !isEnding else { return answer(nil) }
    callNumber += 1
    let number = callNumber
    calls[number] = { if !$0 { answer(nil) } }
    loop.async { [self] in
      guard let engine else { return close(number) }
      body(engine) { [self] result in
        loop.async { [self] in
          checkBounds()
          if calls.removeValue(forKey: number) != nil { answer(result) }
        }
      }
    }
  }

  /// No more is kept than the configuration allows: of searches, but for the last one, and of members.
  private func checkBounds() {
    guard let catalog = engine?.catalog, let searches = engine?.keptSearches else { return }
    let maximum = catalog.definition.limits.lensBytes
    if searches.count > 1, searches.bytes > maximum {
      world.fail("\(searches.count) searches take \(searches.bytes) bytes, and may take \(maximum)")
    }
    for family in catalog.families {
      let (members, maximum) = (family.instances, family.definition.instances.maximum)
      if members.polled + members.frozen > maximum {
        world.fail("`\(family.name)` has \(members.polled + members.frozen) members, and may have \(maximum)")
      }
    }
  }

  private func close(_ number: Int) {
    calls.removeValue(forKey: number)?(false)
  }

  func table(_ engine: Engine, _ request: TableRequest) -> Result<LiveTable, TableError> {
    guard let reference = TableReference(segment: request.table) else {
      return .failure(TableError(.malformed, detail: request.table))
    }
    var budget = MemberBudget()
    let catalog = catalog ?? engine.catalog
    do {
      return .success(try catalog.table(reference, in: request.locale, for: request.callerFields, &budget))
    } catch {
      return .failure(isAway(request) ? Self.away : error)
    }
  }

  /// A configuration has taken the table away. Its clients ask until it is there again.
  static let away = TableError(.unavailable, detail: "The table is not there for now.")

  private func isAway(_ request: TableRequest) -> Bool {
    catalog?.definition.tables.contains { $0.name == request.table } == false
  }

  // MARK: Waiting

  func wake(_ topics: [ChangeTopic]) {
    loop.async { [self] in
      var woken: [Int: Waiter] = [:]
      for topic in topics { for waiter in waiters[topic.rawValue] ?? [] { woken[waiter.number] = waiter } }
      for waiter in woken.values.sorted(by: { $0.number < $1.number }) where !waiter.isAnswered { waiter.look() }
    }
  }

  /// The time of all polls is over.
  func endWaits() {
    loop.async { [self] in for waiter in waiting { waiter.timeOut() } }
  }

  private var waiting: [Waiter] {
    var all: [Int: Waiter] = [:]
    for waiter in waiters.values.joined() { all[waiter.number] = waiter }
    return all.values.sorted { $0.number < $1.number }
  }

  func register(_ waiter: Waiter) {
    for topic in waiter.topics { waiters[topic.rawValue, default: []].append(waiter) }
  }

  func unregister(_ waiter: Waiter) {
    for topic in waiter.topics { waiters[topic.rawValue]?.removeAll { $0 === waiter } }
  }
}

/// Which table is asked for, and how it is to be seen.
struct TableRequest: Hashable, Sendable {
  var table: String
  var locale: String?
  var view: String?
  var window: LensRequest.Window = .unnamed
  var find: FindSearch?
  /// Who asks, where the service is told.
  var caller: String?

  var callerFields: CallerFields {
    guard let caller else { return CallerFields([]) }
    return CallerFields([], identity: caller, values: ["name": .string(caller)])
  }

  /// The table is one of a family.
  var isOfMember: Bool { caller != nil || table.contains(";") }

  /// As `TaskModel` tells tables apart.
  var name: String { table + (caller.map { " of \($0)" } ?? "") }

  var lens: LensRequest { LensRequest(view: view, window: window, find: find) }
}

/// What a reader is answered.
enum ReadAnswer: Sendable {
  case reply([UInt8], Kind)
  case refused(TableError)
  /// For now nobody knows: 503, or where it was.
  case unavailable

  enum Kind: Sendable {
    case snapshot, changes
    /// To a poll whose time is over, and that was not woken by what it would have been told then.
    case missed([UInt8])
  }
}
