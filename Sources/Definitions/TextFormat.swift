internal import FieldValues

/// The form that the text of a `date` or `url` field must have. Both checks read bytes, and neither allocates.
public enum TextFormat {
  /// A `date-time` of RFC 3339 §5.6: `2026-11-21T04:00:00Z`, with any fraction and any offset. The day exists in
  /// its month; second 60 is allowed where a leap second can stand (23:59:60 UTC). O(n).
  public static func isDateTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 20, let year = number(text, 0, 4), text[4] == dash, let month = number(text, 5, 2),
      text[7] == dash, let day = number(text, 8, 2), text[10] | 0x20 == UInt8(ascii: "t"),
      let hour = number(text, 11, 2), text[13] == colon, let minute = number(text, 14, 2), text[16] == colon,
      let second = number(text, 17, 2)
    else { return false }
    var at = 19
    if text[at] == UInt8(ascii: ".") {
      at += 1
      let first = at
      while at < text.count, isDigit(text[at]) { at += 1 }
      guard at > first, at < text.count else { return false }
    }
    var offset = 0
    switch text[at] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      guard at + 1 == text.count else { return false }
    case UInt8(ascii: "+"), dash:
      guard at + 6 == text.count, let hours = number(text, at + 1, 2), text[at + 3] == colon,
        let minutes = number(text, at + 4, 2), hours < 24, minutes < 60
      else { return false }
      offset = (hours * 60 + minutes) * (text[at] == dash ? -1 : 1)
    default:
      return false
    }
    guard CivilDate(year: year, month: month, day: day) != nil, hour < 24, minute < 60 else { return false }
    if second == 60 { return (hour * 60 + minute - offset + 2880) % 1440 == 1439 }
    return second < 60
  }

  /// A URL with a scheme (`https://…`, `mailto:…`: RFC 3986 §3.1) or a path from the root (`/…`), without the
  /// characters that can't stand in one: white space, controls and ``"<>\^`{|}``. Characters beyond ASCII may stand
  /// unescaped (RFC 3987). O(n).
  public static func isURL(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first else { return false }
    if first != UInt8(ascii: "/") {
      guard isLetter(first), let end = text.firstIndex(of: colon), end + 1 < text.count,
        text[..<end].allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "+") || $0 == dash || $0 == 0x2e })
      else { return false }
    }
    return !hasExcluded(text)
  }

  /// A `full-date` of RFC 3339 §5.6: `2026-12-24`, a day that exists. O(1).
  public static func isDate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 10, let year = number(text, 0, 4), text[4] == dash, let month = number(text, 5, 2),
      text[7] == dash, let day = number(text, 8, 2)
    else { return false }
    return CivilDate(year: year, month: month, day: day) != nil
  }

  /// A URL that whoever sees it may be led to, and that runs nothing: http, https, mailto, tel, or a path from the root. O(n).
  public static func isLink(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard isURL(text) else { return false }
    guard text.first != UInt8(ascii: "/") else { return true }
    let scheme = text.prefix { $0 != colon }.map { $0 | 0x20 }
    return linkSchemes.contains { $0.utf8.elementsEqual(scheme) }
  }

  private static let linkSchemes = ["https", "http", "mailto", "tel"]

  /// Returns whether the text has a byte that can't stand in a URL: one up to the space, ``"<>\^`{|}`` or DEL.
  private static func hasExcluded(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    guard bytes.count >= 8 else {
      return hasExcluded(bytes.reduce(eightDashes) { $0 << 8 | UInt64($1) })
    }
    var found = false
    for offset in stride(from: 0, to: bytes.count - 8, by: 8) {
      found = found || hasExcluded(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    return found || hasExcluded(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
  }

  /// Eight bytes that may stand there.
  private static var eightDashes: UInt64 { 0x2D2D_2D2D_2D2D_2D2D }

  /// Tests eight characters at once.
  @inline(__always)
  private static func hasExcluded(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
    // Two each that a bit apart are one.
    let (second, sixth) = (word | ones &* 0x02, word | ones &* 0x20)
    let found =
      (word &- ones &* 0x21) & ~word | zeros(word ^ ones &* 0x22) | zeros(second ^ ones &* 0x3E)
      | zeros(sixth ^ ones &* 0x7C) | zeros(word ^ ones &* 0x5E) | zeros(word ^ ones &* 0x60)
      | zeros(word ^ ones &* 0x7B) | zeros(second ^ ones &* 0x7F)
    return found & (ones &* 0x80) != 0
  }

  private static let dash = UInt8(ascii: "-")
  private static let colon = UInt8(ascii: ":")

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }

  private static func number(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
    var value = 0
    for index in start..<start + count {
      guard isDigit(text[index]) else { return nil }
      value = value * 10 + Int(text[index] - 48)
    }
    return value
  }
}
