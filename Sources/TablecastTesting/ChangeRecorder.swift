import Foundation
public import TablecastClient

/// Records the changes of a table.
///
/// `@unchecked Sendable`: everything is used with the condition's lock held.
public final class ChangeRecorder: @unchecked Sendable {
  private let condition = NSCondition()
  private var recorded: [TableChange] = []

  public init() {}

  /// For `LiveTable.observe`.
  public var receive: @Sendable (TableChange) -> Void {
    { [self] change in
      condition.lock()
      recorded.append(change)
      condition.broadcast()
      condition.unlock()
    }
  }

  public var changes: [TableChange] {
    condition.lock()
    defer { condition.unlock() }
    return recorded
  }

  /// Waits until an awaited state is shown, or for `seconds`. Returns the state, or nil.
  public func wait(seconds: Double = 30, until isAwaited: (TableSnapshot) -> Bool) -> TableSnapshot? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let snapshot = recorded.last?.snapshot, isAwaited(snapshot) { return snapshot }
      guard condition.wait(until: deadline) else { return nil }
    }
  }
}
