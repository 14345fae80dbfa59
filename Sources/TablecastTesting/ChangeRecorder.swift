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

  /// Waits until an awaited state is shown, be it the last one or a later one, or for `seconds`. Returns the state, or
  /// nil.
  public func wait(seconds: Double = 30, until isAwaited: (TableSnapshot) -> Bool) -> TableSnapshot? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    var next = max(0, recorded.count - 1)
    while true {
      for change in recorded[next...] where isAwaited(change.snapshot) { return change.snapshot }
      next = recorded.count
      guard condition.wait(until: deadline) else { return nil }
    }
  }
}
