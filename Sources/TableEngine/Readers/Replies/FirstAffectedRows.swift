import TableDiff
import TableFinding
import TableModel
import TableStore

/// From which row on two versions differ: asked by each who waits with a window, found out once.
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

  subscript(pair: Pair) -> Int? {
    get { rows[pair] }
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
    get { found[pair] }
    set {
      // So are searches.
      if found.count >= 4_096 || foundBytes > Self.maximumFoundBytes { (found, foundBytes) = ([:], 0) }
      foundBytes += found[pair] == nil ? pair.searchBytes : 0
      found[pair] = newValue
    }
  }

  /// Forgets the results that lead to versions before the current one.
  mutating func forget(before version: Cursor) {
    func isCurrent(_ pair: Pair) -> Bool { pair.to.epoch == version.epoch && pair.to.version >= version.version }
    rows = rows.filter { isCurrent($0.key) }
    windows = windows.filter { isCurrent($0.key.pair) }
    found = found.filter { $0.key.to.epoch == version.epoch && $0.key.to.version >= version.version }
    foundBytes = found.keys.reduce(0) { $0 + $1.searchBytes }
  }
}
