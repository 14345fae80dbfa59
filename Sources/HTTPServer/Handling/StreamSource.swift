/// What feeds an open-ended response. All of this is called on the connection's event loop.
public protocol StreamSource: AnyObject, Sendable {
  /// The topics whose waking calls `woken(_:)`; asked for once, before `opened(_:)`.
  var topics: [Topic] { get }
  /// The head has been sent.
  func opened(_ stream: StreamHandle)
  /// A topic was woken.
  func woken(_ stream: StreamHandle)
  /// Nothing was sent for `Configuration.heartbeatInterval`: time for a sign of life.
  func heartbeat(_ stream: StreamHandle)
  /// The stream is over: ended, cut off because the reader was too slow, or gone. Nothing is called after this.
  func closed()
}
