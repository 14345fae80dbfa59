/// The connections that wait for each topic. Registering, and taking a connection out again, are O(its topics); nothing
/// is allocated but 32 bytes a registration, which are used again.
struct TopicIndex {
  /// One of a topic's ring. A ring begins and ends with a registration of no connection, so that whoever comes and goes
  /// has neighbours, and the topics need not be looked up when one of thousands goes.
  private struct Registration {
    var topic: Topic
    var slot: Int32
    var exchange: UInt32
    var next: Int32
    var previous: Int32
    /// The connection's next registration; in the free list, the next free one.
    var sibling: Int32
  }

  /// The first registration of each topic's ring.
  private var rings: [Topic: Int32] = [:]
  private var registrations: [Registration] = []
  private var free: Int32 = -1

  /// The index for "no registration".
  static let none: Int32 = -1

  /// Nobody waits for anything.
  var isEmpty: Bool { rings.isEmpty }

  /// Registers a connection, and the exchange that it has in hand, for topics. Returns what `remove` is to be given.
  mutating func add(_ slot: Int32, exchange: UInt32, _ topics: [Topic]) -> Int32 {
    var first = TopicIndex.none
    for topic in topics {
      let ring = ring(of: topic)
      let next = registrations[Int(ring)].next
      let index = insert(
        Registration(topic: topic, slot: slot, exchange: exchange, next: next, previous: ring, sibling: first)
      )
      registrations[Int(ring)].next = index
      registrations[Int(next)].previous = index
      first = index
    }
    return first
  }

  /// Takes out all registrations of a connection.
  mutating func remove(_ first: Int32) {
    var index = first
    while index >= 0 {
      let registration = registrations[Int(index)]
      let (next, previous) = (registration.next, registration.previous)
      registrations[Int(previous)].next = next
      registrations[Int(next)].previous = previous
      release(index)
      if next == previous {
        // Nobody but the ring's own beginning is left.
        rings[registration.topic] = nil
        release(next)
      }
      index = registration.sibling
    }
  }

  /// Calls `body` with every connection that waits for `topic`, and its exchange. O(their number).
  func forEach(_ topic: Topic, _ body: (_ slot: Int32, _ exchange: UInt32) -> Void) {
    guard let ring = rings[topic] else { return }
    var index = registrations[Int(ring)].next
    while index != ring {
      let registration = registrations[Int(index)]
      body(registration.slot, registration.exchange)
      index = registration.next
    }
  }

  private mutating func ring(of topic: Topic) -> Int32 {
    if let ring = rings[topic] { return ring }
    let ring = insert(
      Registration(topic: topic, slot: -1, exchange: 0, next: -1, previous: -1, sibling: TopicIndex.none)
    )
    registrations[Int(ring)].next = ring
    registrations[Int(ring)].previous = ring
    rings[topic] = ring
    return ring
  }

  private mutating func insert(_ registration: Registration) -> Int32 {
    guard free >= 0 else {
      registrations.append(registration)
      return Int32(truncatingIfNeeded: registrations.count - 1)
    }
    let index = free
    free = registrations[Int(index)].sibling
    registrations[Int(index)] = registration
    return index
  }

  private mutating func release(_ index: Int32) {
    registrations[Int(index)].sibling = free
    free = index
  }
}
