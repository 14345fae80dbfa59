import TestSupport
import Testing

@testable import TableEngine

@Suite struct FairQueueTests {
  /// Against lists that are searched: those of whoever holds most, and of several such of whoever has used none for longest.
  @Test(arguments: seeds(of: 20))
  func againstAModel(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = FairQueue<Int, Int>()
    var model: [(holder: Int, element: Int, ticket: FairQueue<Int, Int>.Ticket)] = []
    // When somebody has got, lost or used something last.
    var used: [Int: Int] = [:]
    func count(_ holder: Int) -> Int { model.count { $0.holder == holder } }
    for step in 0..<1500 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        // Some come seldom, one very often.
        let holder = Bool.random(using: &generator) ? 0 : Int.random(in: 0..<8, using: &generator)
        model.append((holder, step, queue.append(step, of: holder)))
        used[holder] = step
      case 2:
        guard let index = model.indices.randomElement(using: &generator) else { continue }
        let entry = model.remove(at: index)
        queue.refresh(entry.ticket)
        model.append(entry)
        used[entry.holder] = step
      default:
        guard let index = model.indices.randomElement(using: &generator) else { continue }
        let entry = model.remove(at: index)
        queue.remove(entry.ticket)
        used[entry.holder] = step
      }
      let most = (0..<8).map(count).max() ?? 0
      let holder = (0..<8).filter { count($0) == most }.min { used[$0] ?? -1 < used[$1] ?? -1 }
      let expected = most == 0 ? nil : model.first { $0.holder == holder }?.element
      #expect(queue.first == expected, "seed \(seed), step \(step)")
      #expect((0..<8).allSatisfy { queue.count(of: $0) == count($0) }, "seed \(seed), step \(step)")
    }
  }
}
