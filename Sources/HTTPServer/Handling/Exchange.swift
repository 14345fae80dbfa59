/// One request and the response it is owed.
public struct Exchange: Sendable {
  let loop: EventLoop
  let slot: Int32
  let serial: UInt32

  /// Answers a request whose handler said `.later`. From any queue; once. A client that has gone in the meantime
  /// makes this do nothing.
  public func finish(_ response: Response) {
    loop.post(.finish(slot: slot, exchange: serial, response))
  }
}
