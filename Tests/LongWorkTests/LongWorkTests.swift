import Dispatch
import Glibc
import LongWork
import Synchronization
import Testing

@Suite struct LongWorkTests {
  /// Of the calling thread.
  private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

  @Test(arguments: [0, 1, 2, 1000]) func eachNumberOnce(count: Int) {
    let numbers = Mutex<[Int]>([])
    LongWork.perform(iterations: count) { number in numbers.withLock { $0.append(number) } }
    #expect(numbers.withLock { $0.sorted() } == Array(0..<count))
  }

  @Test func othersGoBeforeIt() {
    let before = Self.niceness
    let least = Mutex(Int32.max)
    LongWork.perform(iterations: 100) { _ in least.withLock { $0 = min($0, Self.niceness) } }
    #expect(least.withLock { $0 } > before)
    // Whoever waited is as before.
    #expect(Self.niceness == before)
  }

  /// Work goes on while longer work, begun before, fills all cores.
  @Test func workDoesNotWaitForLongerWork() {
    let (hasBegun, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isLate = Mutex(false)
    let longer = DispatchGroup()
    DispatchQueue.global().async(group: longer) {
      LongWork.onAllCores(upTo: .max) {
        hasBegun.signal()
        if isDone.wait(timeout: .now() + 60) == .timedOut { isLate.withLock { $0 = true } }
        isDone.signal()
      }
    }
    #expect(hasBegun.wait(timeout: .now() + 60) == .success)
    for _ in 0..<20 { LongWork.perform(iterations: 100) { _ in } }
    isDone.signal()
    longer.wait()
    #expect(!isLate.withLock { $0 })
  }
}
