/// How often each of many may do something: a minute's worth at once, and then as it comes back, evenly (the generic cell
/// rate algorithm: one number a key). The clock is given.
///
/// Whoever was not seen for a minute has all of it again and is forgotten; of more than `capacity`, those who were not
/// seen for longest are forgotten early.
public struct Rates<Key: Hashable & Sendable>: Sendable {
  private static var minute: Int { 60_000_000 }

  /// Microseconds in which one comes back.
  private let interval: Int
  private let capacity: Int
  /// When each will have all of it again, in microseconds: who was seen since the last turn, and who before.
  private var recent: [Key: Int] = [:]
  private var earlier: [Key: Int] = [:]
  private var turned = 0

  /// - Parameter capacity: how many keys are remembered, some 50 bytes each.
  public init(perMinute: Int, capacity: Int = 131_072) {
    interval = Rates.minute / max(perMinute, 1)
    self.capacity = max(capacity, 2)
  }

  /// Counts for `key` and returns nil, or the whole seconds to wait until it may, at least one. O(1).
  ///
  /// - Parameters:
  ///   - now: milliseconds of a clock that never goes back.
  ///   - count: how many at once, all or none: at most a minute's worth, as more never are taken.
  public mutating func take(_ key: Key, now: Int, count: Int = 1) -> Int? {
    let now = now * 1000
    if now - turned >= Rates.minute || recent.count >= capacity / 2 {
      earlier = recent
      recent = [:]
      turned = now
    }
    let next = max(recent[key] ?? earlier[key] ?? now, now) + interval * count
    let excess = next - now - Rates.minute
    guard excess <= 0 else { return max((excess + 999_999) / 1_000_000, 1) }
    recent[key] = next
    return nil
  }

  /// Returns the whole seconds to wait until one more may be counted for `key`, at least one; nil: it may be now. Counts
  /// nothing. O(1).
  public func pause(for key: Key, now: Int) -> Int? {
    let now = now * 1000
    let excess = max(recent[key] ?? earlier[key] ?? now, now) + interval - now - Rates.minute
    return excess > 0 ? max((excess + 999_999) / 1_000_000, 1) : nil
  }
}
