import TestSupport
import Testing

@testable import HTTPServer

/// The wheel and the topic index against plain models, by seeded random operations.
@Suite struct IndexTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func theWheelForgetsNobodyAndComesNeverEarly(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var now = Int.random(in: 0..<1_000_000, using: &generator)
    var wheel = DeadlineWheel(now: now)
    var model: [Int32: Int] = [:]
    for _ in 0..<3000 {
      let slot = Int32.random(in: 0..<50, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        // Within the horizon: what is beyond comes back early, to be asked again.
        let deadline = now + Int.random(in: 0..<60_000, using: &generator)
        wheel.schedule(slot, at: deadline)
        model[slot] = min(model[slot] ?? Int.max, deadline)
      case 2:
        wheel.cancel(slot)
        model[slot] = nil
      default:
        now += Int.random(in: 0..<3000, using: &generator)
        var due: [Int32] = []
        wheel.expire(now: now, into: &due)
        for slot in due {
          #expect((model[slot] ?? Int.max) <= now, "seed \(seed)")
          model[slot] = nil
        }
        #expect(model.values.allSatisfy { $0 > now - DeadlineWheel.tickLength }, "seed \(seed)")
      }
      #expect(wheel.count == model.count, "seed \(seed)")
      if let next = wheel.nextExpiry, let earliest = model.values.min() {
        #expect(next <= earliest + DeadlineWheel.tickLength, "seed \(seed)")
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func theTopicIndexKnowsWhoWaitsForWhat(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var index = TopicIndex()
    var registrations: [Int32: (handle: Int32, exchange: UInt32, topics: Set<UInt64>)] = [:]
    for _ in 0..<2000 {
      let slot = Int32.random(in: 0..<40, using: &generator)
      if let registration = registrations[slot] {
        index.remove(registration.handle)
        registrations[slot] = nil
      } else {
        let topics = Set((0..<Int.random(in: 1...5, using: &generator)).map { _ in generator.next() % 8 })
        let exchange = UInt32(truncatingIfNeeded: generator.next())
        let handle = index.add(slot, exchange: exchange, topics.map { Topic(rawValue: $0) })
        registrations[slot] = (handle, exchange, topics)
      }
      let topic = generator.next() % 8
      var found: [Int32: UInt32] = [:]
      index.forEach(Topic(rawValue: topic)) { found[$0] = $1 }
      let expected = registrations.filter { $0.value.topics.contains(topic) }.mapValues(\.exchange)
      #expect(found == expected, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func theOutputQueueGivesBackWhatWasPutIn(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = OutputQueue()
    var model: [UInt8] = []
    for round in 0..<500 {
      let bytes = (0..<Int.random(in: 0..<20, using: &generator)).map { UInt8(truncatingIfNeeded: $0 + round) }
      let start = Int.random(in: 0...bytes.count, using: &generator)
      queue.append(bytes, from: start)
      model += bytes[start...]
      var gathered: [UInt8] = []
      queue.gather(into: &gathered, limit: 30)
      #expect(gathered.elementsEqual(model.prefix(gathered.count)), "seed \(seed)")
      if let next = queue.next { #expect(next.bytes[next.offset] == model.first, "seed \(seed)") }
      let taken = Int.random(in: 0...min(model.count, 15), using: &generator)
      queue.advance(taken)
      model.removeFirst(taken)
      #expect(queue.count == model.count, "seed \(seed)")
    }
  }
}
