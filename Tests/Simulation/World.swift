import CSimulation
import Dispatch
import Queues
import TestSupport

/// All that happens, in one order that a seed chooses: of the queues that have something to do, the timers that are due, and those
/// who wait for something that has come, one goes on at each step.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class World: @unchecked Sendable {
  let seed: UInt64
  var random: SeededGenerator
  /// Nanoseconds of the monotonic clock.
  private(set) var now: UInt64 = 1_000_000_000_000
  private(set) var steps = 0
  /// Of all that was done, in its order: two runs of one seed have the same.
  private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325
  /// Queues on the way to now, innermost last.
  var working: [SimulatedQueue] = []
  private(set) var fiber: Fiber?
  let history = History()
  /// Each step is printed.
  var traces = false
  /// Steps take so many times as long as is usual: more happens that takes seconds, such as the end of a lease.
  var pace: UInt64 = 1
  /// Called after each step.
  var afterStep: () -> Void = {}

  private var ready: [SimulatedQueue] = []
  private var fibers: [Fiber] = []
  private var timers = TimerHeap()
  private var groups: [(group: DispatchGroup, queue: SimulatedQueue, work: @Sendable () -> Void)] = []
  private var timerNumber: UInt64 = 0
  /// For ever.
  private var graves: [Any] = []
  /// Queues that hardly ever get their turn, for some steps: what follows quickly elsewhere overtakes them.
  private var slow: Set<UInt64> = []
  private var slowUntil = 0
  /// Some queues hardly ever get their turn, now and then.
  var starves = true {
    didSet { if !starves { slow = [] } }
  }
  private static let wall: UInt64 = 1_790_000_000_000_000_000

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    simulation_seed(seed &* 0x9e37_79b9_7f4a_7c15 | 1)
    setClocks(nil)
  }

  /// True once in `of` times.
  func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
  func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  func pick<Element>(_ list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &random)] }

  private func setClocks(_ host: Host?) {
    simulation_set_clocks(now, UInt64(Int64(Self.wall + now) + (host?.skew ?? 0)))
  }

  // MARK: What is to be done

  func list(_ queue: SimulatedQueue) {
    guard !queue.isListed, !queue.pieces.isEmpty else { return }
    queue.isListed = true
    ready.append(queue)
  }

  func schedule(at instant: UInt64, on queue: SimulatedQueue, _ work: @escaping @Sendable () -> Void) {
    guard queue.host.isAlive else { return keep(work) }
    timerNumber += 1
    timers.add(TimerHeap.Entry(instant: instant, number: timerNumber, queue: queue, work: work))
  }

  /// In so many milliseconds.
  func after(_ milliseconds: Double, on queue: SimulatedQueue, _ work: @escaping @Sendable () -> Void) {
    schedule(at: now + UInt64(milliseconds * 1e6), on: queue, work)
  }

  func schedule(after group: DispatchGroup, on queue: SimulatedQueue, _ work: @escaping @Sendable () -> Void) {
    guard group.wait(timeout: .now()) != .success else { return queue.add(work) }
    groups.append((group, queue, work))
  }

  func start(_ fiber: Fiber) { fibers.append(fiber) }

  /// A configuration is taken over beside all queues: these go on in the middle of it.
  func letOthersGoOn() {
    guard let fiber, chance(4) else { return }
    let end = steps + pick([0, 0, 5, 20])
    fiber.wait { [unowned self] in steps >= end || ready.isEmpty }
  }

  /// What was held for a process that has ended.
  func bury(_ host: Host) {
    graves.append(host)
    for queue in ready where queue.host === host { graves.append(queue) }
    ready.removeAll { $0.host === host }
    for entry in timers.remove(where: { $0.queue.host === host }) { graves.append(entry) }
    for group in groups where group.queue.host === host { graves.append(group) }
    groups.removeAll { $0.queue.host === host }
    for fiber in fibers where fiber.host === host { graves.append(fiber) }
    fibers.removeAll { $0.host === host }
  }

  func keep(_ piece: @escaping () -> Void) { graves.append(piece) }

  // MARK: Steps

  /// Does one thing. False: there is nothing to do any more.
  @discardableResult
  func step() -> Bool {
    now += UInt64.random(in: 500...40_000, using: &random) * pace
    if chance(400) { now += UInt64.random(in: 0...20_000_000, using: &random) }
    while true {
      while let entry = timers.takeDue(now) { entry.queue.add(entry.work) }
      leaveGroups()
      if perform() { break }
      // Nobody has anything to do: time goes on.
      guard let next = earliest else { return false }
      now = max(now + 1, next)
    }
    steps += 1
    afterStep()
    return true
  }

  private var earliest: UInt64? {
    let paused = (ready.map(\.host.pausedUntil) + fibers.map(\.host.pausedUntil)).filter { $0 > now }.min()
    return [timers.first?.instant, paused].compactMap(\.self).min()
  }

  private func leaveGroups() {
    guard !groups.isEmpty else { return }
    for entry in groups where entry.group.wait(timeout: .now()) == .success { entry.queue.add(entry.work) }
    groups.removeAll { $0.group.wait(timeout: .now()) == .success }
  }

  private func perform() -> Bool {
    if steps >= slowUntil {
      slowUntil = steps + pick(50...1_000)
      let isFair = !starves || chance(3)
      slow = isFair ? [] : Set((0..<pick(1...3)).compactMap { _ in ready.isEmpty ? nil : pick(ready).digest })
    }
    let able = ready.indices.filter { ready[$0].host.pausedUntil <= now }
    let waiting = fibers.indices.filter { fibers[$0].host.pausedUntil <= now && (fibers[$0].isReady?() ?? false) }
    let quick = slow.isEmpty || chance(60) ? able : able.filter { !slow.contains(ready[$0].digest) }
    let queues = quick.isEmpty && waiting.isEmpty ? able : quick
    guard !(queues.isEmpty && waiting.isEmpty) else { return false }
    let chosen = pick(0...(queues.count + waiting.count - 1))
    if chosen < queues.count { perform(of: ready[queues[chosen]]) } else { goOn(waiting[chosen - queues.count]) }
    return true
  }

  private func goOn(_ index: Int) {
    let next = fibers[index]
    mix(1)
    if traces { print(steps, now, "fiber") }
    setClocks(next.host)
    let (outer, stack) = (fiber, working)
    (fiber, working) = (next, next.working)
    next.goOn()
    next.working = working
    (fiber, working) = (outer, stack)
    if next.isOver { fibers.removeAll { $0 === next } }
  }

  private func perform(of queue: SimulatedQueue) {
    let place = queue.isSerial ? 0 : pick(0...(queue.pieces.count - 1))
    let piece = take(place, of: queue)
    mix(queue.digest &+ UInt64(queue.pieces.count))
    if traces { print(steps, now, queue.label, queue.pieces.count, ready.count, random.state) }
    setClocks(queue.host)
    perform(piece, of: queue)
  }

  func take(_ place: Int, of queue: SimulatedQueue) -> () -> Void {
    let piece = queue.pieces.remove(at: place)
    if queue.pieces.isEmpty { unlist(queue) }
    return piece
  }

  /// Queues of a host that have something to do.
  func waiting(of host: Host) -> [SimulatedQueue] { ready.filter { $0.host === host } }

  func unlist(_ queue: SimulatedQueue) {
    queue.isListed = false
    ready.removeAll { $0 === queue }
  }

  func perform(_ work: () -> Void, of queue: SimulatedQueue) {
    working.append(queue)
    work()
    working.removeLast()
  }

  func mix(_ value: UInt64) {
    digest = (digest ^ value ^ now) &* 0x100_0000_01b3
  }
}

/// What is to be done at some time, the earliest first.
struct TimerHeap {
  struct Entry {
    var instant: UInt64
    var number: UInt64
    var queue: SimulatedQueue
    var work: @Sendable () -> Void

    static func < (left: Entry, right: Entry) -> Bool {
      (left.instant, left.number) < (right.instant, right.number)
    }
  }

  /// In falling order.
  private var entries: [Entry] = []

  var first: Entry? { entries.last }

  mutating func add(_ entry: Entry) {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entry < entries[middle] { low = middle + 1 } else { high = middle }
    }
    entries.insert(entry, at: low)
  }

  mutating func takeDue(_ now: UInt64) -> Entry? {
    guard let last = entries.last, last.instant <= now else { return nil }
    return entries.removeLast()
  }

  mutating func remove(where condition: (Entry) -> Bool) -> [Entry] {
    let removed = entries.filter(condition)
    entries.removeAll(where: condition)
    return removed
  }
}
