internal import DequeModule

/// The turns at one host: requests of one origin, fairly by the source that they are of. A state machine without clock
/// and I/O; instants count from any fixed point.
///
/// So many requests are under way at once; of those that wait, each source's first comes in turn. A request that is not
/// answered within `patience` no longer counts as one of them, so that some paths that hang don't keep the others
/// waiting; but never are more than `most` under way in all, and sources whose requests hung last get half of these.
struct HostQueue<Request: Hashable> {
  /// Requests of one source, or of one kind that belongs to none.
  typealias Lane = Int

  private struct Running {
    var lane: Lane
    var started: Duration
  }

  let slots: Int
  let most: Int
  let patience: Duration
  private var running: [Request: Running] = [:]
  private var waiting: [Lane: Deque<Request>] = [:]
  /// The lanes that wait, in turn.
  private var turns = Deque<Lane>()
  /// The lanes whose last request was not answered within `patience`.
  private var slow: Set<Lane> = []

  init(slots: Int, most: Int? = nil, patience: Duration = .seconds(1)) {
    (self.slots, self.most, self.patience) = (slots, most ?? slots * 4, patience)
  }

  var isEmpty: Bool { running.isEmpty && waiting.isEmpty }
  var runningCount: Int { running.count }

  mutating func add(_ request: Request, of lane: Lane) {
    if waiting[lane] == nil { turns.append(lane) }
    waiting[lane, default: []].append(request)
  }

  /// Takes a request out, whether it waits or is under way. O(requests of its source).
  mutating func remove(_ request: Request, of lane: Lane, at now: Duration) {
    if let ended = running.removeValue(forKey: request) {
      if now - ended.started >= patience { slow.insert(lane) } else { slow.remove(lane) }
    } else if var queue = waiting[lane], let index = queue.firstIndex(of: request) {
      queue.remove(at: index)
      waiting[lane] = queue.isEmpty ? nil : queue
      if queue.isEmpty { turns.removeAll { $0 == lane } }
    }
  }

  /// The requests that start now. O(running) and O(sources that wait) for each.
  mutating func admit(at now: Duration) -> [Request] {
    var admitted: [Request] = []
    while let lane = nextLane(at: now), var queue = waiting[lane], let request = queue.popFirst() {
      turns.removeAll { $0 == lane }
      waiting[lane] = queue.isEmpty ? nil : queue
      if !queue.isEmpty { turns.append(lane) }
      running[request] = Running(lane: lane, started: now)
      admitted.append(request)
    }
    return admitted
  }

  /// When to ask `admit` again, if nothing ends before: the next request under way loses patience.
  func deadline(after now: Duration) -> Duration? {
    guard !waiting.isEmpty, running.count < most else { return nil }
    return running.values.map { $0.started + patience }.filter { $0 > now }.min()
  }

  private func nextLane(at now: Duration) -> Lane? {
    guard !turns.isEmpty, running.count < most, running.values.count(where: { now - $0.started < patience }) < slots
    else { return nil }
    if let lane = turns.first(where: { !isSlow($0, at: now) }) { return lane }
    let held = running.values.count { isSlow($0.lane, at: now) }
    return held < most / 2 ? turns.first : nil
  }

  private func isSlow(_ lane: Lane, at now: Duration) -> Bool {
    slow.contains(lane) || running.values.contains { $0.lane == lane && now - $0.started >= patience }
  }
}
