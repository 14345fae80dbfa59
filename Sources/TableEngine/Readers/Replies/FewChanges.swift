import TableModel

/// The changes between two versions that are so few that each lens's reply is made at once, by whoever is asked for it: of
/// a thousand clients that each draw rows otherwise none waits for another thread then. Not thread-safe.
struct FewChanges {
  private var known: [SharedChanges.Key: SharedChanges] = [:]
  /// The table's name, as replies have it.
  private(set) var name: String

  /// The memory of the changes, about.
  private(set) var byteCount = 0

  /// Windows are the clients' to choose, and each has a list of its rows.
  private static let maximum = 256
  static let maximumBytes = 2 << 20

  init(name: String) { self.name = name }

  subscript(key: SharedChanges.Key) -> SharedChanges? { known[key] }

  mutating func note(_ changes: SharedChanges, for key: SharedChanges.Key) {
    guard changes.areFew else { return }
    if known.count >= Self.maximum || byteCount + changes.byteCount > Self.maximumBytes { forgetAll() }
    let former = known.updateValue(changes, forKey: key)
    byteCount += changes.byteCount - (former?.byteCount ?? 0)
  }

  mutating func forgetAll() { (known, byteCount) = ([:], 0) }

  /// Forgets what does not lead to this version. O(changes).
  mutating func retire(before version: Cursor) {
    guard known.contains(where: { $0.key.to.version != version }) else { return }
    known = known.filter { $0.key.to.version == version }
    byteCount = known.values.reduce(0) { $0 + $1.byteCount }
  }
}
