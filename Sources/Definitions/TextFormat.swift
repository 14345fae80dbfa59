internal import FieldValues

/// What the text of a `date` or `url` field must look like. Both read bytes, and neither allocates.
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
    return text.allSatisfy(mayStandInURL)
  }

  @inline(__always)
  private static func mayStandInURL(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...32, 127, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: true
    }
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
