internal import CCrypto

extension [UInt8] {
  /// Returns whether both are the same, in a time that depends on their lengths alone: for digests of secrets and
  /// signatures, which must not be guessed piece by piece.
  public func equalsInConstantTime(_ other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { first in
      other.withUnsafeBytes { second in ccrypto_equal(first.baseAddress, second.baseAddress, first.count) == 1 }
    }
  }
}
