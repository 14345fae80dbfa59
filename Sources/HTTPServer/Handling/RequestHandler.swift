/// The handler of a server's requests.
public protocol RequestHandler: AnyObject, Sendable {
  /// How many kinds of requests it tells apart (``Exchange/note(kind:)``).
  var requestKinds: Int { get }

  /// Answers a request. Called on the event loop that owns the connection: it must not block, and what takes long
  /// belongs on a queue of its own (`Reply.later`).
  ///
  /// A reply of `.wait` is registered in the same turn of the loop in which this is called. A publication changes
  /// its version first and calls `Server.wake(_:)` afterwards, which posts to the loop; so whoever compares
  /// versions in here and then waits can't miss one: either the comparison sees the change, or the wake comes
  /// after the registration.
  func handle(_ request: Request, _ exchange: Exchange) -> Reply

  /// Why a request is refused whatever its body says; nil where it may be answered otherwise. Asked once before a body
  /// is waited for that is large, or whose sender wants to be told to send it (RFC 9110 section 10.1.1): the request
  /// has none yet. On the event loop, as `handle(_:_:)`.
  func refusal(of request: Request) -> Response?

  /// Returns the bytes of memory that a request takes for each byte of its body, which is one of them, until it is
  /// answered: more than 1 where something larger is made of the body. Asked before a body of some KB is handled: the
  /// request has none yet. On the event loop, as `handle(_:_:)`. What is made of the body later counts by
  /// ``Exchange/weigh(_:)``.
  ///
  /// - Parameter bodyCount: the bytes of its body.
  func weight(of request: Request, bodyCount: Int) -> Int

  /// Returns the answer to a request that is not finished when the time of an ending server is over; nil: its connection is closed
  /// without one. On the event loop.
  ///
  /// - Parameter kind: as the handler has said (``Exchange/note(kind:)``).
  func unfinished(kind: Int) -> Response?
}

extension RequestHandler {
  public var requestKinds: Int { 1 }

  public func refusal(of request: Request) -> Response? { nil }

  public func weight(of request: Request, bodyCount: Int) -> Int { 1 }

  public func unfinished(kind: Int) -> Response? { .problem(.serviceUnavailable, detail: "The service is ending.") }
}

/// A handler's answer to a request.
public enum Reply: Sendable {
  /// The response.
  case response(Response)
  /// Not yet: the request is parked until a topic is woken or the time is over (a long poll).
  case wait(Wait)
  /// `Exchange.finish(_:)` will be called, once, from any queue.
  case later
  /// A head, and then bytes as they come, open-ended (server-sent events). The response's body goes first.
  case stream(Response, any StreamSource)
}
