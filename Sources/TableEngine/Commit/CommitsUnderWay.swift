import TableStore

/// A table's commits that the store has not answered yet, in order, and what waits for them.
///
/// Edits are laid out on those before them without waiting for the disk. Three things must wait: what is answered
/// without a commit of its own, until what it saw is stored; what no version could tell to be built on a failure,
/// until nothing is under way; and, after a failure, every edit, until all that were built on it have come back.
struct CommitsUnderWay: Sendable {
  private var begun: UInt64 = 0
  private var ended: UInt64 = 0
  /// One has failed, and those that were built on it come back one after the other.
  private(set) var isUndoing = false
  /// Why that one could not be stored; nil: somebody else was first.
  private(set) var failure: StoreError?
  /// True while commits of others are being read: a layout on the state known until then would be refused.
  private var isCatchingUp = false
  /// How often in a row a commit was superseded though none before it had failed: somebody else writes.
  private var conflicts = 0
  /// More than that, and whoever wants to write is told that it can't be done now.
  private static let maximumConflicts = 100
  private var followers: [(commit: UInt64, stored: @Sendable () -> Void, undone: @Sendable () -> Void)] = []
  /// Commits that have been undone and are made again, in order. They are older than all that waits.
  private var redone: [@Sendable () -> Void] = []
  /// Followers of what has been undone: they look again when it is under way again.
  private var undone: [@Sendable () -> Void] = []
  private var waiting: [@Sendable () -> Void] = []

  var isEmpty: Bool { begun == ended }

  /// True if a superseded commit is worth laying out anew: it was built on one that failed, or not too often yet on
  /// somebody else's.
  var mayRetry: Bool { isUndoing || conflicts < Self.maximumConflicts }

  /// Nothing is being undone or read: what comes next is built on what is under way.
  var isGoingOn: Bool { !isUndoing && !isCatchingUp }

  /// A commit has been given to the store.
  mutating func begin() { begun += 1 }

  /// Begins to catch up with others: that counts as a commit until it is there. Nothing of this table's own is on its
  /// way, or all of it is being undone.
  mutating func beginCatchingUp() {
    begin()
    isCatchingUp = true
  }

  /// Keeps `body` until nothing is under way, where something is being undone or read, or others wait for that; false: it is not kept.
  mutating func enqueueIfBlocked(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard !isEmpty, isUndoing || isCatchingUp || !waiting.isEmpty else { return false }
    waiting.append(body)
    return true
  }

  /// Lets `body` wait until nothing is under way, and all edits behind it; false where nothing is.
  mutating func waitForAll(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard !isEmpty else { return false }
    waiting.append(body)
    return true
  }

  /// Calls `stored` when the last commit so far is stored, `undone` where it failed and all that failed with it have
  /// come back; false where nothing is under way.
  mutating func whenStored(_ stored: @escaping @Sendable () -> Void, undone: @escaping @Sendable () -> Void) -> Bool {
    guard !isEmpty else { return false }
    followers.append((begun, stored, undone))
    return true
  }

  /// Calls `body` with the commits that are made again, when all that is being undone has come back. Something is under way.
  mutating func redo(_ body: @escaping @Sendable () -> Void) { redone.append(body) }

  /// The oldest commit has come back. Returns what is to be called now, in order.
  ///
  /// - Parameters:
  ///   - retry: the edit itself, where it has to be laid out anew.
  ///   - failure: why it could not be stored, where that is not what it was built on.
  mutating func end(
    isStored: Bool,
    retry: (@Sendable () -> Void)?,
    failure: StoreError? = nil
  ) -> [@Sendable () -> Void] {
    ended += 1
    if isStored { conflicts = 0 } else if retry != nil, !isUndoing { conflicts += 1 }
    if !isStored, !isUndoing { (isUndoing, self.failure) = (true, failure) }
    if let retry { redo(retry) }
    let settled = followers.prefix { $0.commit <= ended }
    followers.removeFirst(settled.count)
    var calls: [@Sendable () -> Void] = []
    if isUndoing { undone += settled.map { $0.undone } } else { calls = settled.map { $0.stored } }
    if isEmpty {
      (isUndoing, isCatchingUp, self.failure) = (false, false, nil)
      calls += redone + undone + waiting
      (redone, undone, waiting) = ([], [], [])
    }
    return calls
  }
}
