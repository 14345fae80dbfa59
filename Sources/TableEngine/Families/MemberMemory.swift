import Synchronization

/// The memory of all families' members, and its bound: beyond it, members go that nobody waits for.
///
/// No family's lock is held while another's is taken.
final class MemberMemory: Sendable {
  /// A limit that is reached, with members that somebody waits for.
  enum Shortage: Equatable, Sendable {
    case ofFamily(String, limit: Int)
    case ofAll(limit: Int)

    var error: TableError {
      let detail =
        switch self {
        case .ofFamily(let name, let limit):
          "The members of `\(name)` that are followed now leave no room for this one: together they may hold "
            + "\(MemberMemory.text(limit)) (`instances.maxBytes`). Ask again a moment later."
        case .ofAll(let limit):
          "The tables with parameters or callers that are followed now leave no room for this one: together they may "
            + "hold \(MemberMemory.text(limit)) (`limits.membersBytes`). Ask again a moment later."
        }
      return TableError(.unavailable, detail: detail, retryAfter: .seconds(5))
    }
  }

  private struct WeakFamily {
    weak var value: TableFamily?
  }
  private let families = Mutex<[WeakFamily]>([])

  func add(_ family: TableFamily) {
    families.withLock { families in
      families.removeAll { $0.value == nil }
      families.append(WeakFamily(value: family))
    }
  }

  /// Has members go that nobody waits for, of the families that hold most first, until there is room; none where that
  /// would not do. O(families), and O(members) where there is too little.
  ///
  /// - Parameters:
  ///   - bytes: what is to come.
  ///   - table: stays in any case.
  /// - Returns: nil where there is room.
  func makeRoom(for bytes: Int = 0, limit: Int, sparing table: LiveTable? = nil) -> Shortage? {
    let families = families.withLock { $0.compactMap(\.value) }
    var missing = families.reduce(bytes) { $0 + $1.byteCount } - limit
    guard missing > 0 else { return nil }
    guard families.reduce(0, { $0 + $1.idleBytes(sparing: table) }) >= missing else { return .ofAll(limit: limit) }
    for family in families.map({ ($0, $0.byteCount) }).sorted(by: { $0.1 > $1.1 }).map(\.0) where missing > 0 {
      missing -= family.release(missing, sparing: table)
    }
    // Somebody may have come back to one of them meanwhile.
    return missing > 0 ? .ofAll(limit: limit) : nil
  }

  private static func text(_ bytes: Int) -> String {
    bytes >= 1 << 20 ? "\(bytes >> 20) MB" : "\(bytes) bytes"
  }
}
