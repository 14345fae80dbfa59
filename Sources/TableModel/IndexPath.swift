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
