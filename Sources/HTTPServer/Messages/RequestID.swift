/// Request identities made here: 16 hexadecimal digits, unique in the process and unlike those of the last one.
enum RequestID {
  private static let seed = UInt64.random(in: .min ... .max)

  /// The identity of the request with number `serial`. A bijection (the finaliser of MurmurHash3), so that two
  /// serial numbers never meet, but the numbers don't tell how busy the server is.
  static func bits(_ serial: UInt64) -> UInt64 {
    var bits = serial ^ seed
    bits = (bits ^ (bits >> 33)) &* 0xff51_afd7_ed55_8ccd
    bits = (bits ^ (bits >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return bits ^ (bits >> 33)
  }

  static func text(_ serial: UInt64) -> String {
    let digits = String(bits(serial), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns whether a client's identifier is taken over.
  static func isAcceptable(_ bytes: ArraySlice<UInt8>) -> Bool {
    (1...128).contains(bytes.count)
      && bytes.allSatisfy { ByteClass.isAlphanumeric($0) || "._-:/+=".utf8.contains($0) }
  }
}
