internal import CCurl
internal import Dispatch

/// A request on its way, through its redirects. Kept by the client until it is answered; may be cancelled.
///
/// `@unchecked Sendable`: everything that changes is touched on the client's queue alone.
public final class Transfer: @unchecked Sendable {
  public typealias Completion = @Sendable (Result<TransferResponse, UpstreamError>) -> Void

  let request: TransferRequest
  /// The hop that is under way.
  var current: TransferRequest
  var hops = 0
  var started = DispatchTime.now()
  var hop: TransferHop?
  /// Nil once it was called.
  private var completion: Completion?
  private weak var client: TransferClient?

  init(_ request: TransferRequest, client: TransferClient, completion: @escaping Completion) {
    self.request = request
    current = request
    self.client = client
    self.completion = completion
  }

  /// Ends it with `.cancelled`, unless it is through. From any queue.
  public func cancel() {
    client?.cancel(self)
  }

  var isAnswered: Bool { completion == nil }

  var elapsed: Duration {
    .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds - started.uptimeNanoseconds))
  }

  func answer(_ result: Result<TransferResponse, UpstreamError>) {
    let completion = self.completion
    self.completion = nil
    completion?(result)
  }
}
