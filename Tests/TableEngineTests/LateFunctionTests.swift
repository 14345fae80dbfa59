import Testing

@testable import TableEngine

@Suite("A function that is given later")
struct LateFunctionTests {
  /// In a lock alone each access wrapped it once more: a member's ten thousandth reply called through ten thousand thunks.
  @Test func callingCostsTheSameHoweverOftenItWasLookedAt() {
    let late = LateFunction<@Sendable (UInt) -> UInt>()
    late.set { $0 + depth() }
    let first = late.function?(0) ?? 0
    for _ in 0..<10_000 { _ = late.function }
    let last = late.function?(0) ?? 0
    #expect(first > 0)
    let grown = first > last ? first - last : last - first
    #expect(grown < 4096, "a call needs \(grown) bytes of stack more")
  }
}

/// Where the stack stands.
private func depth() -> UInt {
  var here = 0
  return withUnsafePointer(to: &here) { UInt(bitPattern: $0) }
}
