import Synchronization
import TableMapping
import TableStore

/// Items of the service's own that a table shows or looks up, and another one keeps.
struct Loan: Sendable {
  var source: String
  /// As the configuration has them: where no table keeps them.
  var seed: LocalItems
  /// What keeps them.
  var keeper: TableWriter?

  var items: LocalItems { keeper?.guests.withLock { $0.items?.items } ?? seed }
}

extension TableContent {
  /// These are all that there are.
  mutating func borrow(_ loans: [Loan]) {
    borrowed = [:]
    for loan in loans { borrow(loan.items, of: loan.source) }
  }

  /// - Complexity: O(items).
  mutating func borrow(_ items: LocalItems, of source: String) { borrowed[source] = .owned(items.owned) }
}

extension LocalItems {
  /// As a mapping takes them. O(items).
  var owned: [OwnedItem] { stored.map { OwnedItem($0) } }
}

extension OwnedItem {
  init(_ stored: StoredItem) {
    self.init(number: stored.item.id.rawValue, name: stored.item.name, rank: stored.rank, bytes: stored.item.body)
  }
}
