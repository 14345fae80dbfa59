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
}

extension TableContent {
  /// These are all that there are.
  mutating func borrow(_ loans: [Loan]) {
    borrowed = [:]
    if !isGuest { inputRevisions = [:] }
    for loan in loans {
      let kept = loan.keeper.flatMap { keeper in keeper.guests.withLock { $0.items } }
      borrow(kept?.items ?? loan.seed, of: loan.source, at: kept?.base, of: loan.keeper?.storedName)
    }
  }

  /// - Parameters:
  ///   - revision: of the table that keeps them.
  ///   - keeper: its stored name; nil where none keeps them.
  /// - Complexity: O(items).
  mutating func borrow(_ items: LocalItems, of source: String, at revision: Revision?, of keeper: String?) {
    borrowed[source] = .owned(items.owned)
    if let keeper { inputRevisions[keeper] = revision?.number }
  }
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
