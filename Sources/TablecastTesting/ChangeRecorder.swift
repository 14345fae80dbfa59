import Foundation
public import TablecastClient

/// Keeps what a table's observers are told.
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

  /// Waits until a state is shown, at most so many seconds. Returns it, or nil.
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
