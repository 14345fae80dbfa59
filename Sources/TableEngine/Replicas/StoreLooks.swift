import Dispatch
import TableStore
import Upstream

/// The outcome of a look at the store.
package enum LookOutcome: Int, Sendable {
  /// All that was committed before the look is shown here.
  case read
  /// The store is not there: what is known counts.
  case unreachable
  /// The store is there and has not said in time what others have written: nobody can tell whether what is known is old.
  case late

  /// The outcome of a look that the store did not answer.
  init(_ error: StoreError) {
    if case .unavailable = error { self = .unreachable } else { self = .late }
  }

  /// Returns the outcome of both.
  package func and(_ other: LookOutcome) -> LookOutcome { rawValue < other.rawValue ? other : self }
}

/// Looks at where a table stands in the store, or questions to another replica, for those who have to know: one at a time, and one for all who have asked
/// before it began. A state machine without I/O.
struct StoreLooks: Sendable {
  typealias Completion = @Sendable (LookOutcome) -> Void

  /// The waiters for the look under way; nil where there is none.
  private var present: [Completion]?
  /// The callers that have asked since it began: its result may be older.
  private var next: [Completion] = []
  /// The number of the look under way, so that one that is given up is told from it.
  private(set) var number: UInt64 = 0

  /// Somebody has to know. Whether a look is to begin.
  mutating func ask(_ completion: @escaping Completion) -> Bool {
    guard present != nil else {
      present = [completion]
      number += 1
      return true
    }
    next.append(completion)
    return false
  }

  /// The look under way begins once more, for the same who wait. False where it is over.
  mutating func beginAnew(_ look: UInt64) -> Bool {
    guard look == number, present != nil else { return false }
    number += 1
    return true
  }

  /// The time for a look is over. Returns whether it begins once more: where the process was stopped meanwhile it is the clock that
  /// has moved on.
  mutating func expire(_ look: UInt64, begun: DispatchTime, at now: DispatchTime = .now()) -> Bool {
    let patience = patienceOfLooks.dispatchInterval
    return now > begun + patience + patience && beginAnew(look)
  }

  /// The look is over. Whom to tell, and whether another one is to begin.
  ///
  /// - Parameter look: its number; nothing happens where it was given up before.
  mutating func end(_ look: UInt64) -> (told: [Completion], begins: Bool) {
    guard look == number, let told = present else { return ([], false) }
    present = next.isEmpty ? nil : next
    next = []
    if present != nil { number += 1 }
    return (told, present != nil)
  }
}
