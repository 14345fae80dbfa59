/// Answers requests whose target no URL can name: a table, row or action of dots alone (`.` or `..`).
///
/// URLs are resolved by those who send them and by proxies, however the dots are written: `DELETE /items/..` would become
/// `DELETE /`. The answer is what the service itself gives where such a path reaches it.
struct UnnameableTransport: Transport {
  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  ) -> any Cancellable {
    completion(
      .success(
        TransportResponse(
          status: 400,
          headers: ["Content-Type": "application/problem+json"],
          json: #"{"title":"Bad Request","status":400,"detail":"No URL can have a name of dots alone in its path."}"#
        )
      )
    )
    return NothingToCancel()
  }

  /// Whether a path, perhaps with a query, has a segment of dots alone. O(bytes).
  static func answers(_ target: String) -> Bool {
    target.prefix { $0 != "?" }.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }
}
