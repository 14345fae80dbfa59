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

  private struct State {
    var lease = FetchLease()
    var rank: ReplicaRank
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
    guard isShared, state.withLock({ $0.rank.isOutranked }) else { return nil }
    return TableError(
      .unavailable,
      detail: "This replica has an older configuration than others: it is about to be replaced.",
      retryAfter: .seconds(1)
    )
  }

  /// Why this replica should not be given requests; nil where it should.
  var unreadiness: String? { isShared ? state.withLock { $0.rank.conflict } : nil }

  func configure(_ definition: ServiceDefinition) {
    state.withLock { $0.rank = ReplicaRank(definition) }
    announce()
  }

  // MARK: Running

  func start(_ tasks: Tasks) {
    state.withLock { $0.tasks = tasks }
    guard isShared else { return tasks.beginFetching() }
    let observation = store.observe { [weak self, queue] event in queue.async { [weak self] in self?.hear(event) } }
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

  private func tick() { carryOut(state.withLock { $0.lease.tick(at: Self.now) }) }

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
        store.release(lease, legacy: lease.legacy) { _ in done?() }
      case .beginFetching:
        logger.notice("This replica asks the sources")
        state.withLock { $0.tasks }?.beginFetching()
      case .stopFetching: state.withLock { $0.tasks }?.stopFetching()
      }
    }
    completion?()
  }

  private func acquired(_ lease: Lease?, asked: Double) {
    // The holder before may have had a newer configuration, or another one of the same number.
    let (actions, conflict) = state.withLock { state -> ([FetchLease.Action], String?) in
      let isFit = lease.map { state.rank.takesOver(from: $0.legacy) } ?? true
      var actions = state.lease.acquired(lease, asked: asked)
      if !isFit {
        actions.removeAll { $0 == .beginFetching }
        if let lease { actions.append(.release(lease)) }
        _ = state.lease.giveUp(forGood: false)
      }
      return (actions, state.rank.conflict)
    }
    if let conflict, lease != nil { logger.error("This replica stays unready", metadata: ["reason": "\(conflict)"]) }
    carryOut(actions)
  }

  // MARK: The others

  /// Says which configuration this replica has.
  private func announce() {
    guard isShared else { return }
    store.signal("configuration", state.withLock { $0.rank.text }) { _ in }
  }

  private func hear(_ event: StoreEvent) {
    switch event {
    case .moved(let table, let revision): state.withLock { $0.tasks }?.moved(table, revision)
    case .leaseFree(Self.leaseName): tick()
    case .signal("configuration", let text):
      let actions = state.withLock { state in
        state.rank.hear(text) ? state.lease.giveUp(forGood: false) : []
      }
      carryOut(actions)
    case .signal("refresh", let text): refreshForAnother(text)
    case .signal("refreshed", let id): state.withLock { $0.awaited.removeValue(forKey: id) }?()
    case .signal, .leaseFree, .removed, .reachable: return
    }
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
