import Synchronization

/// Waiters that wait alike for several tables: each table is told of the first one that comes and of the last one that
/// goes, and asks for their number where somebody wants to know it. Any thread.
package final class WaiterGroup: Sendable {
  private let members = Atomic(0)

  package init() {}

  package var count: Int { members.load(ordering: .relaxed) }

  /// - Returns: true for the first one.
  package func join() -> Bool { members.add(1, ordering: .relaxed).newValue == 1 }

  /// - Returns: true for the last one.
  package func leave() -> Bool { members.subtract(1, ordering: .relaxed).newValue == 0 }
}
