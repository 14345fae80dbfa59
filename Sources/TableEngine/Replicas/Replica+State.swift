import Queues
import TableStore

extension Replica {
  /// Everything of a replica that changes.
  struct State {
    var lease = FetchLease()
    var rank: ReplicaRank
    var behind = TablesBehind()
    var leaseLooks = StoreLooks()
    /// Of the lease, as the last look has found it.
    var leaderTerm: UInt64 = 0
    /// When it was its turn last.
    var ticked: Double?
    /// True if the database can be reached, as the store says.
    var isReachable = true
    /// How often what was written here was built on what another replica had replaced.
    var conflicts = 0
    var tasks: Tasks?
    /// The state for the next leader, as it was found last and as the store has it; instants by this process's clock.
    var handover: Handover?
    var storedHandover: Handover?
    var isHandingOver = false
    var isHandingOverMembers = false
    /// To be called when that is done.
    var afterHandingOverMembers: [@Sendable () -> Void] = []
    /// All members are as the leader before has left them when it ended, as far as nobody has changed them since.
    var areMembersLeft = false
    /// It is found out what is left to the next leader, for the last time.
    var isEnding = false
    var timer: QueueTimer?
    var observation: StoreObservation?
    var shownForOthers = ShownForOthers()
    /// The tasks that another replica was asked for, by the question's identity.
    var awaited: [String: AwaitedTask] = [:]

    /// The part that the store doesn't have yet.
    var unstoredHandover: Handover? { handover == storedHandover ? nil : handover }
  }
}

extension Replica.State {
  /// The store has answered who asked for the lease: nil where another one holds it, or it could not be asked.
  mutating func acquired(_ lease: Lease?, asked: Double, at now: Double) -> [FetchLease.Action] {
    // State that was found under a lease before may be older than others' work since: it is not left under this one.
    if lease != nil { (handover, storedHandover) = (nil, nil) }
    // The holder before may have had a newer configuration, or another one of the same number.
    let isFit = lease.map { rank.takesOver(from: $0.precedence, at: now) } ?? true
    var actions = self.lease.acquired(lease, asked: asked)
    if !isFit {
      actions.removeAll { $0 == .beginFetching }
      if let lease { actions.append(.release(lease)) }
      _ = self.lease.giveUp(forGood: false)
    } else if let lease, actions == [.beginFetching] {
      // The next holder is to find this configuration, however soon that is.
      actions.insert(.renew(lease), at: 0)
    }
    return actions
  }
}
