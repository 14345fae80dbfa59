/// The place of a row: a section and a row in it, counted from 0. (`IndexPath` has these members only in UIKit and
/// AppKit.)
public struct RowPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  public var section: Int
  public var row: Int

  public init(section: Int, row: Int) { (self.section, self.row) = (section, row) }

  public var description: String { "[\(section), \(row)]" }

  public static func < (one: RowPath, other: RowPath) -> Bool {
    (one.section, one.row) < (other.section, other.row)
  }
}
