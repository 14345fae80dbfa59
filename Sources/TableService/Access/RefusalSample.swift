/// The 429s that the record of edits has: one of each caller in a minute, with the number of those left out. Whoever asks too
/// often would else have a line written each time.
struct RefusalSample {
  /// The 429s left out of each caller that has a line, in this minute and in the one before.
  private var omitted: [String: Int] = [:]
  private var omittedBefore: [String: Int] = [:]
  private var turned = 0

  /// Callers with a line in one minute.
  static let maximumCallers = 4096
  private static let minute = 60_000

  /// Takes a 429 of a caller. O(1).
  ///
  /// - Parameter now: milliseconds of a clock that never goes back.
  /// - Returns: the number of those left out since the caller's last line; nil: this one is left out, too.
  mutating func take(_ caller: String, now: Int) -> Int? {
    if now - turned >= Self.minute {
      (omittedBefore, omitted, turned) = (omitted, [:], now)
    }
    if let count = omitted[caller] {
      omitted[caller] = count + 1
      return nil
    }
    guard omitted.count < Self.maximumCallers else { return nil }
    omitted[caller] = 0
    return omittedBefore[caller] ?? 0
  }
}
