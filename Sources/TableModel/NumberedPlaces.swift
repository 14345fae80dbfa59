/// The places of numbers in a list of them: almost always they ascend with few gaps, so that a number itself tells its
/// place roughly.
public struct NumberedPlaces: Sendable {
  /// Ascending.
  private let numbers: [UInt64]
  /// By the numbers' order, where they stand; nil where the list itself ascends.
  private let places: [UInt32]?

  /// - Parameter numbers: ascending, each once. O(1).
  public init(ascending numbers: [UInt64]) { self.init(numbers, at: nil) }

  private init(_ numbers: [UInt64], at places: [UInt32]?) { (self.numbers, self.places) = (numbers, places) }

  /// - Returns: nil where a number stands in the list twice.
  /// - Complexity: O(numbers) where they ascend, else O(numbers · log numbers).
  public init?(_ numbers: [UInt64]) {
    let pairs = zip(numbers, numbers.dropFirst())
    guard !pairs.allSatisfy({ $0 < $1 }) else {
      self.init(ascending: numbers)
      return
    }
    let order = numbers.indices.sorted { numbers[$0] < numbers[$1] }
    let sorted = order.map { numbers[$0] }
    guard zip(sorted, sorted.dropFirst()).allSatisfy({ $0 != $1 }) else { return nil }
    self.init(sorted, at: order.map { UInt32(truncatingIfNeeded: $0) })
  }

  /// O(1) where the numbers have no gaps, else O(log numbers).
  public func place(of number: UInt64) -> Int? {
    rank(of: number).map { rank in places.map { Int($0[rank]) } ?? rank }
  }

  /// Among all in their order.
  private func rank(of number: UInt64) -> Int? {
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
