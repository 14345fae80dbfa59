import Foundation

/// SplitMix64: the same numbers for a seed, on every machine. A failing test prints its seed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// Where it is: `SeededGenerator(seed: state)` goes on from there.
  public private(set) var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// The seeds of a property that takes long: a quarter of all, or all of them where `TABLECAST_SEEDS` is `all` (`make seeds`).
public func seeds(of all: UInt64) -> ClosedRange<UInt64> {
  let isWhole = ProcessInfo.processInfo.environment["TABLECAST_SEEDS"] == "all"
  return 1...(isWhole ? all : (all + 3) / 4)
}
