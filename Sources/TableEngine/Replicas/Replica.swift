import Definitions
import Dispatch
import Foundation
import Logging
import Queues
import Synchronization
import TableStore
import Upstream

/// This process as one of those that share a store: whether it asks the sources, and what it hears of the others.
///
/// With a store of its own it is the only one, and always does.
final class Replica: Sendable {
  /// The tasks that it does for the engine. Set once, before it starts.
  struct Tasks: Sendable {
    /// Given what the replica has left that did so before.
    var beginFetching: @Sendable (Handover?) -> Void
    var stopFetching: @Sendable () -> Void
    /// Asks what another replica is to know that fetches next.
    var handOver: @Sendable (_ completion: @escaping @Sendable (Handover) -> Void) -> Void
    var moved: @Sendable (_ table: String, Revision) -> Void
    /// Lays out anew what another release, or a lower generation, may have laid out.
    var layOut: @Sendable () -> Void
    var tapped: @Sendable (ViewTap) -> Void
    /// Others may have been tapped, unheard.
    var reconnected: @Sendable () -> Void
    /// Looks whether the database still has what is shown here; of all that is, or of the next one.
    var lookAround: @Sendable (_ isForAll: Bool) -> Void
    /// Does what the replica that asks the sources is asked for.
    var carryOut: @Sendable (LeaderTask, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) -> Void
    var members: MemberTasks
  }

  /// The tasks that it does for the members of families that replicas share.
  struct MemberTasks: Sendable {
    /// Says which are read here: the one that asks the sources has to know.
    var claim: @Sendable () -> Void
    /// Another replica's clients read them.
    var claimed: @Sendable ([MemberClaim]) -> Void
    var refused: @Sendable (MemberRefusal) -> Void
    /// It is no longer stored.
    var removed: @Sendable (_ storedName: String) -> Void
    /// Leaves beside them, under a lease, what another replica is to know that fetches next; the last time all of it. False: not all is left.
    var handOver: @Sendable (Lease, _ isLast: Bool, _ completion: @escaping @Sendable (_ isLeft: Bool) -> Void) -> Void
  }

  /// Others may have the store, too.
  let isShared: Bool
  let store: any Store
  let logger: Logger
  private let name =
    "\(ProcessInfo.processInfo.hostName)-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: .min ... .max))"
  let queue: WorkQueue
  let state: Mutex<State>
  /// The store is there, and the last look at it took too long.
  private let isSlow = Atomic(false)
  let overruled = Atomic(false)
  /// The database lacks something that it had.
  private let hasLost = Atomic(false)
  /// Entered from the moment this replica leads until the members that the leader before has kept up are told what the sources say. They are
  /// read meanwhile: an edit is answered when they are told of it.
  let membersToBegin = DispatchGroup()

  static let leaseName = "sources"
  /// So often is the lease renewed or asked for: a dead holder's is taken within five seconds.
  static let period = 0.8

  init(_ store: any Store, _ definition: ServiceDefinition, _ logger: Logger, _ queues: QueueFactory) {
    queue = queues.serial("tablecast.replica")
    (self.store, self.logger) = (store, logger)
    isShared = !(store is any SingleProcessStore)
    state = Mutex(State(rank: ReplicaRank(definition)))
  }

  /// The lease that the sources' answers are written under; nil: this replica doesn't lead.
  var lease: Lease? { isShared ? state.withLock { $0.lease.lease(at: Self.now) } : nil }

  /// It asks the sources.
  var isLeading: Bool { !isShared || lease != nil }

