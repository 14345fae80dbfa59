import TableModel

/// The changes between two versions that are so few that each lens's reply is made at once, by whoever is asked for it: of
/// a thousand clients that each draw rows otherwise none waits for another thread then. Not thread-safe.
struct FewChanges {
  private var known: [SharedChanges.Key: SharedChanges] = [:]
  /// The table's name, as replies have it.
  private(set) var name: String

  /// Windows are the clients' to choose.
  private static let maximum = 256

  init(name: String) { self.name = name }

  subscript(key: SharedChanges.Key) -> SharedChanges? { known[key] }

  mutating func note(_ changes: SharedChanges, for key: SharedChanges.Key) {
    guard changes.areFew else { return }
    if known.count >= Self.maximum { known = [:] }
    known[key] = changes
  }

  mutating func forgetAll() { known = [:] }

  /// Forgets what does not lead to this version. O(changes).
  mutating func retire(before version: Cursor) {
    guard known.contains(where: { $0.key.to.version != version }) else { return }
    known = known.filter { $0.key.to.version == version }
  }
}
