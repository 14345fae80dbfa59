/// What an operator should hear of a source once: it works, but perhaps not as meant.
public enum SourceNotice: Hashable, Sendable {
  /// Its upstream's `Cache-Control` makes the interval longer than configured: what it is then.
  case lengthened(Duration)
  /// There was more than `limit` lets in, a key of the configuration: what came first is served.
  case truncated(items: Int, limit: String)
  /// The upstream names a further page, there, and the source has no `paging`.
  case unread(pageNamedBy: String)
}
