import TableFinding
import TableModel

/// Since which version nothing has changed of what searches find, for waiters that have them: so that a waiter
/// outlasts versions that change nothing of it. Not thread-safe.
struct FoundStandings {
  private struct Standing {
    var epoch: Epoch
    /// The first version of which all that came after it was looked at.
    var first: UInt64
    /// The versions behind it that changed something. Ascending.
    var changes: [UInt64] = []
    /// The last version that was looked at.
    var checked: UInt64
  }

  private var standings: [WaitedLenses.Kind: Standing] = [:]
  /// The size of their searches, about, in bytes.
  private var searchBytes = 0
  /// Searches are the clients' to choose.
  private static let maximum = 4_096
  private static let maximumSearchBytes = 4 << 20
  private static let maximumChanges = 256

  /// The version that was looked at last; nil where none of the epoch was.
  func checked(_ kind: WaitedLenses.Kind, _ epoch: Epoch) -> UInt64? {
    standings[kind].flatMap { $0.epoch == epoch ? $0.checked : nil }
  }

  /// Notes that a version was looked at.
  mutating func note(_ kind: WaitedLenses.Kind, _ version: Cursor, isAffected: Bool) {
    if var standing = standings[kind], standing.epoch == version.epoch {
      standing.checked = version.version
      if isAffected { standing.changes.append(version.version) }
      if standing.changes.count > Self.maximumChanges { standing.first = standing.changes.removeFirst() }
      standings[kind] = standing
      return
    }
    begin(kind, version)
  }

  /// Begins anew: what came before a version is not known.
  mutating func begin(_ kind: WaitedLenses.Kind, _ version: Cursor) {
    if standings[kind] == nil {
      let bytes = kind.find?.footprint ?? 0
      if standings.count >= Self.maximum || searchBytes + bytes > Self.maximumSearchBytes {
        (standings, searchBytes) = ([:], 0)
      }
      searchBytes += bytes
    }
    standings[kind] = Standing(epoch: version.epoch, first: version.version, checked: version.version)
  }

  /// Returns whether a search finds the same at two versions.
  func isUnchanged(_ kind: WaitedLenses.Kind, from cursor: Cursor, to other: Cursor) -> Bool {
    guard let standing = standings[kind], cursor.epoch == standing.epoch, other.epoch == standing.epoch else {
      return false
    }
    let versions = standing.first...max(standing.first, standing.checked)
    guard versions.contains(cursor.version), versions.contains(other.version) else { return false }
    return !standing.changes.contains { $0 > cursor.version && $0 <= other.version }
  }
}
