/// A piece of a response's body: bytes that other bodies may share, from a place on. None is copied.
public struct BodyPiece: Sendable {
  let bytes: [UInt8]
  /// The first byte that is sent.
  let start: Int

  /// - Parameter start: how many of the first bytes are left out.
  public init(_ bytes: [UInt8], from start: Int = 0) {
    self.bytes = bytes
    self.start = min(max(start, 0), bytes.count)
  }

  public var count: Int { bytes.count - start }
}

extension [BodyPiece] {
  /// The bytes of all pieces.
  var byteCount: Int { reduce(0) { $0 + $1.count } }
}
