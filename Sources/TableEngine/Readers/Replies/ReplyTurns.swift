import DequeModule

/// Replies that are to be made, in turns: of each who asks the first one, then of each the second. Whoever asks for many that
/// take long, or goes away and asks again, waits for these alone, and nobody else does.
///
/// A state machine: what is to be made is made outside of the lock around it. All operations are O(1), amortized.
package struct ReplyTurns: Sendable {
  package struct Job: Sendable {
    /// False: nobody waits for it any more. Its turn is not counted then.
    var isWanted: @Sendable () -> Bool
    package var make: @Sendable () -> Void

    package init(isWanted: @escaping @Sendable () -> Bool, make: @escaping @Sendable () -> Void) {
      (self.isWanted, self.make) = (isWanted, make)
    }
  }

  private struct Lane {
    var jobs: Deque<Job> = []
    /// With so many, those that nobody waits for are sought out: they hold what their requests were.
    var bound = Lane.shortest

    static let shortest = 64
  }

  private var lanes: [UInt64: Lane] = [:]
  /// The askers that wait, in turn.
  private var turns: Deque<UInt64> = []
  private var own: Deque<Job> = []
  private var isRunning = false

  package init() {}

  /// How many wait.
  var count: Int { own.count + lanes.values.reduce(0) { $0 + $1.jobs.count } }

  /// - Parameter share: whose turn it takes; nil: it is the service's own, and comes before all others.
  /// - Returns: true where nothing was to be made until now: the caller begins to call ``next()``.
  package mutating func add(_ job: Job, of share: UInt64?) -> Bool {
    defer { isRunning = true }
    guard let share else {
      own.append(job)
      return !isRunning
    }
    if lanes[share] == nil { turns.append(share) }
    lanes[share, default: Lane()].jobs.append(job)
    if let lane = lanes[share], lane.jobs.count > lane.bound { clear(share) }
    return !isRunning
  }

  /// The next job; nil where none is left, until the next ``add(_:of:)`` that returns true.
  package mutating func next() -> Job? {
    if let job = own.popFirst() { return job }
    while let share = turns.popFirst() {
      guard let lane = lanes.index(forKey: share) else { continue }
      var wanted: Job?
      while wanted == nil, let job = lanes.values[lane].jobs.popFirst() { if job.isWanted() { wanted = job } }
      if lanes.values[lane].jobs.isEmpty { lanes.remove(at: lane) } else { turns.append(share) }
      if let wanted { return wanted }
    }
    isRunning = false
    return nil
  }

  /// Returns true where no job is left, until the next ``add(_:of:)`` that returns true.
  mutating func restsIfDone() -> Bool {
    guard own.isEmpty, turns.isEmpty else { return false }
    isRunning = false
    return true
  }

  private mutating func clear(_ share: UInt64) {
    guard var lane = lanes.removeValue(forKey: share) else { return }
    lane.jobs.removeAll { !$0.isWanted() }
    lane.bound = max(Lane.shortest, 2 * lane.jobs.count)
    lanes[share] = lane
  }
}

/// An asker of a reply that has to be made first.
package struct ReplyAsker: Sendable {
  /// The same for all that one client asks.
  package var share: UInt64
  /// False: nobody waits for it any more, and it need not be made.
  package var isThere: @Sendable () -> Bool

  package init(share: UInt64, isThere: @escaping @Sendable () -> Bool = { true }) {
    (self.share, self.isThere) = (share, isThere)
  }
}
