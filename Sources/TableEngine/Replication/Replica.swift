import Definitions
import Dispatch
import Foundation
import Logging
import Synchronization
import TableStore

/// This process as one of those that share a store: whether it asks the sources, and what it hears of the others.
///
/// With a store of its own it is the only one, and always does.
final class Replica: Sendable {
  /// What it does for the engine. Set once, before it starts.
  struct Tasks: Sendable {
    var beginFetching: @Sendable () -> Void
    var stopFetching: @Sendable () -> Void
    var moved: @Sendable (_ table: String, Revision) -> Void
    var tapped: @Sendable (ViewTap) -> Void
    /// Others may have been tapped, unheard.
    var reconnected: @Sendable () -> Void
    /// Fetches a table's sources, or a source, now; called back when what they said is published.
    var refresh: @Sendable (_ name: String, _ completion: @escaping @Sendable () -> Void) -> Void
  }

  /// Others may have the store, too.
  let isShared: Bool
  private let store: any Store
  private let logger: Logger
  private let name =
    "\(ProcessInfo.processInfo.hostName)-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: .min ... .max))"
  private let queue = DispatchQueue(label: "tablecast.replica")
  private let state: Mutex<State>
  private let cut = Atomic(false)

  private struct State {
    var lease = FetchLease()
    var rank: ReplicaRank
    var behind = TablesBehind()
    /// Whether the database can be reached, as the store says.
    var isReachable = true
    /// How often what was written here was built on what another replica had replaced.
    var conflicts = 0
    var tasks: Tasks?
    var timer: (any DispatchSourceTimer)?
    var observation: StoreObservation?
    /// Refreshes that another replica was asked for.
    var awaited: [String: @Sendable () -> Void] = [:]
  }

  private static let leaseName = "sources"
  /// How long whoever has asked another replica for a refresh waits for it.
  private static let patience = 10.0

  init(_ store: any Store, _ definition: ServiceDefinition, _ logger: Logger) {
    (self.store, self.logger) = (store, logger)
    isShared = !(store is any SoleStore)
    state = Mutex(State(rank: ReplicaRank(definition)))
  }

  /// What the sources' answers are written under; nil: this replica doesn't ask them.
  var lease: Lease? { isShared ? state.withLock { $0.lease.lease } : nil }

  /// It asks the sources.
  var isLeading: Bool { !isShared || lease != nil }

  /// Why nothing can be edited here; nil where it can.
  var refusal: TableError? {
    guard isShared, state.withLock({ $0.rank.isOutranked || $0.rank.conflict != nil }) else { return nil }
    return TableError(
      .unavailable,
      detail: "This replica has another configuration than the one that counts: it is about to be replaced.",
      retryAfter: .seconds(1)
    )
  }

  /// Why this replica should not be given requests; nil where it should.
  var unreadiness: String? {
    guard isShared else { return nil }
    return state.withLock { state in
      let overdue = state.behind.overdue(at: Self.now)
      return state.rank.conflict
        ?? (overdue.isEmpty ? nil : "it is behind the other replicas with \(overdue.joined(separator: ", "))")
    }
  }

  /// How often others' writing was taken over, and how often it was in the way of writing here.
  var counts: (catchUps: Int, conflicts: Int) { state.withLock { ($0.behind.catchUps, $0.conflicts) } }

  /// What others write can't be read, for now: what is known here counts, and who has seen more waits.
  var isCut: Bool {
    get { cut.load(ordering: .relaxed) }
    set { cut.store(newValue, ordering: .relaxed) }
  }

  /// A table stands where the store has it.
  func caughtUp(_ table: String) { state.withLock { $0.behind.caughtUp(table) } }

  /// What was written here was built on what another replica had replaced.
  func noteConflict() { state.withLock { $0.conflicts += 1 } }

  func configure(_ definition: ServiceDefinition) {
    state.withLock { $0.rank = ReplicaRank(definition) }
    announce()
  }

