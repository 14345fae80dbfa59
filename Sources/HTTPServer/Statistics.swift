/// Figures of a server: its work since it started, and what it holds now.
public struct Statistics: Sendable, Hashable {
  /// Connections that are open.
  public var connections = 0
  /// Requests that wait.
  public var waiters = 0
  /// Streams that are open.
  public var streams = 0
  /// Connections ever accepted.
  public var accepted = 0
  /// Connections refused for a limit.
  public var refusedConnections = 0
  /// Requests read whole and given to the handler.
  public var requests = 0
  /// Requests refused by the server itself: malformed, too large, too slow.
  public var refusedRequests = 0
  /// Responses by the hundred of their status: `responses[2]` counts 2xx.
  public var responses = [0, 0, 0, 0, 0, 0]
  /// Waiters answered because a topic was woken.
  public var woken = 0
  /// Waiters whose time was over.
  public var timedOut = 0
  /// Clients that went away before their answer.
  public var abandoned = 0
  /// Connections closed because the client read too slowly.
  public var slowReaders = 0
  public var bytesRead = 0
  public var bytesWritten = 0
  /// By the kind that the handler has given requests (``Exchange/note(kind:)``).
  public var latencies: [LatencyFigures] = []

  public init() {}
}
