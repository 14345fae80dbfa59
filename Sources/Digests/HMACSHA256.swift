internal import CCrypto

/// The authentication code HMAC (RFC 2104) with SHA-256: who can make it knows the key.
public enum HMACSHA256 {
  /// - Parameter key: of any length below 2 GiB; longer than 64 bytes adds nothing.
  /// - Returns: `SHA256.byteCount` bytes. O(n).
  public static func code(for bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    SHA256.filled { code in
      key.withUnsafeBytes { key in
        bytes.withUnsafeBytes { ccrypto_hmac_sha256(key.baseAddress, key.count, $0.baseAddress, $0.count, code) }
      }
    }
  }

  /// Returns whether a code that came from outside is right. The time taken doesn't tell how much of it is.
  public static func isValid(_ code: [UInt8], for bytes: [UInt8], key: [UInt8]) -> Bool {
    code.equalsInConstantTime(self.code(for: bytes, key: key))
  }
}
