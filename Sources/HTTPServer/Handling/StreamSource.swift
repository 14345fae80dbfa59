/// The source of an open-ended response. All of this is called on the connection's event loop.
///
/// A source that sends its next message when `drained(_:)` says that the last one has gone holds one message at most
/// for a reader, however slow, and joins the changes in between into one message: `StreamPacing` keeps the order.
public protocol StreamSource: AnyObject, Sendable {
  /// The topics whose waking calls `woken(_:)`; asked for once, before `opened(_:)`.
  var topics: [Topic] { get }
  /// The head has been handed over.
  func opened(_ stream: StreamHandle)
  /// A topic was woken.
  func woken(_ stream: StreamHandle)
  /// All that was sent has been taken by the client's side: there is room for the next message.
  func drained(_ stream: StreamHandle)
  /// Nothing was sent for `Configuration.Timeouts.heartbeat`, and nothing waits to be taken: time for a sign of life.
  func heartbeat(_ stream: StreamHandle)
  /// The stream is over: ended, cut off because the reader was too slow, or gone. Nothing is called after this.
  func closed()
}

extension StreamSource {
  /// Nothing: a source that sends little need not know.
  public func drained(_ stream: StreamHandle) {}
}