  // MARK: Running

  func start(_ tasks: Tasks) {
    state.withLock { $0.tasks = tasks }
    guard isShared else { return tasks.beginFetching() }
    let observation = store.observe { [weak self, queue] event in queue.async { [weak self] in self?.receive(event) } }
    state.withLock { state in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now(), repeating: 1.2, leeway: .milliseconds(50))
      timer.setEventHandler { [weak self] in self?.tick() }
      timer.resume()
      (state.observation, state.timer) = (observation, timer)
    }
    announce()
  }

  /// Lets others ask the sources.
  func stop(_ completion: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      let actions = state.withLock { state in
        state.timer?.cancel()
        (state.timer, state.observation) = (nil, nil)
        return state.lease.giveUp(forGood: true)
      }
      if actions.isEmpty { state.withLock { $0.tasks }?.stopFetching() }
      carryOut(actions, then: completion)
    }
  }

  /// What was written under the lease was refused: another one has it.
  func lostLease() { queue.async { [self] in carryOut(state.withLock { $0.lease.lost() }) } }

  private func tick() {
    // A database that was slow may be so no longer: whoever comes next finds out.
    if state.withLock({ $0.isReachable }) { isCut = false }
    let now = Self.now
    guard state.withLock({ $0.lease.lease != nil || $0.rank.mayLead(at: now) }) else { return learn {} }
    carryOut(state.withLock { $0.lease.tick(at: now) })
  }

  /// Reads which configuration counts, as whoever asks the sources has left it: what is said is said once, to those who
  /// listen.
  func learn(_ completion: @escaping @Sendable () -> Void) {
    guard isShared else { return completion() }
    store.legacy(Self.leaseName) { [self] result in
      if case .success(let legacy?) = result {
        let conflict = state.withLock { state -> String? in
          let before = state.rank.conflict
          state.rank.learn(legacy, at: Self.now)
          return state.rank.conflict == before ? nil : state.rank.conflict
        }
        if let conflict { logger.error("This replica stays unready", metadata: ["reason": "\(conflict)"]) }
      }
      completion()
    }
  }

  /// Replicas of a lower generation may be laying tables out as they were.
  var isAmongOlder: Bool { isShared && state.withLock { $0.rank.isAmongOlder(at: Self.now) } }

  private func carryOut(_ actions: [FetchLease.Action], then completion: (@Sendable () -> Void)? = nil) {
    var completion = completion
    for action in actions {
      let asked = Self.now
      switch action {
      case .acquire:
        store.acquire(Self.leaseName, holder: name, for: Lease.lifetime) { [weak self, queue] result in
          queue.async { [weak self] in self?.acquired((try? result.get()) ?? nil, asked: asked) }
        }
      case .renew(let lease):
        let legacy = state.withLock { $0.rank.legacy }
        store.renew(lease, for: Lease.lifetime, legacy: legacy) { [weak self, queue] result in
          queue.async { [weak self] in
            guard let self else { return }
            carryOut(state.withLock { $0.lease.renewed(try? result.get(), asked: asked) })
          }
        }
      case .release(let lease):
        let done = completion
        completion = nil
        // Whoever may not lead leaves what it has found.
        let legacy = state.withLock { $0.rank.isOutranked || $0.rank.conflict != nil ? lease.legacy : $0.rank.legacy }
        store.release(lease, legacy: legacy) { _ in done?() }
      case .beginFetching:
        logger.notice("This replica asks the sources")
        announce()
        state.withLock { $0.tasks }?.beginFetching()
      case .stopFetching: state.withLock { $0.tasks }?.stopFetching()
      }
    }
    completion?()
  }

  private func acquired(_ lease: Lease?, asked: Double) {
    // The holder before may have had a newer configuration, or another one of the same number.
    let (actions, conflict) = state.withLock { state -> ([FetchLease.Action], String?) in
      let isFit = lease.map { state.rank.takesOver(from: $0.legacy, at: Self.now) } ?? true
      var actions = state.lease.acquired(lease, asked: asked)
      if !isFit {
        actions.removeAll { $0 == .beginFetching }
        if let lease { actions.append(.release(lease)) }
        _ = state.lease.giveUp(forGood: false)
      } else if let lease, actions == [.beginFetching] {
        // Whoever comes next is to find this configuration, however soon that is.
        actions.insert(.renew(lease), at: 0)
      }
      return (actions, state.rank.conflict)
    }
    if let conflict, lease != nil { logger.error("This replica stays unready", metadata: ["reason": "\(conflict)"]) }
    carryOut(actions)
    if lease == nil { learn {} }
  }

  // MARK: The others

  /// Says which configuration this replica has, and whether it is the one that counts.
  private func announce() {
    guard isShared else { return }
    let (name, text) = state.withLock { ($0.lease.lease == nil ? "configuration" : "leading", $0.rank.text) }
    store.signal(name, text) { _ in }
  }

  private func receive(_ event: StoreEvent) {
    switch event {
    case .moved(let table, let revision):
      let tasks = state.withLock { state in
        state.behind.moved(table, at: Self.now)
        return state.tasks
      }
      tasks?.moved(table, revision)
    case .leaseFree(Self.leaseName): tick()
    case .reachable(false):
      state.withLock { state in
        state.behind.lostDatabase()
        state.isReachable = false
      }
      isCut = true
    case .reachable(true):
      state.withLock { $0.isReachable = true }
      isCut = false
      announce()
      // What others have said meanwhile was not heard.
      state.withLock { $0.tasks }?.reconnected()
    case .signal("configuration", let text): receive(text, isLeaders: false)
    case .signal("leading", let text): receive(text, isLeaders: true)
    case .signal("tap", let text): if let tap = ViewTap(text) { state.withLock { $0.tasks }?.tapped(tap) }
    case .signal("refresh", let text): refreshForAnother(text)
    case .signal("refreshed", let id): state.withLock { $0.awaited.removeValue(forKey: id) }?()
    case .signal, .leaseFree, .removed: return
    }
  }

  /// Another replica says which configuration it has.
  private func receive(_ configuration: String, isLeaders: Bool) {
    let (verdict, actions, conflict) = state.withLock { state in
      let verdict = state.rank.receive(
        configuration,
        isLeaders: isLeaders,
        isLeading: state.lease.lease != nil,
        at: Self.now
      )
      return (verdict, verdict == .outranked ? state.lease.giveUp(forGood: false) : [], state.rank.conflict)
    }
    switch verdict {
    case .same: break
    case .answer: announce()
    case .outranked: logger.notice("Another replica has a newer configuration: its versions are followed")
    case .conflict: logger.error("This replica stays unready", metadata: ["reason": "\(conflict ?? "")"])
    }
    carryOut(actions)
  }

  /// Tells the others of a tap in a view.
  func tell(_ tap: ViewTap) {
    guard let text = tap.text else { return }
    store.signal("tap", text) { _ in }
  }

  /// Has the replica that asks the sources fetch those of a table, or one source. `completion` is called when what they
  /// said is published there, or takes too long.
  func refreshElsewhere(_ name: String, _ completion: @escaping @Sendable () -> Void) {
    let id = String(UInt64.random(in: .min ... .max), radix: 36)
    state.withLock { $0.awaited[id] = completion }
    store.signal("refresh", "\(id) \(name)") { _ in }
    queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
      self?.state.withLock { $0.awaited.removeValue(forKey: id) }?()
    }
  }

  private func refreshForAnother(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2, isLeading, let tasks = state.withLock({ $0.tasks }) else { return }
    tasks.refresh(parts[1]) { [store] in store.signal("refreshed", parts[0]) { _ in } }
  }

  private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
