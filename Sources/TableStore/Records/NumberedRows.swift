import TableModel

/// Rows by their numbers.
struct NumberedRows {
  private let places: NumberedPlaces
  private let rows: [Row]

  /// - Parameter numbers: of the rows; ascending, each once.
  init(_ numbers: [UInt64], _ rows: [Row]) { (places, self.rows) = (NumberedPlaces(ascending: numbers), rows) }

  init(_ rows: [UInt64: Row]) {
    let sorted = rows.sorted { $0.key < $1.key }
    self.init(sorted.map(\.key), sorted.map(\.value))
  }

  subscript(number: UInt64) -> Row? { places.place(of: number).map { rows[$0] } }
}
