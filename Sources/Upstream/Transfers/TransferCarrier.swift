/// A carrier of requests to upstreams in libcurl's place: a test's own.
package protocol TransferCarrier: AnyObject, Sendable {
  /// Carries one request, without its redirects.
  ///
  /// - Parameter completion: to be called once, from any queue, no later than the request's limits allow.
  func carry(
    _ request: TransferRequest,
    completion: @escaping @Sendable (Result<TransferResponse, UpstreamError>) -> Void
  )
}
