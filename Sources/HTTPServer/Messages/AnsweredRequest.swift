/// A request that was answered, for an access log.
public struct AnsweredRequest: Sendable {
  /// Nil for what was refused before it was one.
  public let request: Request?
  public let requestID: String
  /// Whom it was from.
  public let client: SocketAddress
  public let status: Status
  /// The length of the body; 0 for a stream.
  public let byteCount: Int
  /// As ``LatencyFigures`` have it; nil for what was refused.
  public let nanoseconds: Int?
}
