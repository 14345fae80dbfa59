internal import CCrypto

/// The digest SHA-256 (FIPS 180-4), by OpenSSL's libcrypto.
public enum SHA256 {
  /// The length of a digest, and of an authentication code made with it.
  public static let byteCount = 32

  /// - Returns: `byteCount` bytes. O(n).
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    filled { digest in
      bytes.withUnsafeBytes { ccrypto_sha256($0.baseAddress, $0.count, digest) }
    }
  }

  /// Lets libcrypto fill in a digest's bytes. A digest of nothing in its place would make different things equal, so
  /// where it can't, which takes that no memory is left, it ends here, as any array of Swift's would.
  static func filled(_ body: (UnsafeMutablePointer<UInt8>?) -> Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let isDone = body(buffer.baseAddress) == 1
      precondition(isDone, "libcrypto has no memory left")
      count = byteCount
    }
  }
}
