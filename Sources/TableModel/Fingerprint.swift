/// 64-bit hashes of bytes, for finding things by their content.
///
/// Keyed anew in every process (``KeyedHash``), so a fingerprint is never stored, sent or compared across processes.
/// Where two that agree must mean the same, compare what they stand for as well, or take a ``ContentDigest``.
public struct Fingerprint: Hashable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The fingerprint of `bytes`. O(n): some three bytes a cycle where they are at hand.
  public init(of bytes: UnsafeRawBufferPointer) { rawValue = KeyedHash(bytes).folded }

  // Initialisers take over what they are given; what only looks borrows, and spares two atomic counts a row.
  public init(of bytes: borrowing [UInt8]) {
    self = bytes.withUnsafeBytes { Fingerprint(of: $0) }
  }

  public init(of string: borrowing String) {
    let fingerprint = string.utf8.withContiguousStorageIfAvailable { Fingerprint(of: UnsafeRawBufferPointer($0)) }
    // Only strings that are bridged from elsewhere lie in pieces.
    self = fingerprint ?? Fingerprint(of: Array(string.utf8))
  }

  /// This fingerprint followed by another: order matters. O(1).
  public func combined(with other: Fingerprint) -> Fingerprint {
    withUnsafeBytes(of: (rawValue, other.rawValue)) { Fingerprint(of: $0) }
  }

  /// The fingerprint of nothing.
  public static let empty = Fingerprint(of: [])

  // Written down so that other modules inline it.
  @inlinable
  public static func == (first: Fingerprint, second: Fingerprint) -> Bool { first.rawValue == second.rawValue }
}
