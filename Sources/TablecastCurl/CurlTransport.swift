internal import Queues
public import TablecastClient
internal import Upstream

/// A client's requests by libcurl, as the service makes its own: for Linux, where Foundation's `URLSession` ends the
/// program at a reply whose head is cut off. Not for apps: theirs have `URLSessionTransport`, and no libcurl.
///
/// Replies whole, no streams: a client that is told to use them polls.
public final class CurlTransport: Transport {
  private let client: TransferClient

  /// - Throws: where the system has no descriptors or memory left.
  public init() throws {
    // A client has a poll for each family of tables, and beside them edits.
    client = try TransferClient(requestsPerHost: 16, idleConnections: 16)
  }

  public func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  ) -> any Cancellable {
    let transferRequest: TransferRequest
    do { transferRequest = try TransferRequest(request) } catch {
      client.queue.async { completion(.failure(error)) }
      return CancellableTransfer(transfer: nil)
    }
    let transfer = client.send(transferRequest) { result in
      completion(result.map { TransportResponse($0) }.mapError(TransportFailure.init))
    }
    return CancellableTransfer(transfer: transfer)
  }
}

extension TransferRequest {
  fileprivate init(_ request: TransportRequest) throws(TransportFailure) {
    guard let url = UpstreamURL(request.url) else { throw TransportFailure("`\(request.url)` is no URL") }
    var fields: [TransferField] = []
    for (name, value) in request.headers {
      guard let field = TransferField(name, value) else { throw TransportFailure("`\(name)` can't be sent") }
      fields.append(field)
    }
    self.init(
      method: request.method,
      url: url,
      headers: fields,
      body: request.body,
      limits: TransferLimits(
        connectTimeout: .seconds(min(request.timeout, 30)),
        // A long reply over a slow line may take its time, as long as something comes.
        timeout: .seconds(3600),
        stallTimeout: .seconds(request.timeout),
        maxBodyBytes: URLSessionTransport.maximumBytes,
        // Redirected, a POST would become a GET, and its answer one to an edit.
        maxRedirects: request.method == "GET" ? 5 : 0,
        allowPrivateRedirects: true
      )
    )
  }
}

extension TransportFailure {
  fileprivate init(_ error: UpstreamError) {
    self.init(error.description, kind: error.mayHaveArrived ? .broken : .unsent)
  }
}

extension TransportResponse {
  fileprivate init(_ response: TransferResponse) {
    let names = Set(response.headers.map { $0.name.lowercased() })
    let fields = names.map { ($0, response.headers.list(named: $0) ?? "") }
    self.init(status: response.status, headers: Dictionary(uniqueKeysWithValues: fields), body: response.body)
  }
}

private struct CancellableTransfer: Cancellable {
  let transfer: Transfer?
  func cancel() { transfer?.cancel() }
}
