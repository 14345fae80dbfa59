internal import CCurl
public import Dispatch
public import Queues
internal import Synchronization

/// Sends requests to upstreams by libcurl, all on one serial queue; no thread waits for a transfer.
///
/// Connections are kept and reused, HTTP/2 is spoken where TLS offers it, every coding that libcurl knows is
/// accepted. TLS is always verified. Proxies come from the environment, as libcurl reads it (`http_proxy`,
/// `https_proxy`, `no_proxy`): behind a proxy, redirects to other hosts are checked by the proxy's address.
///
/// `@unchecked Sendable`: everything that changes is touched on `queue` alone.
public final class TransferClient: @unchecked Sendable {
  /// The queue that completions are called on, and that sources live on.
  public let queue: WorkQueue
  let queues: QueueFactory
  /// The queue that reads the answers to edits: a malicious one keeps no source waiting.
  let reading: WorkQueue
  /// The threads that read what sources are answered.
  let readers: QueuePool
  /// Nil where another carrier is given.
  private let multi: CurlMulti?
  private let carrier: (any TransferCarrier)?
  /// Hears of each request of a source, and of each edit.
  let observer: TransferObserver?
  private let requestsPerHost: Int
  private var hosts: [UpstreamURL.Origin: HostQueue<ObjectIdentifier>] = [:]
  /// The transfers that wait for their turn at a host.
  private var waiting: [ObjectIdentifier: Transfer] = [:]
  private var active: [UnsafeMutableRawPointer: Transfer] = [:]
  private lazy var stallTimer = QueueTimer(on: queue) { [weak self] in self?.checkStalls() }
  private var nextStallCheck: DispatchTime?
  private lazy var turnTimer = QueueTimer(on: queue) { [weak self] in self?.turnsHaveChanged() }
  private var nextTurn: Duration?
  private var breakers = CircuitBreakers()
  private var tokens: [TokenHolder.Key: TokenHolder] = [:]
  private let lanes = Atomic<Int>(0)

  /// - Parameters:
  ///   - requestsPerHost: under way at once to one origin, whether over as many connections or one of HTTP/2. Requests
  ///     that aren't answered within a second give their place to others, up to four times as many.
  ///   - idleConnections: kept open for reuse, in all.
  ///   - observer: hears of each request of a source, and of each edit, when it has ended.
  /// - Throws: `UpstreamError` where the system has no descriptors or memory left.
  public convenience init(
    queue: DispatchQueue = DispatchQueue(label: "tablecast.upstream"),
    requestsPerHost: Int = 6,
    idleConnections: Int = 256,
    observer: TransferObserver? = nil
  ) throws(UpstreamError) {
    guard let multi = CurlMulti(queue: queue, connections: idleConnections) else { throw .noResources }
    self.init(.dispatch, .dispatch(queue), multi, nil, requestsPerHost, observer)
  }

  /// - Parameters:
  ///   - queues: where it works, and the sources that it asks for.
  ///   - carrier: what carries its requests; nil: libcurl.
  package convenience init(
    _ queues: QueueFactory,
    carrier: (any TransferCarrier)?,
    observer: TransferObserver? = nil
  ) throws(UpstreamError) {
    guard let carrier else {
      try self.init(observer: observer)
      return
    }
    self.init(queues, queues.serial("tablecast.upstream"), nil, carrier, 6, observer)
  }

  private init(
    _ queues: QueueFactory,
    _ queue: WorkQueue,
    _ multi: CurlMulti?,
    _ carrier: (any TransferCarrier)?,
    _ requestsPerHost: Int,
    _ observer: TransferObserver?
  ) {
    (self.queues, self.queue, self.multi, self.carrier) = (queues, queue, multi, carrier)
    (self.requestsPerHost, self.observer) = (requestsPerHost, observer)
    reading = queues.concurrent("tablecast.edits")
    readers = queues.pool("tablecast.sources", threads: max(8, 2 * QueuePool.cores))
    multi?.onCompletion { [weak self] in self?.finished($0, $1) }
  }

