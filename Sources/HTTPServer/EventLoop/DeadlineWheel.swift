/// When to look at which connection again: a wheel of lists, turned by the clock. Putting in, moving and taking out
/// are O(1); nothing is allocated for it but a few bytes for each slot of the connection table.
///
/// A deadline that moves away need not be told: when the old one comes, the connection says what it is now, and is
/// put in again. So keeping a busy connection alive costs nothing here.
struct DeadlineWheel {
  private struct Link {
    var next: Int32 = -1
    var previous: Int32 = -1
    /// The list that it is in, -1 for none.
    var spoke: Int32 = -1
    /// The tick that it is due at.
    var tick = 0
  }

  /// Milliseconds from one spoke to the next.
  static let tickLength = 32
  private static let spokes = 2048

  private var heads = [Int32](repeating: -1, count: DeadlineWheel.spokes)
  private var links: [Link] = []
  /// The last tick that was expired.
  private var current: Int
  /// How many connections are in.
  private(set) var count = 0
  /// No connection is due before this tick.
  private var earliest = Int.max

  init(now: Int) { current = now / DeadlineWheel.tickLength }

  /// The time at which `expire` has something to do, at the earliest; nil while the wheel is empty.
  var nextExpiry: Int? { count == 0 ? nil : earliest * DeadlineWheel.tickLength }

  /// Makes `slot` due at `deadline` at the latest: an earlier time at which it is due already stays.
  mutating func schedule(_ slot: Int32, at deadline: Int) {
    guard deadline != ConnectionStateMachine.never else { return }
    let index = Int(slot)
    while links.count <= index { links.append(Link()) }
    // Rounded up, so that a deadline has passed when its tick has come. What is beyond the wheel's horizon is
    // looked at when the wheel has turned once.
    let due = (deadline + DeadlineWheel.tickLength - 1) / DeadlineWheel.tickLength
    let tick = min(max(due, current + 1), current + DeadlineWheel.spokes - 1)
    if links[index].spoke >= 0 {
      if links[index].tick <= tick { return }
      cancel(slot)
    }
    let spoke = tick % DeadlineWheel.spokes
    let head = heads[spoke]
    links[index] = Link(next: head, previous: -1, spoke: Int32(truncatingIfNeeded: spoke), tick: tick)
    if head >= 0 { links[Int(head)].previous = slot }
    heads[spoke] = slot
    count += 1
    earliest = min(earliest, tick)
  }

  mutating func cancel(_ slot: Int32) {
    let index = Int(slot)
    guard index < links.count, links[index].spoke >= 0 else { return }
    let link = links[index]
    if link.previous >= 0 { links[Int(link.previous)].next = link.next } else { heads[Int(link.spoke)] = link.next }
    if link.next >= 0 { links[Int(link.next)].previous = link.previous }
    links[index].spoke = -1
    count -= 1
  }

  /// Takes out what is due by `now`, and appends it to `slots`. O(what is due + spokes passed).
  mutating func expire(now: Int, into slots: inout [Int32]) {
    let target = now / DeadlineWheel.tickLength
    guard target > current else { return }
    guard count > 0, earliest <= target else {
      current = target
      return
    }
    let first = max(current + 1, min(earliest, target))
    for tick in first...min(target, first + DeadlineWheel.spokes - 1) {
      let spoke = tick % DeadlineWheel.spokes
      while heads[spoke] >= 0 {
        let slot = heads[spoke]
        cancel(slot)
        slots.append(slot)
      }
    }
    current = target
    findEarliest()
  }

  private mutating func findEarliest() {
    earliest = Int.max
    guard count > 0 else { return }
    for tick in (current + 1)...(current + DeadlineWheel.spokes) where heads[tick % DeadlineWheel.spokes] >= 0 {
      earliest = tick
      return
    }
  }
}
