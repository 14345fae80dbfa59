/// windows-1252, which browsers take ISO 8859-1 for, too (WHATWG Encoding section 9).
enum WesternText {
  /// The characters of 0x80 to 0x9F; all else is as in Unicode.
  private static let specials: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]

  /// O(bytes).
  static func utf8(of text: [UInt8]) -> [UInt8] {
    var utf8: [UInt8] = []
    utf8.reserveCapacity(text.count + text.count / 8)
    for byte in text {
      guard byte >= 0x80 else {
        utf8.append(byte)
        continue
      }
      let code = byte < 0xA0 ? specials[Int(byte) - 0x80] : UInt32(byte)
      if let scalar = Unicode.Scalar(code) { utf8 += Array(String(scalar).utf8) }
    }
    return utf8
  }
}
