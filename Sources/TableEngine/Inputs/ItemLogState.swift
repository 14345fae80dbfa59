import DequeModule
import Queues
import TableStore

/// The items of a source at one of its revisions.
struct ItemSnapshot: Sendable {
  var items: LocalItems
  var revision: Revision
}

/// The state of an ``ItemLog``: what is committed, what is under way on top of that, and whose turn it is to plan an edit. A
/// value without I/O: events in, actions out.
struct ItemLogState: Sendable {
  typealias Plan = @Sendable (ItemSnapshot) -> Void

  /// Edits that wait for their turn to plan.
  struct Planner: Sendable {
    var queue: WorkQueue
    var plan: Plan
  }

  /// As the store has it.
  private(set) var committed: ItemSnapshot
  /// With all commits under way: what the next edit is planned on.
  private(set) var head: ItemSnapshot
  /// The store has it; else it is the configuration's.
  private(set) var isStored: Bool
  var progress: RecordProgress
  /// The items after each commit under way, the oldest first.
  private var underWay = Deque<ItemSnapshot>()
  private var isPlanning = false
  /// The record is another log's from now on, perhaps under another name.
  private(set) var isRetired = false
  private var planners = Deque<Planner>()

  init(_ snapshot: ItemSnapshot, isStored: Bool) {
    (committed, head, self.isStored) = (snapshot, snapshot, isStored)
    progress = RecordProgress(base: snapshot.revision, durable: snapshot.revision)
  }

  /// Gives the turn to plan, with what is to be planned on. Nil: `planner` is kept until it is its turn.
  ///
  /// - Parameter isHanded: it was given the turn by the one before it.
  mutating func takeTurn(
    _ planner: Planner,
    isHanded: Bool,
    again: @escaping @Sendable () -> Void
  ) -> ItemSnapshot? {
    if isPlanning, !isHanded {
      planners.append(planner)
      return nil
    }
    // Nothing is planned on what is about to be undone.
    guard !progress.commits.enqueueIfBlocked(again) else {
      isPlanning = isHanded
      return nil
    }
    isPlanning = true
    return head
  }

  /// The turn is over. Returns who has it next.
  mutating func endTurn() -> Planner? {
    guard let next = planners.popFirst() else {
      isPlanning = false
      return nil
    }
    return next
  }

  /// Nothing is begun any more.
  mutating func retire() { isRetired = true }

  /// Somebody waits for the turn.
  var isAwaited: Bool { !planners.isEmpty }

  /// Begins a commit of what was planned on a revision; false where that is undone by now, or the record is another log's.
  mutating func begin(_ commit: Commit, making items: LocalItems, plannedOn revision: Revision) -> Bool {
    guard !isRetired, head.revision == revision, progress.commits.isGoingOn, let next = commit.revision else {
      return false
    }
    head = ItemSnapshot(items: items, revision: next)
    underWay.append(head)
    progress.base = next
    progress.commits.begin()
    return true
  }

  /// The oldest commit under way has come back.
  ///
  /// - Returns: whether what others have written is to be read, what is to be called then, and why the commit could not be stored on
  ///   which this one was planned, where that is the reason.
  mutating func end(
    _ result: Result<Void, StoreError>
  ) -> (catchesUp: Bool, calls: [@Sendable () -> Void], baseFailure: StoreError?) {
    guard let made = underWay.popFirst() else { return (false, [], nil) }
    switch result {
    case .success:
      (committed, isStored) = (made, true)
      progress.durable = made.revision
      // The commit before this one is stored, although it seemed to fail.
      if progress.commits.isUndoing { goBack() }
      return (false, progress.commits.end(isStored: true, retry: nil), nil)
    case .failure(let error):
      // Built on one of its own that failed, or on what somebody else has replaced.
      let isOthers = error == .superseded && !progress.commits.isUndoing
      goBack()
      if isOthers { progress.commits.beginCatchingUp() }
      let baseFailure = error == .superseded ? progress.commits.failure : nil
      let failure = error == .superseded ? nil : error
      return (isOthers, progress.commits.end(isStored: false, retry: nil, failure: failure), baseFailure)
    }
  }

  private mutating func goBack() {
    head = committed
    progress.base = progress.durable
  }

  /// Takes over another process's commit. Returns whether it changes anything.
  ///
  /// Where the database lacks the record, as one that was promoted may, the items that are known are to be stored as first ones are.
  mutating func follow(_ others: CatchUp) -> Bool {
    var (next, isThere) = (committed, true)
    switch others {
    case .changes(let changes):
      guard changes.revision != committed.revision else { return false }
      if !isStored { next.items = .empty }
      if let items = changes.items { next.items.apply(items) }
      next.revision = changes.revision
    case .replaced(let stored):
      isThere = stored.items != nil
      // Their last known state is better than nothing.
      guard isThere || isStored && stored.revision.number == 0 else { return false }
      next.items = stored.items ?? next.items.unwritten(over: nil)
      next.revision = stored.revision
    }
    (committed, isStored) = (next, isThere)
    progress.durable = next.revision
    goBack()
    return true
  }
}
