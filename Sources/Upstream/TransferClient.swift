internal import CCurl
internal import DequeModule
public import Dispatch

/// Sends requests to upstreams by libcurl, all on one serial queue; no thread waits for a transfer.
///
/// Connections are kept and reused, HTTP/2 is spoken where TLS offers it, every coding that libcurl knows is
/// accepted. TLS is always verified. Proxies come from the environment, as libcurl reads it (`http_proxy`,
/// `https_proxy`, `no_proxy`): behind a proxy, redirects to other hosts are checked by the proxy's address.
///
/// `@unchecked Sendable`: everything that changes is touched on `queue` alone.
public final class TransferClient: @unchecked Sendable {
  /// Where completions are called, and where sources live.
  public let queue: DispatchQueue
  private let multi: CurlMulti
  private let requestsPerHost: Int
  private var hosts: [UpstreamURL.Origin: Host] = [:]
  private var active: [UnsafeMutableRawPointer: Transfer] = [:]
  private let stallTimer: any DispatchSourceTimer
  private var nextStallCheck: DispatchTime?
  private var breakers: [UpstreamURL.Origin: CircuitBreaker] = [:]

  /// Requests of one origin: at most `requestsPerHost` at once, the others in the order they came.
  private struct Host {
    var active = 0
    var waiting = Deque<Transfer>()
  }

  /// - Parameters:
  ///   - requestsPerHost: under way at once to one origin, whether over as many connections or one of HTTP/2.
  ///   - idleConnections: kept open for reuse, in all.
  /// - Throws: `UpstreamError` where the system has no descriptors or memory left.
  public init(
    queue: DispatchQueue = DispatchQueue(label: "tablecast.upstream"),
    requestsPerHost: Int = 8,
    idleConnections: Int = 256
  ) throws(UpstreamError) {
    guard let multi = CurlMulti(queue: queue, connections: idleConnections) else { throw .noResources }
    self.queue = queue
    self.multi = multi
    self.requestsPerHost = requestsPerHost
    stallTimer = DispatchSource.makeTimerSource(queue: queue)
    stallTimer.setEventHandler { [weak self] in self?.checkStalls() }
    stallTimer.activate()
    multi.onCompletion { [weak self] in self?.finished($0, $1) }
  }

  deinit { stallTimer.cancel() }

  /// Sends a request; from any queue.
  ///
  /// - Parameter completion: called once, on `queue`: with the response, whatever its status, or with why there
  ///   is none.
  @discardableResult
  public func send(_ request: TransferRequest, completion: @escaping Transfer.Completion) -> Transfer {
    let transfer = Transfer(request, client: self, completion: completion)
    queue.async { self.admit(transfer) }
    return transfer
  }

  func cancel(_ transfer: Transfer) {
    queue.async { [self] in
      guard !transfer.isAnswered else { return }
      complete(transfer, .failure(.cancelled))
    }
  }

  // MARK: - On the queue

  private func admit(_ transfer: Transfer) {
    guard !transfer.isAnswered else { return }
    let origin = transfer.request.url.origin
    guard hosts[origin, default: Host()].active < requestsPerHost else {
      hosts[origin, default: Host()].waiting.append(transfer)
      return
    }
    hosts[origin, default: Host()].active += 1
    transfer.started = .now()
    start(transfer)
  }

  private func start(_ transfer: Transfer) {
    let isForeign = !transfer.request.url.origin.mayShareSecrets(with: transfer.current.url.origin)
    guard
      let exchange = Exchange(
        transfer.current,
        timeout: transfer.request.limits.timeout - transfer.elapsed,
        refusesPrivateAddresses: isForeign && !transfer.request.limits.allowPrivateRedirects
      )
    else { return complete(transfer, .failure(.noResources)) }
    transfer.exchange = exchange
    guard multi.add(exchange.easy) else { return complete(transfer, .failure(.noResources)) }
    active[exchange.easy] = transfer
    scheduleStallCheck(exchange.lastProgress + transfer.current.limits.stallTimeout.dispatchInterval)
  }