  /// A place of its own in every host's queue: one for each source, so that none waits for the requests of another.
  func makeLane() -> Int { lanes.add(1, ordering: .relaxed).newValue }

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
    waiting[ObjectIdentifier(transfer)] = transfer
    hosts[origin, default: HostQueue(slots: requestsPerHost)].add(ObjectIdentifier(transfer), of: transfer.request.lane)
    startNext(at: origin)
  }

  /// Starts the requests whose turn it is.
  private func startNext(at origin: UpstreamURL.Origin) {
    let now = Duration.now
    for number in hosts[origin]?.admit(at: now) ?? [] {
      guard let transfer = waiting.removeValue(forKey: number) else { continue }
      transfer.started = .now()
      start(transfer)
    }
    if hosts[origin]?.isEmpty == true { hosts[origin] = nil }
    guard let deadline = hosts[origin]?.deadline(after: now), deadline < nextTurn ?? .seconds(Int64.max) else { return }
    nextTurn = deadline
    turnTimer.schedule(deadline: .now() + (deadline - now).dispatchInterval, leeway: .milliseconds(5))
  }

  private func turnsHaveChanged() {
    nextTurn = nil
    for origin in Array(hosts.keys) { startNext(at: origin) }
  }

  private func start(_ transfer: Transfer) {
    if let carrier {
      return carrier.carry(transfer.current) { [self] result in
        queue.async { [self] in
          if !transfer.isAnswered { complete(transfer, result) }
        }
      }
    }
    let isForeign = !transfer.request.url.origin.mayShareSecrets(with: transfer.current.url.origin)
    guard
      let hop = TransferHop(
        transfer.current,
        timeout: transfer.request.limits.timeout - transfer.elapsed,
        privateAddresses: isForeign
          ? (transfer.request.limits.allowPrivateRedirects ? .allowed : .refusedToRedirects)
          : (transfer.request.limits.allowPrivate ? .allowed : .refused)
      )
    else { return complete(transfer, .failure(.noResources)) }
    transfer.hop = hop
    guard let multi, multi.add(hop.easy) else { return complete(transfer, .failure(.noResources)) }
    active[hop.easy] = transfer
    scheduleStallCheck(hop.lastProgress + transfer.current.limits.stallTimeout.dispatchInterval)
  }

  private func finished(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let transfer = active[easy], let hop = transfer.hop else { return }
    if let failure = hop.failure(code) { return complete(transfer, .failure(failure)) }
    let status = hop.status
    let decision = RedirectPolicy.decide(
      transfer.current,
      status: status,
      location: hop.headers.first(named: "Location"),
      hops: transfer.hops
    )
    switch decision {
    case .refuse(let error): complete(transfer, .failure(error))
    case .follow(let next):
      release(hop)
      transfer.current = next
      transfer.hops += 1
      start(transfer)
    case .answer:
      complete(
        transfer,
        .success(
          TransferResponse(
            status: status,
            headers: hop.headers,
            body: hop.takeBody(),
            url: transfer.current.url,
            redirects: transfer.hops,
            elapsed: transfer.elapsed,
            reusedConnection: hop.openedConnections == 0,
            httpVersion: hop.httpVersion
          )
        )
      )
    }
  }

  private func complete(_ transfer: Transfer, _ result: Result<TransferResponse, UpstreamError>) {
    let origin = transfer.request.url.origin
    if let hop = transfer.hop {
      release(hop)
      transfer.hop = nil
    }
    waiting[ObjectIdentifier(transfer)] = nil
    hosts[origin]?.remove(ObjectIdentifier(transfer), of: transfer.request.lane, at: .now)
    transfer.answer(result)
    startNext(at: origin)
  }

  private func release(_ hop: TransferHop) {
    guard active.removeValue(forKey: hop.easy) != nil else { return }
    multi?.remove(hop.easy)
  }

  // MARK: - Tokens

  /// The one that holds the tokens of a client: one for all who ask as that. There are as many as the configuration names;
  /// those of former ones go when they are very many.
  func tokens(_ key: TokenHolder.Key) -> TokenHolder {
    if let known = tokens[key] { return known }
    if tokens.count >= 256 { tokens = [:] }
    let holder = TokenHolder(key, client: self)
    tokens[key] = holder
    return holder
  }

  // MARK: - Circuit breakers

  /// - Returns: whether a source may ask this host now; what comes of it must be recorded.
  func permits(_ key: CircuitBreakers.Key, isUrgent: Bool) -> Bool {
    breakers.permits(key, at: .now, isUrgent: isUrgent)
  }

  func breakerState(of key: CircuitBreakers.Key) -> CircuitBreaker.State? { breakers.state(of: key) }

  /// - Parameter error: nil where the answer could be used.
  func record(_ error: UpstreamError?, of key: CircuitBreakers.Key) {
    let verdict: CircuitBreaker.Verdict =
      switch error {
      case nil: .good
      case let error? where error.blamesHost: .bad
      case let error? where error.kind == .cancelled: .unknown
      case _?: .good
      }
    breakers.record(verdict, of: key, at: .now, random: .random(in: 0..<1))
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
      guard let hop = transfer.hop else { continue }
      let deadline = hop.lastProgress + transfer.current.limits.stallTimeout.dispatchInterval
      if deadline <= now {
        complete(transfer, .failure(hop.stallFailure()))
      } else {
        next = min(next ?? deadline, deadline)
      }
    }
    if let next { scheduleStallCheck(next) }
  }
}

extension Duration {
  /// Since an arbitrary point, monotonic: the clock of all schedules.
  public static var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  /// The same for Dispatch: whole milliseconds, at most 2^40 of them; none where it is negative.
  package var dispatchInterval: DispatchTimeInterval {
    .milliseconds(Int(clamping: max(0, min(milliseconds, 1 << 40))))
  }
}
