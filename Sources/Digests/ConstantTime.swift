internal import CCrypto

extension [UInt8] {
  /// Whether both are the same, in a time that depends on their lengths alone: for what must not be guessed piece by
  /// piece, as digests of secrets and signatures.
  public func equalsInConstantTime(_ other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { first in
      other.withUnsafeBytes { second in ccrypto_equal(first.baseAddress, second.baseAddress, first.count) == 1 }
    }
  }
}
