/// A topic that waiters wait for and publications name. The numbers are the service's own choice.
public struct Topic: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A request that waits for one of its topics to be woken.
public struct Wait: Sendable {
  /// The most topics that one request can wait for: 64 tables, each in a view.
  public static let maximumTopics = 128

  /// 1 to `maximumTopics`; further ones are left out.
  public let topics: [Topic]
  /// How long to wait before `Waiter.timedOut(_:)`. Nil, in a reply to `Waiter.woken(_:)`: until the same deadline.
  public let timeout: Duration?
  public let waiter: any Waiter
  /// The client asked to wait: one that shuts its side meanwhile has gone. False where the handler has to wait before it
  /// can answer, some seconds at most: a client that has sent all that it wants to is still there to be answered.
  public let isAskedFor: Bool

  public init(topics: [Topic], timeout: Duration?, isAskedFor: Bool = true, waiter: any Waiter) {
    self.topics = topics.count > Wait.maximumTopics ? Array(topics.prefix(Wait.maximumTopics)) : topics
    self.timeout = timeout
    self.isAskedFor = isAskedFor
    self.waiter = waiter
  }
}

/// One parked request, as the service sees it: a small object that knows what it waits for. All of this is called
/// on the connection's event loop, and after a reply or `abandoned()` nothing is called any more.
///
/// Requests that ask for the same, of which thousands may wait, can share one object: all of this is then called for
/// each of them, on several loops at once.
public protocol Waiter: AnyObject, Sendable {
  /// A topic was woken. Nil: goes on waiting, until the same deadline. A reply of `.wait` waits for something else, in
  /// this waiter's place.
  ///
  /// A wake can come for a change that this waiter has seen already: one that was published before the request
  /// compared, and posted its wake after the request was registered. So compare again, and return nil.
  func woken(_ exchange: Exchange) -> Reply?
  /// In place of `woken(_:)`, where several requests share this waiter and are woken together: the response that
  /// `woken(_:)` gave one of them a moment ago has gone to another one too, which waits no more.
  func answeredAlike()
  /// The time is over, or the server drains. A reply of `.wait` waits for something else, with a timeout of its own (without
  /// one the answer is 503); where the server drains, its time is over at once.
  func timedOut(_ exchange: Exchange) -> Reply
  /// The client went away, or the server had to close the connection.
  func abandoned()
}

extension Waiter {
  /// Nothing: a waiter of one request is never asked.
  public func answeredAlike() {}
}
