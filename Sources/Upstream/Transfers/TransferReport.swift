/// One request to an upstream that has ended, for a log. Without secrets: the URL has no user and no query.
public struct TransferReport: Sendable {
  public enum Purpose: String, Sendable { case fetch, edit }

  public var purpose: Purpose
  /// The source's name.
  public var source: String
  public var method: String
  public var url: String
  /// Nil where there was no answer.
  public var status: Int?
  public var elapsed: Duration
  /// The length of the answer's body, decompressed.
  public var bytes: Int
  /// Why the answer can't be used.
  public var error: UpstreamError?
}

/// Hears of each request to an upstream; called on the client's queue, so it should hand work on.
public typealias TransferObserver = @Sendable (TransferReport) -> Void
