/// One request and the response it is owed.
public struct Exchange: Sendable {
  let loop: EventLoop
  let slot: Int32
  let serial: UInt32
  public let asker: Asker
  /// The request's body counts as long as the handler works on it, also where its client has gone.
  private let held: HeldInput?

  init(_ loop: EventLoop, _ connection: Connection) {
    (self.loop, slot, serial) = (loop, connection.descriptor, connection.exchange)
    asker = Asker(connection)
    held = connection.heldInput
  }

  /// Says of what kind the request is, from 0, for the figures of how long requests take. In `RequestHandler.handle(_:_:)` alone.
  public func note(kind: Int) { loop.note(kind: kind, slot: slot, exchange: serial) }

  /// Says how much memory the request takes from now on: for a handler that makes something of the body later than in
  /// `RequestHandler.handle(_:_:)`. Counts until the request is answered. From any queue; once.
  ///
  /// - Parameter weight: bytes for each one of the body, as of ``RequestHandler/weight(of:bodyCount:)``.
  /// - Returns: why there is no room for that, which is the answer then.
  public func weigh(_ weight: Int) -> Response? {
    do throws(Refusal) {
      try held?.weigh(weight)
      return nil
    } catch {
      return error.response(retryAfter: loop.shared.limits.retryAfter)
    }
  }

  /// Answers a request whose handler said `.later`. From any queue; once. A client that has gone in the meantime
  /// makes this do nothing.
  public func finish(_ response: Response) { finish(.response(response)) }

  /// The same with any kind of reply. A request that then waits is asked at once by `Waiter.woken(_:)` whether it has
  /// missed anything; `.later` says that the response is on its way by another call.
  public func finish(_ reply: Reply) {
    if case .later = reply { return }
    loop.post(.finish(slot: slot, exchange: serial, reply))
  }
}
