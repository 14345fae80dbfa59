import Foundation
import TablecastClient

/// Who is told of a table's states.
///
/// `@unchecked Sendable`: everything is used with the condition's lock held.
final class Observer: @unchecked Sendable {
  private let condition = NSCondition()
  private let keepsAll: Bool
  private var states: [TableSnapshot] = []

  init(keepsAll: Bool) { self.keepsAll = keepsAll }

  func receive(_ change: TableChange) {
    condition.lock()
    if !keepsAll { states.removeAll(keepingCapacity: true) }
    states.append(change.snapshot)
    condition.signal()
    condition.unlock()
  }

  func wait(for cursor: String) {
    condition.lock()
    while states.last?.cursor?.text != cursor { condition.wait() }
    condition.unlock()
  }
}