  /// Returns whether it has asked the sources all the time since it had a term of the lease: another leader may have come and gone.
  func leads(since term: UInt64?) -> Bool { !isShared || term != nil && lease?.term == term }

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
    if !isReachable { return "it can't see what the other replicas write: the database can't be reached" }
    if isSlow.load(ordering: .relaxed) { return "it can't see in time what the other replicas write" }
    return state.withLock { state in
      let overdue = state.behind.overdue(at: Self.now)
      return state.rank.conflict
        ?? (overdue.isEmpty ? nil : "it is behind the other replicas with \(overdue.joined(separator: ", "))")
    }
  }

  /// How often others' writing was taken over, and how often it was in the way of writing here.
  var counts: (catchUps: Int, conflicts: Int) { state.withLock { ($0.behind.catchUps, $0.conflicts) } }

  /// Takes notice that the database lacks something that it had: perhaps that is not all.
  func noteLoss() { hasLost.store(true, ordering: .relaxed) }

  /// Notes the outcome of a look at others' writes.
  func noteLook(_ outcome: LookOutcome) { isSlow.store(outcome == .late, ordering: .relaxed) }

  /// True if the database can be reached, as far as is known.
  var isReachable: Bool { !isShared || state.withLock { $0.isReachable } }

  /// A table stands where the store has it.
  func caughtUp(_ table: String) { state.withLock { $0.behind.caughtUp(table) } }

  /// Counts a write that was built on state that another replica had replaced.
  func noteConflict() { state.withLock { $0.conflicts += 1 } }

  func configure(_ definition: ServiceDefinition) {
    let conflict = state.withLock { state in
      let isLeading = state.lease.lease != nil
      state.rank = ReplicaRank(definition).following(state.rank, isLeading: isLeading, at: Self.now)
      return state.rank.conflict
    }
    if let conflict { report(conflict: conflict) }
    noteRank()
    announce()
  }

  func report(conflict: String) { logger.error("This replica stays unready", metadata: ["reason": "\(conflict)"]) }

  // MARK: Running

  func start(_ tasks: Tasks) {
    state.withLock { $0.tasks = tasks }
    guard isShared else { return tasks.beginFetching(nil) }
    let observation = store.observe { [weak self, queue] event in queue.async { [weak self] in self?.receive(event) } }
    state.withLock { state in
      let timer = QueueTimer(on: queue) { [weak self] in self?.tick() }
      timer.schedule(deadline: .now(), repeating: Self.period, leeway: .milliseconds(50))
      (state.observation, state.timer) = (observation, timer)
    }
    announce()
  }

  /// Takes notice that a write under the lease was refused: another one has it.
  func lostLease() { queue.async { [self] in carryOut(state.withLock { $0.lease.lost() }) } }

  func tick() {
    // Nobody may be sent here who would find out that the database is no longer slow.
    if isSlow.load(ordering: .relaxed) { lookAgain() }
    let now = Self.now
    // Where this process was stopped, it may have a configuration that no one has heard of for a while, and has laid out what it was asked for.
    let wasStopped = state.withLock { state in
      defer { state.ticked = now }
      return state.ticked.map { now - $0 > 2 * Self.period } ?? false
    }
    if wasStopped { announce() }
    // A database that was emptied, or set back, tells nobody.
    if isReachable, let tasks = state.withLock({ $0.tasks }) {
      tasks.lookAround(hasLost.exchange(false, ordering: .relaxed))
    }
    noteRank()
    lookForOtherLayouts(at: now)
    guard state.withLock({ $0.lease.lease != nil || $0.rank.mayLead(at: now) }) else { return learn {} }
    carryOut(state.withLock { $0.lease.tick(at: now) })
  }

  /// Looks at the store for nobody, to see how long that takes.
  private func lookAgain() {
    let begun = ContinuousClock.now
    store.revision(of: Self.leaseName) { [weak self] result in
      guard case .success = result, ContinuousClock.now - begun < patienceOfLooks else { return }
      self?.noteLook(.read)
    }
  }

  /// Reads which configuration counts, as whoever asks the sources has left it: what is said is said once, to those who
  /// listen.
  func learn(_ completion: @escaping @Sendable () -> Void) {
    guard isShared else { return completion() }
    store.precedence(Self.leaseName) { [self] result in
      if case .success(let precedence?) = result {
        let conflict = state.withLock { state -> String? in
          let before = state.rank.conflict
          state.rank.learn(precedence.bytes, isHeld: precedence.isHeld, at: Self.now)
          return state.rank.conflict == before ? nil : state.rank.conflict
        }
        if let conflict { report(conflict: conflict) }
      } else {
        state.withLock { $0.rank.loseSight() }
      }
      noteRank()
      completion()
    }
  }

  /// Replicas of a lower generation may be laying tables out as they were.
  var isAmongOlder: Bool { isShared && state.withLock { $0.rank.isAmongOlder(at: Self.now) } }

  func carryOut(_ actions: [FetchLease.Action], then completion: (@Sendable () -> Void)? = nil) {
    var completion = completion
    for action in actions {
      let asked = Self.now
      switch action {
      case .acquire:
        store.acquire(Self.leaseName, holder: name, for: Lease.lifetime) { [weak self, queue] result in
          queue.async { [weak self] in self?.acquired((try? result.get()) ?? nil, asked: asked) }
        }
      case .renew(let lease):
        let (precedence, handover) = state.withLock { ($0.rank.precedence, $0.unstoredHandover) }
        let bytes = handover?.bytes(at: .now)
        store.renew(lease, for: Lease.lifetime, precedence: precedence, handover: bytes) { [weak self, queue] result in
          queue.async { [weak self] in
            guard let self else { return }
            let actions = state.withLock { state in
              if let handover, (try? result.get()) == true { state.storedHandover = handover }
              return state.lease.renewed(try? result.get(), asked: asked, at: Self.now)
            }
            carryOut(actions)
          }
        }
        findHandover()
        handOverMembers(under: lease)
      case .release(let lease):
        let done = completion
        completion = nil
        // A replica that may not lead leaves the state that it has found.
        let (precedence, handover) = state.withLock { state in
          let isRefused = state.rank.isOutranked || state.rank.conflict != nil
          return (isRefused ? lease.precedence : state.rank.precedence, state.unstoredHandover)
        }
        store.release(lease, precedence: precedence, handover: handover?.bytes(at: .now)) { _ in done?() }
      case .beginFetching:
        logger.notice("This replica asks the sources")
        announce()
        let (tasks, left) = state.withLock { state in
          state.shownForOthers = ShownForOthers()
          let left = state.lease.lease?.handover.flatMap { Handover($0, at: .now) }
          state.areMembersLeft = left?.areMembersLeft(before: state.lease.lease?.term) ?? false
          return (state.tasks, left)
        }
        tasks?.beginFetching(left)
        membersToBegin.leave()
        carryOutAwaited()
      case .stopFetching: state.withLock { $0.tasks }?.stopFetching()
      }
    }
    completion?()
  }

  private func acquired(_ lease: Lease?, asked: Double) {
    let (actions, conflict, isLeft) = state.withLock { state -> ([FetchLease.Action], String?, Bool) in
      let wasConflicting = state.rank.conflict != nil
      let actions = state.acquired(lease, asked: asked, at: Self.now)
      if actions.contains(.beginFetching) { membersToBegin.enter() }
      return (actions, state.rank.conflict, wasConflicting && state.rank.conflict == nil)
    }
    noteRank()
    if isLeft { logger.notice("No replica is left that has the configuration of before: this one's counts") }
    if let conflict, lease != nil { report(conflict: conflict) }
    carryOut(actions)
    if lease == nil { learn {} }
  }

  static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
