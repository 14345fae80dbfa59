/// A request that was answered, for an access log.
public struct AnsweredRequest: Sendable {
  /// Without its body, as the answer may take its time; nil for what was refused before its head could be read.
  public let request: Request?
  public let requestID: String
  /// Whom it was from; a proxy's address for what was refused before its head could be read.
  public let client: SocketAddress
  public let status: Status
  /// The length of the body; 0 for a stream.
  public let byteCount: Int
  /// As ``LatencyFigures`` have it; nil for what was refused.
  public let nanoseconds: Int?
}
