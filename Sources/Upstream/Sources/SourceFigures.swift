/// How a source has done: what an operator is shown of it. An immutable picture; `Source.figures` has the present one.
public struct SourceFigures: Sendable {
  /// One request of it, and what came back.
  public struct Answer: Hashable, Sendable {
    /// In seconds since 1970.
    public var at: Int64
    /// Nil where there was no answer.
    public var status: Int?
    public var elapsed: Duration
    /// The length of the body, decompressed.
    public var bytes: Int
    /// Nil where it could be used.
    public var error: UpstreamError.Kind?
    /// Attempts of the same refresh before this one.
    public var retries = 0
    /// Pages that the refresh had read before, and this one if it is a page.
    public var pages = 0

    /// For metrics: `ok`, `unchanged`, or the kind of failure.
    public var result: String { error?.rawValue ?? (status == 304 ? "unchanged" : "ok") }
  }

  public enum Breaker: Hashable, Sendable {
    case closed
    /// The host is not asked for a while: it failed again and again.
    case open
    /// One request finds out whether it works again.
    case probing
  }

  /// The last ones, the newest at the end; at most ten.
  public internal(set) var lastAnswers: [Answer] = []
  /// Requests by `Answer.result`.
  public internal(set) var results: [String: Int] = [:]
  public internal(set) var latency = LatencyHistogram()
  public internal(set) var requests = 0
  /// Answers 304.
  public internal(set) var notModified = 0
  /// Attempts of a refresh after its first.
  public internal(set) var retries = 0
  /// Pages of lists that were read, those of fan-outs not among them.
  public internal(set) var pages = 0
  public internal(set) var bytes = 0
  /// When it will be asked again by itself, in seconds since 1970; nil: it won't.
  public internal(set) var nextFetch: Int64?
  public internal(set) var breaker = Breaker.closed
  /// The last refresh was cut off at `maxItems`, `maxPages` or the fan-out's `limit`.
  public internal(set) var isTruncated = false
  /// How many items the last refresh has met, where the upstream says that there are more.
  public internal(set) var missed: (items: Int, total: Int)?
  /// Why the last refresh failed, in the upstream's words; nil: it did not.
  public internal(set) var problem: UpstreamError?

  public init() {}

  mutating func add(_ answer: Answer) {
    if lastAnswers.count == 10 { lastAnswers.removeFirst() }
    lastAnswers.append(answer)
    results[answer.result, default: 0] += 1
    latency.add(answer.elapsed)
    requests += 1
    bytes += answer.bytes
    if answer.status == 304 { notModified += 1 }
  }
}

/// Durations, counted in buckets as Prometheus' histograms have them.
public struct LatencyHistogram: Hashable, Sendable {
  /// The upper bounds of the buckets, in seconds; above the last there is one more.
  public static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  /// The counts of each bucket alone, not cumulated: one more than there are bounds.
  public private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
  /// In seconds.
  public private(set) var sum = 0.0

  public init() {}

  public var count: Int { counts.reduce(0, +) }

  public mutating func add(_ duration: Duration) {
    let seconds = duration.seconds
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }
}
