/// 128-bit hashes of bytes: content whose digests agree is taken for equal, and its bytes are not compared.
///
/// To compare bytes a diff would have to fetch each row's from memory, which takes longer than all the rest of it. What
/// may be relied on instead: contents that differ have one digest by chance once in 2⁶⁴ at the very worst, and nearly
/// always far more rarely (``KeyedHash``). At a million changes a second the worst is once in 600 thousand years. Nor
/// can content be prepared to collide, though the function is not cryptographic: its key is random, drawn once a
/// process, and neither it nor any digest leaves the process. All that whoever writes an upstream's items could ever see
/// of a collision is a row that is not updated, and no try at it teaches anything for the next.
public struct ContentDigest: Hashable, Sendable {
  public let first: UInt64
  public let second: UInt64

  /// O(n): as fast as a ``Fingerprint``.
  public init(of bytes: UnsafeRawBufferPointer) {
    let hash = KeyedHash(bytes)
    (first, second) = (hash.first, hash.second)
  }

  public init(of bytes: borrowing [UInt8]) {
    self = bytes.withUnsafeBytes { ContentDigest(of: $0) }
  }

  // Written down so that other modules inline it; in one step, for the halves agree or differ together.
  @inlinable
  public static func == (one: ContentDigest, other: ContentDigest) -> Bool {
    (one.first ^ other.first) | (one.second ^ other.second) == 0
  }
}
