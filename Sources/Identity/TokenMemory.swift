/// Tokens that were verified, by digests of all their bytes, so that one that comes again costs no signature. Bounded; what
/// came first goes first. A value: its owner holds a lock around it.
///
/// The digests are 32 bytes of SHA-256; the dictionary hashes them with the process's own random key and compares them byte
/// by byte.
package struct TokenMemory: Sendable {
  package static let maximum = 65_536
  /// In bytes of the tokens that were sent: their claims take some times as much.
  package static let maximumBytes = 16 << 20

  private var tokens: [[UInt8]: (token: VerifiedToken, bytes: Int)] = [:]
  /// In the order in which they came, from `start` on.
  private var order: [[UInt8]] = []
  private var start = 0
  package private(set) var bytes = 0

  package init() {}

  package var count: Int { tokens.count }

  /// A token that was verified. Its times are still to be checked. O(1).
  package subscript(digest: [UInt8]) -> VerifiedToken? { tokens[digest]?.token }

  /// - Parameter bytes: of the token as it was sent.
  package mutating func remember(_ token: VerifiedToken, _ digest: [UInt8], bytes: Int) {
    guard tokens[digest] == nil else { return }
    tokens[digest] = (token, bytes)
    order.append(digest)
    self.bytes += bytes
    while tokens.count > Self.maximum || self.bytes > Self.maximumBytes { removeFirst() }
  }

  /// Forgets a token that is over. Its place in the order goes when it is its turn.
  package mutating func forget(_ digest: [UInt8]) {
    guard let known = tokens.removeValue(forKey: digest) else { return }
    bytes -= known.bytes
    if order.count - start > 2 * Self.maximum { compact() }
  }

  /// All of them: keys have changed.
  package mutating func forgetAll() { self = TokenMemory() }

  private mutating func removeFirst() {
    guard start < order.count else { return }
    if let known = tokens.removeValue(forKey: order[start]) { bytes -= known.bytes }
    start += 1
    if start > 1024, start > order.count / 2 { compact() }
  }

  private mutating func compact() {
    order = order[start...].filter { tokens[$0] != nil }
    start = 0
  }
}
