/// Base64url as JSON Web Signatures have it (RFC 7515 section 2 and appendix C): no padding, no white space, no line breaks.
enum Base64URL {
  /// - Returns: nil for what is none, and for a text whose last character has bits that stand for nothing (RFC 4648
  ///   section 3.5): one value has one spelling, so that a token can't be written in two ways. O(n).
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var (bits, count): (UInt32, Int) = (0, 0)
    for character in text {
      let value = values[Int(character)]
      guard value < 64 else { return nil }
      (bits, count) = (bits << 6 | UInt32(value), count + 6)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      bits &= (1 << UInt32(count)) - 1
    }
    // Six bits that are left over are a character too many.
    guard count < 6, bits == 0 else { return nil }
    return bytes
  }

  /// By character; 255 where it is none of the alphabet's.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
