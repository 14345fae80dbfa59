/// The rows of a table that a client has, in display order: `rows=N` in a request, its first ones, or `rows=F-T` out of
/// the middle.
public struct WindowRange: Hashable, Sendable, CustomStringConvertible {
  /// How many rows a window may have.
  public static let sizes = 1...10_000
  /// The last row that a window may name: whoever reads JSON's numbers as doubles can count as far.
  public static let last = 1 << 53 - 1

  /// The first row, counted from 0.
  public let from: Int
  /// How many rows were asked for; there may be fewer.
  public let rows: Int

  /// The first rows. Nil outside of ``sizes``.
  public init?(_ rows: Int) { self.init(from: 0, rows: rows) }

  /// Nil for a size outside of ``sizes``, and for a place behind ``last``.
  public init?(from: Int, rows: Int) {
    guard Self.sizes.contains(rows), (0...Self.last).contains(from), from + rows - 1 <= Self.last else { return nil }
    (self.from, self.rows) = (from, rows)
  }

  /// Both included; nil as above, and where the last one stands before the first.
  public init?(from: Int, through last: Int) {
    guard from >= 0, last >= from, last <= Self.last else { return nil }
    self.init(from: from, rows: last - from + 1)
  }

  /// Behind the last row.
  public var end: Int { from + rows }

  /// As a request says it: `50`, `100-149`.
  public var description: String { from == 0 ? "\(rows)" : "\(from)-\(end - 1)" }
}
