/// A weight, as `q` gives it to a member of a list (RFC 9110 section 12.4.2): `0.8`.
struct Weight {
  let value: Double

  /// In bytes: some have more than the three decimals that there may be, none has so many.
  private static let longest = 32

  /// Nil for what is no decimal number, or a longer one.
  init?(_ text: ArraySlice<UInt8>) {
    guard text.count <= Self.longest else { return nil }
    var (whole, fraction, scale, digits) = (0.0, 0.0, 1.0, 0)
    var isFraction = false
    for byte in text.withoutBlanks {
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
        continue
      }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      digits += 1
      if !isFraction {
        whole = whole * 10 + Double(byte & 0xf)
      } else if scale < 1e15 {
        (fraction, scale) = (fraction * 10 + Double(byte & 0xf), scale * 10)
      }
    }
    guard digits > 0 else { return nil }
    value = whole + fraction / scale
  }

  /// Returns whether a parameter's name is a weight's.
  static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    let name = name.withoutBlanks
    return name.count == 1 && name.first?.lowercasedASCII == UInt8(ascii: "q")
  }
}
