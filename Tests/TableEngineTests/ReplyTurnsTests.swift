import Synchronization
import TestSupport
import Testing

@testable import TableEngine

@Suite struct ReplyTurnsTests {
  private final class Log: Sendable {
    let made = Mutex<[String]>([])
    let gone = Mutex<Set<String>>([])

    func job(_ name: String) -> ReplyTurns.Job {
      ReplyTurns.Job(
        isWanted: { [self] in !gone.withLock { $0.contains(name) } },
        make: { [self] in made.withLock { $0.append(name) } }
      )
    }

    func makeAll(_ turns: inout ReplyTurns) -> [String] {
      while let job = turns.next() { job.make() }
      return made.withLock { $0 }
    }
  }

  @Test func eachWhoAsksHasATurn() {
    let log = Log()
    let jobs: [(String, UInt64?)] = [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2), ("own", nil), ("b2", 2), ("c1", 3)]
    var turns = ReplyTurns()
    // The first who comes to an idle queue begins it, and nobody else does.
    let begun = jobs.map { turns.add(log.job($0.0), of: $0.1) }
    #expect(begun == [true] + Array(repeating: false, count: 6))
    let made = log.makeAll(&turns)
    #expect(made == ["own", "a1", "b1", "c1", "a2", "b2", "a3"])
    let isBegun = turns.add(log.job("d"), of: 1)
    #expect(isBegun)
    let last = log.makeAll(&turns).last
    #expect(last == "d")
  }

  /// Who makes asks behind each job whether more is to come; the next one who adds begins then, and nobody is left waiting.
  @Test func itRestsWhenAllIsDone() {
    let log = Log()
    var turns = ReplyTurns()
    for (name, share) in [("a", 1), ("own", nil)] as [(String, UInt64?)] { _ = turns.add(log.job(name), of: share) }
    for isLast in [false, true] {
      turns.next()?.make()
      let rests = turns.restsIfDone()
      #expect(rests == isLast)
    }
    let isBegun = turns.add(log.job("b"), of: 2)
    let rests = turns.restsIfDone()
    #expect(isBegun && !rests)
    let made = log.makeAll(&turns)
    #expect(made == ["own", "a", "b"])
  }

  @Test func whatNobodyWaitsForTakesNoTurn() {
    let log = Log()
    var turns = ReplyTurns()
    for name in ["a1", "a2", "a3"] { _ = turns.add(log.job(name), of: 1) }
    for name in ["b1", "b2"] { _ = turns.add(log.job(name), of: 2) }
    log.gone.withLock { $0 = ["a1", "a2", "b1", "b2"] }
    let made = log.makeAll(&turns)
    #expect(made == ["a3"])
    let isBegun = turns.add(log.job("c"), of: 1)
    #expect(isBegun, "nothing is left")
  }

  @Test func whatNobodyWaitsForIsNotHeld() {
    let log = Log()
    var turns = ReplyTurns()
    for number in 0..<10_000 {
      _ = turns.add(log.job("\(number)"), of: 1)
      log.gone.withLock { _ = $0.insert("\(number)") }
    }
    #expect(turns.count <= 65)
  }

  /// Nobody waits for more than one turn of each other, and each one's jobs come in order.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func turnsAreFair(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (turns, waiting): (ReplyTurns, [UInt64: [Int]]) = (ReplyTurns(), [:])
    let made = Mutex<(share: UInt64, number: Int)?>(nil)
    // Of those who have something to be made, since when others had turns.
    var passed: [UInt64: [UInt64: Int]] = [:]
    for number in 0..<2000 {
      if Bool.random(using: &generator) {
        let share = UInt64.random(in: 0..<5, using: &generator)
        let job = ReplyTurns.Job(isWanted: { true }, make: { made.withLock { $0 = (share, number) } })
        _ = turns.add(job, of: share)
        if waiting[share, default: []].isEmpty { passed[share] = [:] }
        waiting[share, default: []].append(number)
      } else {
        guard let job = turns.next() else {
          let left = waiting.values.reduce(0) { $0 + $1.count }
          #expect(left == 0, "seed \(seed), step \(number)")
          continue
        }
        job.make()
        guard let (share, first) = made.withLock({ $0 }) else { continue }
        #expect(waiting[share]?.first == first, "seed \(seed), step \(number)")
        waiting[share]?.removeFirst()
        passed[share] = [:]
        for (other, rest) in waiting where other != share && !rest.isEmpty {
          passed[other, default: [:]][share, default: 0] += 1
          #expect((passed[other]?[share] ?? 0) <= 1, "seed \(seed), step \(number)")
        }
      }
    }
  }
}
