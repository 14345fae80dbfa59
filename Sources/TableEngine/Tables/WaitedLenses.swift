import TableModel

/// The windows and searches that somebody waits with.
struct WaitedLenses {
  /// All that decides what wakes whoever waits, but for the view.
  struct Kind: Hashable {
    var rows: WindowRange?
    var find: FindSearch?

    init(_ lens: Lens) { (rows, find) = (lens.rows, lens.find) }
  }

  private(set) var counts: [Kind: Int] = [:]

  /// But for the whole table, as all see it.
  var kinds: [Kind] { counts.keys.filter { $0.rows != nil || $0.find != nil } }

  var windows: [WindowRange] { counts.keys.compactMap { $0.find == nil ? $0.rows : nil } }

  mutating func begin(_ kind: Kind) { counts[kind, default: 0] += 1 }

  mutating func end(_ kind: Kind) {
    guard let count = counts[kind] else { return }
    counts[kind] = count > 1 ? count - 1 : nil
  }
}
