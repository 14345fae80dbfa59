import TableModel

/// Rows by their numbers.
struct NumberedRows: Sendable {
  private let numbers: [UInt64]
  private let places: NumberedPlaces
  private let rows: [Row]

  /// - Parameter numbers: of the rows; ascending, each once.
  private init(_ numbers: [UInt64], _ rows: [Row]) {
    (self.numbers, places, self.rows) = (numbers, NumberedPlaces(ascending: numbers), rows)
  }

  /// - Parameter parts: in the order of their rows' numbers.
  init(_ parts: [RowsRead]) {
    self.init(Array(parts.lazy.map(\.numbers).joined()), Array(parts.lazy.map(\.rows).joined()))
  }

  init(_ rows: [UInt64: Row]) {
    let sorted = rows.sorted { $0.key < $1.key }
    self.init(sorted.map(\.key), sorted.map(\.value))
  }

  var count: Int { rows.count }

  subscript(number: UInt64) -> Row? { places.place(of: number).map { rows[$0] } }

  /// The rows of numbers one after the other; nil where one of them is missing. O(1).
  subscript(run: Range<UInt64>) -> ArraySlice<Row>? {
    guard let first = places.place(of: run.lowerBound), run.count <= numbers.count - first else { return nil }
    // They ascend, each once: with the last one in its place none is missing.
    let last = first + run.count - 1
    return last < first || numbers[last] == run.upperBound - 1 ? rows[first..<first + run.count] : nil
  }
}
