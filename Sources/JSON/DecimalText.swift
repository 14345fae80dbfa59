/// Integers as decimal digits, without a `String` between.
public enum DecimalText {
  /// No number below 2^64 has more digits.
  public static let longest = 20

  /// Writes the digits and gives their count, at most `longest`; the caller sees to the room. O(digits).
  @inlinable
  public static func write(_ value: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
    let count = digits(of: value)
    var rest = value
    var position = count
    repeat {
      position -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      start[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while position > 0
    return count
  }

  /// As a `String`, which needs no memory of its own up to 15 digits.
  public static func string(_ value: Int64) -> String {
    let sign = value < 0 ? 1 : 0
    return String(unsafeUninitializedCapacity: digits(of: value.magnitude) + sign) { text in
      guard let start = text.baseAddress else { return 0 }
      if sign == 1 { start.pointee = UInt8(ascii: "-") }
      return sign + write(value.magnitude, to: start + sign)
    }
  }

  @inlinable
  static func digits(of value: UInt64) -> Int {
    var (count, limit) = (1, UInt64(10))
    while value >= limit {
      count += 1
      let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
      if overflow { break }
      limit = next
    }
    return count
  }
}
