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

  /// Where the row with an identity stands. O(rows), over fingerprints.
  public func indexPath(of id: String) -> IndexPath? {
    let identity = Fingerprint(of: id)
    for (section, content) in sections.enumerated() {
      var from = 0
      while let row = content.rows.firstIndex(from: from, where: { $0.identity == identity }) {
        if content.rows[row].id == id { return IndexPath(section: section, row: row) }
        from = row + 1
      }
    }
    return nil
  }
}
