/// Which rows of a table are asked for, in display order.
struct RowWindow: Hashable, Sendable {
  /// The most rows that a window can have.
  static let most = 10_000

  /// The first row, counted from 0.
  private(set) var from = 0
  private(set) var rows: Int

  /// The first rows, clamped to what can be asked for.
  init(_ rows: Int) { self.rows = min(max(rows, 1), Self.most) }

  /// The rows from one to another, both included, clamped to what can be asked for.
  init(_ range: ClosedRange<Int>) {
    // As far as a double counts.
    from = min(max(range.lowerBound, 0), 1 << 53 - Self.most)
    rows = min(max(min(range.upperBound, 1 << 53 - 1) - from + 1, 1), Self.most)
  }

  /// That a table has.
  init(_ window: TableWindow) { self.init(from: window.from, rows: window.rows) }

  private init(from: Int, rows: Int) { self.init(from...(from + max(rows, 1) - 1)) }

  /// With so many rows more behind it: where that is too much, fewer in front.
  func longer(by rows: Int) -> RowWindow {
    let end = from + self.rows + max(rows, 1)
    return RowWindow(max(from, end - Self.most)...end - 1)
  }

  /// With so many rows more in front of it: where that is too much, fewer behind.
  func earlier(by rows: Int) -> RowWindow {
    let start = max(0, from - max(rows, 1))
    return RowWindow(start...min(from + self.rows, start + Self.most) - 1)
  }

  /// Whether a row is in both.
  func overlaps(_ other: RowWindow) -> Bool { from < other.from + other.rows && other.from < from + rows }

  /// As a request says it: `50`, `100-149`.
  var text: String { from == 0 ? "\(rows)" : "\(from)-\(from + rows - 1)" }
}
