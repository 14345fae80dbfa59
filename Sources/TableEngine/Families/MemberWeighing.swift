import Synchronization
import TableModel
import TableStore

/// The growth of a family's member, said to its family as versions come. On the table's queue.
struct MemberWeighing: TableJob {
  let writer: TableWriter

  /// Returns whether there is room for the member's growth; else it is no member any more, and its readers are told.
  func hasRoom(for version: Version?) -> Bool {
    guard writer.isMember else { return true }
    return weigh(replacing: versions.current.table, by: version?.table) { $0.byteCount + $0.takenOverBytes }
  }

  /// The same, for what another replica has written. Where there is no room it is no member any more.
  func follow(_ previous: Table) {
    let current = versions.current.table
    _ = weigh(replacing: previous, by: current) {
      $0.byteCount + current.footprint(without: nil) + $0.restoredBytes
    }
  }

  private func weigh(replacing old: Table, by new: Table?, _ bytes: (TableContent) -> Int) -> Bool {
    let held = content.access { content in
      content.weight.take(bytes(content))
      if let new { content.weight.replace(old, by: new, history: versions.history) }
      return content.weight.byteCount
    }
    writer.heldBytes.store(held, ordering: .relaxed)
    return writer.table.withLock { $0.value }?.hasRoom(for: .ofContent) ?? true
  }
}
