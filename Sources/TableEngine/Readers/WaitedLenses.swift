import TableModel

/// The windows and searches that somebody waits with.
struct WaitedLenses {
  /// All that decides what wakes a waiter, but for the view.
  struct Kind: Hashable {
    var rows: WindowRange?
    var find: FindSearch?

    init(_ lens: Lens) { (rows, find) = (lens.rows, lens.find) }
  }

  private(set) var counts: [Kind: Int] = [:]
  /// By search, the earliest version that a waiter with it has seen.
  private(set) var earliest: [Kind: Cursor] = [:]

  /// But for the whole table, as all see it.
  var kinds: [Kind] { counts.keys.filter { $0.rows != nil || $0.find != nil } }

  var windows: [WindowRange] { counts.keys.compactMap { $0.find == nil ? $0.rows : nil } }

  /// Crowds whose members are counted once.
  private var groups: [ObjectIdentifier: (group: WaiterGroup, kinds: [Kind])] = [:]

  /// By window, how many wait; nil is the whole table.
  var byWindow: [WindowRange?: Int] {
    var windows: [WindowRange?: Int] = [:]
    for (kind, count) in counts { windows[kind.rows, default: 0] += count }
    for (group, kinds) in groups.values {
      for kind in kinds { windows[kind.rows, default: 0] += max(group.count - 1, 0) }
    }
    return windows
  }

  /// - Parameters:
  ///   - after: what the waiter has seen.
  ///   - group: all of whom it begins for; nil: for one.
  mutating func begin(_ kind: Kind, after: Cursor?, _ group: WaiterGroup? = nil) {
    counts[kind, default: 0] += 1
    if kind.find != nil, let after {
      let isEarliest = earliest[kind].map { $0.epoch != after.epoch || $0.version > after.version } ?? true
      if isEarliest { earliest[kind] = after }
    }
    if let group { groups[ObjectIdentifier(group), default: (group, [])].kinds.append(kind) }
  }

  mutating func end(_ kind: Kind, _ group: WaiterGroup? = nil) {
    if let name = group.map({ ObjectIdentifier($0) }), let place = groups[name]?.kinds.firstIndex(of: kind) {
      groups[name]?.kinds.remove(at: place)
      if groups[name]?.kinds.isEmpty ?? false { groups[name] = nil }
    }
    guard let count = counts[kind] else { return }
    counts[kind] = count > 1 ? count - 1 : nil
    if count <= 1 { earliest[kind] = nil }
  }
}
