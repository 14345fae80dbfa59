/// The pauses between attempts to reach a store: each up to twice the one before, at random, so that processes which lost
/// the database together do not come back together.
public struct Backoff: Sendable {
  private var longest = 100

  /// The longest pause.
  static let limit = 5000

  public init() {}

  /// Milliseconds.
  public mutating func next() -> Int { next(random: Double.random(in: 0..<1)) }

  mutating func next(random: Double) -> Int {
    defer { longest = min(longest * 2, Self.limit) }
    return longest / 2 + Int(Double(longest / 2) * random)
  }
}
