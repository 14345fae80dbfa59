/// Which connections wait for which topic. Registering, and taking a connection out again, are O(its topics);
/// nothing is allocated for it but 20 bytes a registration, which are used again.
struct TopicIndex {
  private struct Registration {
    var topic: Topic
    var slot: Int32
    /// Neighbours in the topic's list.
    var next: Int32
    var previous: Int32
    /// The connection's next registration; in the free list, the next free one.
    var sibling: Int32
  }

  private var heads: [Topic: Int32] = [:]
  private var registrations: [Registration] = []
  private var free: Int32 = -1

  /// Where no registration is.
  static let none: Int32 = -1

  /// Registers a connection for topics. Returns what `remove` is to be given.
  mutating func add(_ slot: Int32, _ topics: [Topic]) -> Int32 {
    var first = TopicIndex.none
    for topic in topics {
      let head = heads[topic] ?? -1
      let registration = Registration(topic: topic, slot: slot, next: head, previous: -1, sibling: first)
      let index: Int32
      if free >= 0 {
        index = free
        free = registrations[Int(index)].sibling
        registrations[Int(index)] = registration
      } else {
        index = Int32(truncatingIfNeeded: registrations.count)
        registrations.append(registration)
      }
      if head >= 0 { registrations[Int(head)].previous = index }
      heads[topic] = index
      first = index
    }
    return first
  }

  /// Takes out all registrations of a connection.
  mutating func remove(_ first: Int32) {
    var index = first
    while index >= 0 {
      let registration = registrations[Int(index)]
      if registration.previous >= 0 {
        registrations[Int(registration.previous)].next = registration.next
      } else if registration.next >= 0 {
        heads[registration.topic] = registration.next
      } else {
        heads[registration.topic] = nil
      }
      if registration.next >= 0 { registrations[Int(registration.next)].previous = registration.previous }
      registrations[Int(index)].sibling = free
      free = index
      index = registration.sibling
    }
  }

  /// Calls `body` with every connection that waits for `topic`. O(their number).
  func forEach(_ topic: Topic, _ body: (Int32) -> Void) {
    var index = heads[topic] ?? -1
    while index >= 0 {
      body(registrations[Int(index)].slot)
      index = registrations[Int(index)].next
    }
  }
}
