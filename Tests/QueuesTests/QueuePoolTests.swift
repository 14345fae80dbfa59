import Dispatch
import Queues
import Synchronization
import TestSupport
import Testing

@Suite struct QueuePoolTests {
  /// What the queues of a test have done.
  private final class Record: Sendable {
    let state = Mutex(State())
    let busy = Atomic(0)
    let mostBusy = Atomic(0)

    struct State {
      var numbers: [[Int]] = []
      var inside: [Bool] = []
      var overlaps = 0
    }

    init(queues: Int) {
      state.withLock {
        $0 = State(numbers: Array(repeating: [], count: queues), inside: Array(repeating: false, count: queues))
      }
    }

    func begin(_ queue: Int, _ number: Int) {
      mostBusy.max(busy.add(1, ordering: .sequentiallyConsistent).newValue, ordering: .sequentiallyConsistent)
      state.withLock { state in
        if state.inside[queue] { state.overlaps += 1 }
        state.inside[queue] = true
        state.numbers[queue].append(number)
      }
    }

    func end(_ queue: Int) {
      state.withLock { $0.inside[queue] = false }
      busy.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  @Test(arguments: [1, 2, 3, 5, 8].map { UInt64($0) })
  func eachQueueDoesItsWorkInOrderAndAlone(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let threads = Int.random(in: 1...4, using: &random)
    let pool = QueueFactory.dispatch.pool("test", threads: threads)
    let queues = (0..<50).map { pool.serial("\($0)") }
    let record = Record(queues: queues.count)
    let group = DispatchGroup()
    let rounds = 4_000
    var given = Array(repeating: 0, count: queues.count)
    for _ in 0..<rounds {
      // One of them is busier than all others.
      let place = Bool.random(using: &random) ? 0 : Int.random(in: queues.indices, using: &random)
      let (queue, number) = (queues[place], given[place])
      given[place] += 1
      group.enter()
      queue.async {
        queue.check()
        record.begin(place, number)
        record.end(place)
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + 60) == .success, "seed \(seed)")
    record.state.withLock { state in
      #expect(state.overlaps == 0, "seed \(seed)")
      #expect(state.numbers.allSatisfy { $0 == Array($0.indices) }, "seed \(seed)")
      #expect(state.numbers.map(\.count) == given, "seed \(seed)")
    }
    #expect(record.mostBusy.load(ordering: .relaxed) <= threads, "seed \(seed)")
  }

  @Test(arguments: [1, 2, 3].map { UInt64($0) })
  func tasksHaveTheQueueBehindWhatWasGivenBefore(seed: UInt64) async {
    let pool = QueueFactory.dispatch.pool("test", threads: 2)
    let queues = (0..<5).map { pool.serial("\($0)") }
    let record = Record(queues: queues.count)
    await withTaskGroup { group in
      for caller in 0..<6 {
        group.addTask(executorPreference: QueueExecutor(QueueFactory.dispatch.serial("caller"))) {
          var random = SeededGenerator(seed: seed &* 100 &+ UInt64(caller))
          for number in 0..<500 {
            let place = Int.random(in: queues.indices, using: &random)
            let marker = caller * 1_000 + number
            queues[place].async {
              record.begin(place, marker)
              record.end(place)
            }
            let isBehind = await queues[place].run {
              queues[place].check()
              record.begin(place, -1)
              defer { record.end(place) }
              // What the same caller gave before it waited is done.
              return record.state.withLock { $0.numbers[place].contains(marker) }
            }
            #expect(isBehind, "seed \(seed)")
          }
        }
      }
    }
    record.state.withLock { #expect($0.overlaps == 0, "seed \(seed)") }
  }

  /// Each piece of a task between two waits is work of its executor's queue.
  @Test func aTaskGoesOnOnItsExecutor() async {
    let factory = QueueFactory.dispatch
    let (own, other) = (factory.pool("test", threads: 1).serial("own"), factory.serial("other"))
    await withTaskExecutorPreference(QueueExecutor(own)) {
      own.check()
      #expect(await other.run { 1 } == 1)
      own.check()
      await other.sleep(for: .milliseconds(1))
      own.check()
      let calls = JoinedCalls<Int, Int>(0) { $0 += $1 }
      for number in 1...3 {
        let finish = calls.begin()
        other.async { finish(number) }
      }
      #expect(await calls.all(on: other) == 6)
      own.check()
    }
  }

  @Test func aBusyQueueGivesWayToOthers() {
    let pool = QueueFactory.dispatch.pool("test", threads: 1)
    let (busy, other) = (pool.serial("busy"), pool.serial("other"))
    let isOver = Atomic(false)
    let done = DispatchSemaphore(value: 0)
    @Sendable func goOn() { if !isOver.load(ordering: .relaxed) { busy.async { goOn() } } }
    for _ in 0..<200 { busy.async { goOn() } }
    other.async { done.signal() }
    #expect(done.wait(timeout: .now() + 60) == .success)
    isOver.store(true, ordering: .relaxed)
    busy.sync {}
  }

  @Test func workComesAfterADeadlineAndAfterAGroup() {
    let queue = QueueFactory.dispatch.pool("test", threads: 1).serial("queue")
    let (group, done) = (DispatchGroup(), DispatchSemaphore(value: 0))
    let earliest = DispatchTime.now() + .milliseconds(20)
    group.enter()
    queue.asyncAfter(deadline: earliest) {
      queue.check()
      #expect(DispatchTime.now() >= earliest)
      group.leave()
    }
    group.notify(queue: queue) {
      queue.check()
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
  }
}
