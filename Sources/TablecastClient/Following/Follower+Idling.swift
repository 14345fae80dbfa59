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
