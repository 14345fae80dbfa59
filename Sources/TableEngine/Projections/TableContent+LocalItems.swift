import Definitions
import TableMapping
import TableStore

extension TableContent {
  /// Takes over the items of one of the service's own sources: the table's own, or others that it shows or looks up. Not where
  /// edits from here are on their way, which are ahead of these.
  ///
  /// - Returns: whether that changes anything.
  /// - Complexity: O(1) for the table's own, O(items) for others.
  mutating func take(_ snapshot: ItemSnapshot, of log: ItemLog) -> Bool {
    guard log.source == local?.source else {
      guard otherItems[log.source] == nil || otherRevisions[log.source] != snapshot.revision else { return false }
      takeOther(snapshot, of: log)
      return true
    }
    guard editsUnderWay == 0, local?.revision != snapshot.revision else { return false }
    show(snapshot, of: log)
    return true
  }

  /// Shows the items of the table's own source so.
  mutating func show(_ snapshot: ItemSnapshot, of log: ItemLog) {
    local?.items = snapshot.items
    local?.revision = snapshot.revision
    inputRevisions.own = log.storedName
    inputRevisions[log.storedName] = snapshot.revision.number
  }

  /// The items of the table's own source, which can be edited through it.
  mutating func own(_ snapshot: ItemSnapshot, of log: ItemLog, _ definition: LocalDefinition) {
    local = LocalContent(
      source: log.source,
      items: snapshot.items,
      revision: snapshot.revision,
      definition: definition
    )
    show(snapshot, of: log)
  }

  /// These are all other sources of the service's own that there are.
  mutating func takeOthers(_ logs: [ItemLog]) {
    (otherItems, otherRevisions) = ([:], [:])
    inputRevisions.keepOwn()
    for log in logs { takeOther(log.committed, of: log) }
  }

  private mutating func takeOther(_ snapshot: ItemSnapshot, of log: ItemLog) {
    otherItems[log.source] = .owned(snapshot.items.owned)
    otherRevisions[log.source] = snapshot.revision
    // Items that only the configuration has are the same on every replica.
    inputRevisions[log.storedName] = log.isStored ? snapshot.revision.number : nil
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