  private func finished(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let transfer = active[easy], let exchange = transfer.exchange else { return }
    if let failure = exchange.failure(code) { return complete(transfer, .failure(failure)) }
    let status = exchange.status
    let decision = RedirectPolicy.decide(
      transfer.current,
      status: status,
      location: exchange.headers.first(named: "Location"),
      hops: transfer.hops
    )
    switch decision {
    case .refuse(let error): complete(transfer, .failure(error))
    case .follow(let next):
      release(exchange)
      transfer.current = next
      transfer.hops += 1
      start(transfer)
    case .answer:
      complete(
        transfer,
        .success(
          TransferResponse(
            status: status,
            headers: exchange.headers,
            body: exchange.takeBody(),
            url: transfer.current.url,
            redirects: transfer.hops,
            elapsed: transfer.elapsed,
            reusedConnection: exchange.openedConnections == 0,
            httpVersion: exchange.httpVersion
          )
        )
      )
    }
  }

  private func complete(_ transfer: Transfer, _ result: Result<TransferResponse, UpstreamError>) {
    let origin = transfer.request.url.origin
    if let exchange = transfer.exchange {
      release(exchange)
      transfer.exchange = nil
      hosts[origin]?.active -= 1
    }
    transfer.answer(result)
    while let host = hosts[origin], host.active < requestsPerHost, let next = hosts[origin]?.waiting.popFirst() {
      admit(next)
    }
    if let host = hosts[origin], host.active == 0, host.waiting.isEmpty { hosts[origin] = nil }
  }

  private func release(_ exchange: Exchange) {
    guard active.removeValue(forKey: exchange.easy) != nil else { return }
    multi.remove(exchange.easy)
  }

  // MARK: - Circuit breakers

  /// - Returns: whether a source may ask this host now; what comes of it must be recorded.
  func permits(_ origin: UpstreamURL.Origin, isUrgent: Bool) -> Bool {
    breakers[origin]?.permits(at: .now, isUrgent: isUrgent) ?? true
  }

  /// Why the host is not asked.
  func lastError(of origin: UpstreamURL.Origin) -> UpstreamError? { breakers[origin]?.lastError }

  func record(_ result: Result<TransferResponse, UpstreamError>, of origin: UpstreamURL.Origin) {
    let random = Double.random(in: 0..<1)
    switch result {
    case .success: breakers[origin] = nil
    case .failure(let error):
      let verdict: CircuitBreaker.Verdict =
        if error.blamesHost { .bad } else if error.kind == .cancelled { .unknown } else { .good }
      breakers[origin, default: CircuitBreaker()].record(verdict, error: error, at: .now, random: random)
    }
  }

  // MARK: - Stalls

  private func scheduleStallCheck(_ deadline: DispatchTime) {
    if let nextStallCheck, nextStallCheck <= deadline { return }
    nextStallCheck = deadline
    stallTimer.schedule(deadline: deadline, leeway: .milliseconds(5))
  }

  private func checkStalls() {
    nextStallCheck = nil
    let now = DispatchTime.now()
    var next: DispatchTime?
    for transfer in active.values {
      guard let exchange = transfer.exchange else { continue }
      let deadline = exchange.lastProgress + transfer.current.limits.stallTimeout.dispatchInterval
      if deadline <= now {
        complete(transfer, .failure(exchange.stallFailure()))
      } else {
        next = min(next ?? deadline, deadline)
      }
    }
    if let next { scheduleStallCheck(next) }
  }
}

extension UpstreamError {
  static let cancelled = UpstreamError(.cancelled, title: "Cancelled", detail: "the request is no longer wanted")

  static let noResources = UpstreamError(
    .refused,
    title: "No request can be made",
    detail: "descriptors or memory are used up",
    mayHaveArrived: false
  )
}

extension Duration {
  /// Since an arbitrary point, monotonic.
  static var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  var dispatchInterval: DispatchTimeInterval { .milliseconds(Int(clamping: max(0, min(milliseconds, 1 << 40)))) }
}
