import TableModel

/// Where numbers stand in a list of them that grows: almost always there are few gaps, so that a number says itself where
/// about it stands.
struct NumberedPlaces {
  private let numbers: [UInt64]

  /// - Parameter numbers: ascending, each once.
  init(_ numbers: [UInt64]) { self.numbers = numbers }

  /// O(1) where the numbers have no gaps, else O(log numbers).
  func place(of number: UInt64) -> Int? {
    guard let first = numbers.first, let last = numbers.last, first <= number, number <= last else { return nil }
    // Without gaps it stands here, with gaps before it.
    var (low, high) = (0, min(Int(clamping: number - first), numbers.count - 1))
    if numbers[high] == number { return high }
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return numbers[low] == number ? low : nil
  }
}

/// Rows by their numbers.
struct NumberedRows {
  private let places: NumberedPlaces
  private let rows: [Row]

  /// - Parameter numbers: of the rows; ascending, each once.
  init(_ numbers: [UInt64], _ rows: [Row]) { (places, self.rows) = (NumberedPlaces(numbers), rows) }

  init(_ rows: [UInt64: Row]) {
    let sorted = rows.sorted { $0.key < $1.key }
    self.init(sorted.map(\.key), sorted.map(\.value))
  }

  subscript(number: UInt64) -> Row? { places.place(of: number).map { rows[$0] } }
}
