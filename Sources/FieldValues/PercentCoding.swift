/// Percent-encoding (RFC 3986 §2.1).
public enum PercentCoding {
  /// Everything but unreserved characters (§2.3) is encoded, in capitals; bytes of `allowed` stay too. O(n).
  public static func encode(_ text: some StringProtocol, allowed: String = "") -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isUnreserved(byte) || allowed.utf8.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes that a text stands for; nil where a `%` has no two hexadecimal digits behind it. O(n).
  public static func decode(_ bytes: some Collection<UInt8>) -> [UInt8]? {
    // Most are stored in a row: a loop over memory costs a hundredth of one over a collection that nobody knows here.
    bytes.withContiguousStorageIfAvailable(decode) ?? Array(bytes).withUnsafeBufferPointer(decode)
  }

  private static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "%") else {
        result.append(bytes[index])
        index += 1
        continue
      }
      guard index + 2 < bytes.count, let high = value(bytes[index + 1]), let low = value(bytes[index + 2]) else {
        return nil
      }
      result.append(high << 4 | low)
      index += 3
    }
    return result
  }

  /// The text that a text stands for; nil where an escape is malformed or its bytes are no UTF-8. O(n).
  public static func decodeText(_ text: some StringProtocol) -> String? {
    var text = String(text)
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let decoded = text.withUTF8 { decode($0) }
    return decoded.flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// §2.3.
  public static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
