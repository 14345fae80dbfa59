internal import CEventPoll
internal import Dispatch
internal import Synchronization

/// Work that fills all cores for milliseconds, in a process that is asked for what takes a tenth of one.
///
/// Between threads of one priority, Linux lets whoever runs come to the end of a slice, some 3 ms, before another that has
/// woken up; a thread of low priority it stops at once. So work that nobody waits for at that grain is done by such threads,
/// the `background` ones of Dispatch (nice 10): alone it has the whole machine, beside threads that never rest a tenth of it.
public enum LongWork {
  /// Performs `body` once on each of as many threads as there are cores, but for no more than `count`, and returns when all
  /// have. They divide the work between them. Whoever calls waits, and has no part in it.
  public static func onAllCores(upTo count: Int, _ body: @Sendable () -> Void) {
    withoutActuallyEscaping(body) { body in
      let group = DispatchGroup()
      for _ in 0..<min(count, cores) {
        // A queue each: work that other threads wait for never waits for a place among those of longer work.
        DispatchQueue(label: "tablecast.long", qos: .background).async(group: group, execute: body)
      }
      group.wait()
    }
  }

  /// Performs `body` for each number below `iterations`, in no order.
  public static func perform(iterations: Int, _ body: @Sendable (Int) -> Void) {
    let next = Atomic(0)
    onAllCores(upTo: iterations) {
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < iterations else { return }
        body(number)
      }
    }
  }

  private static let cores = Int(cpoll_processors())
}
