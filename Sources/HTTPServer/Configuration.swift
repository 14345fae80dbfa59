/// Everything about a server that can be chosen, with defaults that suit a small machine on the open network.
public struct Configuration: Sendable {
  /// The numeric IPv4 or IPv6 address to listen on.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 lets the kernel choose one.
  public var port: UInt16 = 8080
  /// How many event loops to run; nil: one for each processor that the process may use, but no more than four.
  public var loops: Int?
  /// Connections that the kernel may hold ready to be accepted.
  public var backlog: Int32 = 4096

  public var limits = Limits()
  public var timeouts = Timeouts()
  /// The origins that scripts may call from; nil sends no CORS field at all.
  public var crossOrigin: CrossOrigin?
  /// Names that requests may be for, without ports and in any case: a request for another is 421. IP literals and
  /// `localhost` always are. Where it is empty, only a server that listens on loopback asks.
  public var hosts: [String] = []
  /// The proxies whose `Forwarded` (RFC 7239) and `X-Forwarded-For` say who the client is; none by default.
  public var trustedProxies: [AddressBlock] = []
  /// Given each request that is answered, on its event loop: it must not block. Nil: nobody is told.
  public var accessLog: (@Sendable (AnsweredRequest) -> Void)?

  public init() {}

  /// Bounds on what one client, and all of them, can take.
  public struct Limits: Sendable {
    /// Bytes of a request line's target; longer is 414. RFC 9110 section 4.1 asks for 8000 at least.
    public var target = 16_384
    /// Bytes of a request's head; longer is 431.
    public var head = 32_768
    /// Header fields of one request, and trailer fields; more is 431.
    public var fields = 100
    /// Bytes of a request's body; longer is 413.
    public var body = 1_048_576
    /// Connections in all; one more is answered 503 and closed. No more than the process has descriptors for.
    public var connections = 16_384
    /// Connections from one address (an IPv6 client's is its /64); one more is answered 429 and closed. Nil: a quarter
    /// of all, and no bound for loopback. Trusted proxies have none in either case.
    public var connectionsPerAddress: Int?
    /// Requests on one connection before it is closed; nil: no bound.
    public var requestsPerConnection: Int?
    /// Requests that wait, streams among them; one more is answered 503 and closed. An eighth of all connections, or 256
    /// of them, are left for others.
    public var waiters = 16_384
    /// Waiting requests from one address, by way of trusted proxies too; one more is answered 429. Nil: a quarter of all,
    /// and no bound for loopback.
    public var waitersPerAddress: Int?
    /// Descriptors that the process may have open; nil: what the system says when the server is made (RLIMIT_NOFILE).
    public var descriptors: Int?
    /// How many of them are not for connections, but for stores, upstreams and files; nil: an eighth, 48 at least, but
    /// no more than half.
    public var keptDescriptors: Int?
    /// Bytes of a stream's messages that may wait behind the one that its reader is taking; more cuts it off. The one
    /// that is being taken may be of any size.
    public var streamBacklog = 1_048_576
    /// Bytes of responses that may wait to be taken by those who asked for them, those that several share counted once:
    /// beyond it, whoever has taken nothing for a second is cut off, the longest first.
    public var waitingOutput = 268_435_456
    /// Beyond it, whoever takes little is cut off, too. Nil: a quarter of the memory that the process may have.
    public var mostWaitingOutput: Int?
    /// Bytes of requests that are not answered, some weighed (`RequestHandler.weight(of:bodyCount:)`); more is answered
    /// 503, and 429 where one address has a quarter of it: of loopback, where it may have more connections than others,
    /// half of it in requests that have not come to their end. Nil: 256 MB, but no more than an eighth of the memory that
    /// the process may have.
    public var unfinishedInput: Int?
    /// Seconds to name in `Retry-After` where a limit is why a request is refused.
    public var retryAfter = 5

    public init() {}
  }

  /// How long anything may take.
  public struct Timeouts: Sendable {
    /// From a connection's begin, or a later request's first byte, to the end of that request's head: 408.
    public var head: Duration = .seconds(8)
    /// Between two reads of a request's body: 408.
    public var bodyIdle: Duration = .seconds(8)
    /// From a body's first byte to its last, however it comes: 408.
    public var body: Duration = .seconds(60)
    /// Bytes a second that a body must bring on the whole, after the first `bodyIdle`: 408.
    public var bodyRate = 512
    /// Without a request, between requests: closed.
    public var keepAlive: Duration = .seconds(10)
    /// For a client to take something of what was written to it: closed.
    public var write: Duration = .seconds(20)
    /// Bytes a second that a client must take on the whole of what waits for it, after the first `write`: closed.
    /// Taking a byte now and then holds on to nothing.
    public var writeRate = 2048
    /// For a refused client to read its refusal, while what it sends is thrown away: closed.
    public var linger: Duration = .seconds(5)
    /// The wait for the first byte of a new connection when the server is to stop.
    public var farewell: Duration = .milliseconds(250)
    /// Silence on a stream after which its source is asked for a sign of life.
    public var heartbeat: Duration = .seconds(15)

    public init() {}
  }

  /// Cross-origin requests (Fetch Standard section 3.3).
  public struct CrossOrigin: Sendable {
    public enum Origins: Sendable, Equatable {
      /// `*`: every origin, without credentials.
      case any
      /// These, compared byte by byte: `https://app.example`.
      case list([String])

      /// As configurations list them: all where `*` is among them.
      public init(_ list: [String]) { self = list.contains("*") ? .any : .list(list) }

      /// Returns whether `origin` is one of them. O(number of origins).
      func contains(_ origin: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .any: true
        case .list(let list): list.contains { $0.utf8.elementsEqual(origin) }
        }
      }

      func union(_ others: Origins) -> Origins {
        switch (self, others) {
        case (.any, _), (_, .any): .any
        case (.list(let own), .list(let others)): .list(own + others.filter { !own.contains($0) })
        }
      }
    }

    /// The origins that may read replies.
    public var origins: Origins
    /// The origins that may also send requests that change something, and read the replies to them.
    public var writes: Origins
    /// Header fields of responses that scripts may read.
    public var exposed = ["ETag", "Link", "Location", "Retry-After", "X-Request-ID"]
    /// Methods that a preflight grants to those who may write; to others GET and HEAD.
    public var methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
    /// For how long a browser may keep a preflight's answer.
    public var maxAge: Duration = .seconds(600)

    public init(origins: Origins, writes: Origins = .list([])) {
      self.origins = origins
      self.writes = writes
    }
  }
}
