/// What keeps tables from being asked for, and what makes requests be made anew.
extension Follower {
  mutating func pause(_ reason: String, _ address: TableAddress?) {
    if let address {
      tables[address, default: FollowedTable(address)].pauses.insert(reason)
    } else {
      pauses.insert(reason)
    }
    for address in address.map({ [$0] }) ?? Array(tables.keys) { showPauses(address) }
  }

  mutating func showPauses(_ address: TableAddress) {
    guard let table = tables[address], table.refusal == nil, isPaused(table), table.isActive else { return }
    show(address, .paused)
  }

  mutating func resume(_ reason: String, _ address: TableAddress?, now: Double) {
    if let address { tables[address]?.pauses.remove(reason) } else { pauses.remove(reason) }
    for address in address.map({ [$0] }) ?? Array(tables.keys) {
      guard let table = tables[address], table.connection == .paused, !isPaused(table) else { continue }
      show(address, table.mirror == nil ? .connecting : .cached)
    }
    renewPolls(now: now)
  }

  /// Polls that wait are made anew, and those that have failed are made now, or once the service wants them.
  private mutating func renewPolls(now: Double) {
    for id in lanes.keys {
      lanes[id]?.isFresh = true
      if lanes[id]?.outstanding == nil { lanes[id]?.hasten(now: now) }
    }
  }

  func isPaused(_ table: FollowedTable) -> Bool { !pauses.isEmpty || !table.pauses.isEmpty }

  /// Waiting requests are made again at once, or once the service wants them; not more than once a second.
  mutating func wake(now: Double) {
    if let wokenAt, now - wokenAt < 1 { return }
    wokenAt = now
    reloadRefused(now: now)
    for address in tables.keys { tables[address]?.isSeparate = false }
    renewRequests(now: now)
  }

  /// All requests are made anew, at once or once the service wants them: they may hang, or have a former token.
  mutating func renewRequests(now: Double) {
    for id in lanes.keys {
      cancel(id)
      lanes[id]?.isFresh = true
      lanes[id]?.hasten(now: now)
    }
  }

  /// Requests of before are made anew: their answers are perhaps the former user's.
  mutating func purge() {
    for address in tables.keys { tables[address]?.isForgotten = true }
    for id in lanes.keys where lanes[id]?.outstanding != nil {
      cancel(id)
      lanes[id]?.isFresh = true
    }
  }

  /// A request that was made after a purge was answered: the table may be kept again.
  mutating func remember(_ address: TableAddress) {
    guard tables[address]?.isForgotten == true else { return }
    tables[address]?.isForgotten = false
    actions.append(.changed(address, .status))
  }
}

extension Follower {
  /// Tables that are not followed, and that no request under way names; those that were left first come first.
  /// O(tables · log tables).
  var idleTables: [TableAddress] {
    var asked: Set<TableAddress> = []
    for lane in lanes.values { asked.formUnion(lane.outstanding?.asks.keys.map(\.self) ?? []) }
    let idle = tables.values.filter { $0.isIdle && !asked.contains($0.address) }
    return idle.sorted { ($0.leftAt ?? 0, $0.address.segment) < ($1.leftAt ?? 0, $1.address.segment) }.map(\.address)
  }

  /// Knows nothing of an idle table any more: the next observer is its first one.
  mutating func drop(_ address: TableAddress) {
    tables[address] = nil
    lanes[.alone(address)] = nil
  }
}
