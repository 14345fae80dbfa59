/// After how many rows a table is cut: `rows=N` in a request, 1–10,000.
public struct WindowSize: Hashable, Comparable, Sendable {
  public static let range = 1...10_000

  public let rows: Int

  /// Nil outside of ``range``.
  public init?(_ rows: Int) {
    guard Self.range.contains(rows) else { return nil }
    self.rows = rows
  }

  public static func < (first: WindowSize, second: WindowSize) -> Bool { first.rows < second.rows }
}
