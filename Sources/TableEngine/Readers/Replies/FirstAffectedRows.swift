import TableDiff
import TableFinding
import TableModel
import TableStore

/// From which row on two versions differ: asked by each waiter with a window, found out once.
struct FirstAffectedRows {
  /// Two versions, and what their rows are seen through. With their epochs: another one counts from the beginning.
  struct Pair: Hashable {
    var from: Cursor
    var to: Cursor
    var appearance: LensTag.Digest?
  }
  private var rows: [Pair: Int] = [:]
  /// The results for windows that do not begin at the beginning.
  private var windows: [WindowPair: Bool] = [:]
  private var found: [FoundPair: Bool] = [:]
  /// The size of the searches, about, in bytes.
  private var foundBytes = 0
  private static let maximumFoundBytes = 4 << 20

  private struct WindowPair: Hashable {
    var window: WindowRange
    var pair: Pair
  }

  /// Also known is what two versions show by way of the one before the second: up to that one nothing that is seen has changed.
  /// It is kept, so that the next version is joined to it.
  subscript(pair: Pair) -> Int? {
    mutating get {
      if let known = rows[pair] { return known }
      guard let middle = pair.to.predecessor(after: pair.from),
        rows[Pair(from: pair.from, to: middle, appearance: pair.appearance)] == Int.max,
        let joined = rows[Pair(from: middle, to: pair.to, appearance: pair.appearance)]
      else { return nil }
      self[pair] = joined
      return joined
    }
    set {
      // Sets of cells are the clients' to choose.
      if rows.count >= 4_096 { rows = [:] }
      rows[pair] = newValue
    }
  }

  subscript(window: WindowRange, pair: Pair) -> Bool? {
    get { windows[WindowPair(window: window, pair: pair)] }
    set {
      // So are windows.
      if windows.count >= 4_096 { windows = [:] }
      windows[WindowPair(window: window, pair: pair)] = newValue
    }
  }

  subscript(pair: FoundPair) -> Bool? {
    mutating get {
      if let known = found[pair] { return known }
      guard let middle = pair.to.predecessor(after: pair.from),
        found[pair.with(from: pair.from, to: middle)] == false,
        let joined = found[pair.with(from: middle, to: pair.to)]
      else { return nil }
      self[pair] = joined
      return joined
    }
    set {
      // So are searches.
      if found.count >= 4_096 || foundBytes > Self.maximumFoundBytes { (found, foundBytes) = ([:], 0) }
      foundBytes += found[pair] == nil ? pair.searchBytes : 0
      found[pair] = newValue
    }
  }

  /// Forgets the results that lead to versions before the one before the current one, which others go on from.
  mutating func forget(before version: Cursor) {
    func isCurrent(_ to: Cursor) -> Bool { to.epoch == version.epoch && to.version + 1 >= version.version }
    rows = rows.filter { isCurrent($0.key.to) }
    windows = windows.filter { isCurrent($0.key.pair.to) }
    found = found.filter { isCurrent($0.key.to) }
    foundBytes = found.keys.reduce(0) { $0 + $1.searchBytes }
  }
}

extension Cursor {
  /// The version before, where it comes behind another one.
  fileprivate func predecessor(after other: Cursor) -> Cursor? {
    guard epoch == other.epoch, version > other.version, version - other.version > 1 else { return nil }
    return Cursor(epoch: epoch, version: version - 1)
  }
}
