import Foundation
import TablecastClient

/// Who is told of a table's states.
///
/// `@unchecked Sendable`: everything is used with the condition's lock held.
final class Observer: @unchecked Sendable {
  private let condition = NSCondition()
  private let keepsAll: Bool
  private var changes: [TableChange] = []

  init(keepsAll: Bool) { self.keepsAll = keepsAll }

  func receive(_ change: TableChange) {
    condition.lock()
    if !keepsAll { changes.removeAll(keepingCapacity: true) }
    changes.append(change)
    condition.signal()
    condition.unlock()
  }

  /// Returns the change that led there.
  @discardableResult
  func wait(for cursor: String) -> TableChange {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let change = changes.last, change.snapshot.cursor?.text == cursor { return change }
      condition.wait()
    }
  }
}
