import Synchronization

/// The cells that a client can show (`Accept-Cells`): interned, so that a set is compared by identity.
final class AcceptedCells: Sendable {
  /// In one order and spelling, for entity tags and keys.
  let canonical: String
  private let versions: [String: Int]

  /// Reads the members of the field: `Name` or `Name;v=2`.
  init(_ members: [String]) throws(ServiceError) {
    versions = try Self.parse(members)
    canonical = versions.sorted { $0.key < $1.key }.map { $0.value == .max ? $0.key : "\($0.key);v=\($0.value)" }
      .joined(separator: ",")
  }

  /// Whether a cell of this version can be shown: one listed without `v` in any version, one with it up to that.
  func accepts(_ cellIdentifier: String, version: Int) -> Bool {
    versions[cellIdentifier].map { version <= $0 } ?? false
  }

  private static func parse(_ members: [String]) throws(ServiceError) -> [String: Int] {
    var versions: [String: Int] = [:]
    for member in members where !member.isEmpty {
      let parts = member.split(separator: ";").map { $0.drop { $0 == " " } }
      guard let name = parts.first.map({ String($0).trimmingSpaces }), !name.isEmpty, name.utf8.count <= 256 else {
        throw .malformed("`\(member)` is no cell: `Name` or `Name;v=2` is.", field: "Accept-Cells")
      }
      var version = Int.max
      for parameter in parts.dropFirst() {
        let pair = parameter.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces }
        guard pair.count == 2, pair[0] == "v", let number = Int(pair[1]), number >= 0 else {
          throw .malformed("`\(member)`: after the name only `;v=` and a number can stand.", field: "Accept-Cells")
        }
        version = number
      }
      versions[name] = max(version, versions[name] ?? version)
    }
    return versions
  }
}

/// The sets of cells that clients have asked for: at most 32, the least recently used goes first.
final class AcceptedCellsRegistry: Sendable {
  static let maximum = 32
  private let sets = Mutex<[AcceptedCells]>([])

  /// The one object for a set. O(1) for the set that was asked for last, else O(`maximum`).
  func interned(_ set: AcceptedCells) -> AcceptedCells {
    sets.withLock { sets in
      if let last = sets.last, last === set || last.canonical == set.canonical { return last }
      guard let index = sets.firstIndex(where: { $0.canonical == set.canonical }) else {
        sets.append(set)
        if sets.count > Self.maximum { sets.removeFirst() }
        return set
      }
      let known = sets.remove(at: index)
      sets.append(known)
      return known
    }
  }
}

extension String {
  /// Without spaces and tabs at either end.
  var trimmingSpaces: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}
