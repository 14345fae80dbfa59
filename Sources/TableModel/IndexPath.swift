/// A row's place: `[section, row]` on the wire, as `Foundation.IndexPath` for table views.
public struct IndexPath: Hashable, Comparable, Sendable {
  public var section: Int
  public var row: Int

  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  public static func < (first: IndexPath, second: IndexPath) -> Bool {
    (first.section, first.row) < (second.section, second.row)
  }
}

extension Table {
  /// The row at a path, or nil where there is none. O(1).
  public subscript(at path: IndexPath) -> Row? {
    guard sections.indices.contains(path.section) else { return nil }
    let rows = sections[path.section].rows
    return rows.indices.contains(path.row) ? rows[path.row] : nil
  }

  /// Returns the place of the row with an identity. Expected O(sections + rows / 8,000) once the sections have been
  /// asked before, which counts for all versions that share them.
  public func indexPath(of id: String) -> IndexPath? {
    let identity = Fingerprint(of: id)
    for (section, content) in sections.enumerated() {
      if let row = content.rows.firstIndex(of: id, identity) { return IndexPath(section: section, row: row) }
    }
    return nil
  }
}
