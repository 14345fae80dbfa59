import Logging
import Queues
import Synchronization
import TableStore

/// The messages that replicas send each other.
extension Replica {
  /// Says which configuration this replica has, and whether it is the one that counts.
  func announce() {
    guard isShared else { return }
    let (name, text) = state.withLock { ($0.lease.lease == nil ? "configuration" : "leading", $0.rank.text) }
    store.signal(name, text) { _ in }
  }

  /// Another configuration counts than this one, and somebody is there who has it.
  var isOverruled: Bool { overruled.load(ordering: .relaxed) }

  /// The state of the others may say so, or no longer.
  func noteRank() {
    let isOverruled = state.withLock { $0.rank.isOverruled(at: Self.now) }
    if isShared { overruled.store(isOverruled, ordering: .relaxed) }
  }

  func receive(_ event: StoreEvent) {
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
        // Another server may lack what was shown.
        state.shownForOthers = ShownForOthers()
        state.isReachable = false
      }
    case .reachable(true):
      state.withLock { $0.isReachable = true }
      announce()
      // Messages of others were not heard meanwhile.
      let tasks = state.withLock { $0.tasks }
      tasks?.reconnected()
      tasks?.members.claim()
      askAgain()
    case .signal("configuration", let text): receive(text, isLeaders: false)
    case .signal("leading", let text):
      receive(text, isLeaders: true)
      state.withLock { $0.tasks }?.members.claim()
      askAgain()
    case .signal("members", let text):
      guard isLeading else { return }
      let claims = MemberClaim.read(text, key: MemberClaim.key(store.sharedSecret))
      state.withLock { $0.tasks }?.members.claimed(claims)
    case .signal("full", let text):
      if let refusal = MemberRefusal(text) { state.withLock { $0.tasks }?.members.refused(refusal) }
    case .removed(let table): state.withLock { $0.tasks }?.members.removed(table)
    case .signal("tap", let text): if let tap = ViewTap(text) { state.withLock { $0.tasks }?.tapped(tap) }
    case .signal("refresh", let text): carryOutForAnother("refresh", text)
    case .signal("source", let text): carryOutForAnother("source", text)
    case .signal("show", let text): carryOutForAnother("show", text)
    case .signal("items", let text): carryOutForAnother("items", text)
    case .signal("rows", let text): carryOutForAnother("rows", text)
    case .signal("refreshed", let text): hearAnswer(text)
    case .signal, .leaseFree: return
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
    noteRank()
    switch verdict {
    case .same: break
    case .answer: announce()
    case .outranked: logger.notice("Another replica has a newer configuration: its versions are followed")
    case .conflict: report(conflict: conflict ?? "")
    }
    carryOut(actions)
  }

  /// The replica that leads asks whether one is left that makes other rows: of the same configuration, it answers. When it has gone, what it
  /// has laid out last is laid out anew, once.
  func lookForOtherLayouts(at now: Double) {
    let (isMissed, tasks) = state.withLock { state -> (Bool, Tasks?) in
      guard isShared, state.lease.lease(at: now) != nil else { return (false, nil) }
      return (state.rank.missesOtherLayout(at: now), state.rank.outlivesOtherLayout(at: now) ? state.tasks : nil)
    }
    if isMissed { announce() }
    tasks?.layOut()
  }

  /// Tells the replica that asks the sources which members are read here.
  func tell(_ claims: [MemberClaim]) {
    for text in MemberClaim.texts(of: claims, key: MemberClaim.key(store.sharedSecret)) {
      store.signal("members", text) { _ in }
    }
  }

  /// Tells the others that there is no room for a member.
  func tell(_ refusal: MemberRefusal) { store.signal("full", refusal.text) { _ in } }

  /// Takes notice that the stored data of a member is gone.
  func vanished(_ table: String) { queue.async { [self] in receive(.removed(table: table)) } }

  /// Tells the others of a tap in a view.
  func tell(_ tap: ViewTap) {
    guard let text = tap.text else { return }
    store.signal("tap", text) { _ in }
  }
}
