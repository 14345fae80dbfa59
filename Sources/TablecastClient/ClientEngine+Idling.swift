extension ClientEngine {
  /// Tables that stay in memory after their last observer has gone: their rows are shown at once to the next one.
  static let mostIdle = 16

  /// Drops the tables that were left longest ago. Their next observer gets the stored state, if there is one, and then
  /// the service's.
  func dropIdle() {
    for address in follower.idleTables.dropLast(Self.mostIdle) where !isNeeded(address) { drop(address) }
    // Of tables that nobody has observed yet edits alone are shown: nothing, once they are over.
    for address in hubs.keys where follower.tables[address] == nil && !isNeeded(address) { drop(address) }
    for (table, desk) in desks where desk.isIdle && !hubs.keys.contains(where: { $0.table == table }) {
      desks[table] = nil
    }
  }

  private func isNeeded(_ address: TableAddress) -> Bool {
    if let hub = hubs[address], !hub.observers.isEmpty || hub.heldUntil != nil { return true }
    guard desks[address.table]?.isIdle == false else { return false }
    // Any other screen or view of the table shows its edits as well.
    return !hubs.keys.contains { $0 != address && $0.table == address.table }
  }

  private func drop(_ address: TableAddress) {
    if hubs[address]?.savesAt != nil { save(address) }
    if let snapshot = hubs[address]?.snapshot { firstRevision = max(firstRevision, snapshot.revision + 1) }
    follower.drop(address)
    hubs[address] = nil
    shown[address] = nil
    if !hubs.keys.contains(where: { $0.table == address.table }) { desks[address.table] = nil }
  }
}
