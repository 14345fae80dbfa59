/// The cells that a client says it can show (`Accept-Cells`): each by its name, up to a version.
package struct AcceptedCells: Hashable, Sendable {
  /// By the names' hashes, which nobody outside can choose: whoever waits keeps them, and names may be long.
  private let versions: [Int: Int]

  /// The most cells that a client may list: more than any configuration has.
  package static let maximum = 512

  /// Reads the members of the list: `Name` or `Name;v=2`.
  package init(_ members: [String]) throws(TableError) {
    guard members.count <= Self.maximum else {
      throw .malformed(
        "`Accept-Cells` lists \(members.count) cells: \(Self.maximum) are the most.",
        field: "Accept-Cells"
      )
    }
    var versions: [Int: Int] = [:]
    for member in members where !member.isEmpty {
      let parts = member.split(separator: ";", omittingEmptySubsequences: false)
      let name = String(parts[0]).trimmingSpaces
      guard !name.isEmpty, name.utf8.count <= 256 else {
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
      versions[name.hashValue] = max(version, versions[name.hashValue] ?? version)
    }
    self.versions = versions
  }

  /// Whether a cell of this version can be shown: one listed without `v` in any version, one with it up to that.
  func accepts(_ cellIdentifier: String, version: Int) -> Bool {
    versions[cellIdentifier.hashValue].map { version <= $0 } ?? false
  }
}

extension String {
  /// Without spaces and tabs at either end.
  package var trimmingSpaces: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}
