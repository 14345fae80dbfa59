internal import Definitions
internal import Glibc
internal import Queues

/// The requests of a refresh: sent as the source logs in, and counted.
extension SourceFetcher {
  /// Sends a request if the host's breaker lets it pass; its completion is called only while the refresh goes on.
  ///
  /// - Parameters:
  ///   - conditions: makes it a conditional one; nil: as the last refresh has left it.
  ///   - isExpected: whether a status is none of the upstream's failures, though it is no success.
  ///   - read: what is made of an answer that is a success, or 304 where that was asked for; on the source's own queue.
  func send<Reading: Sendable>(
    _ request: TransferRequest,
    of refresh: Refresh,
    conditions: [TransferField]? = nil,
    isExpected: @escaping @Sendable (Int) -> Bool = { _ in false },
    read: @escaping @Sendable (TransferResponse) throws(UpstreamError) -> Reading,
    completion: @escaping (Result<Reading, UpstreamError>) -> Void
  ) {
    let conditional = request.adding(conditions ?? cache.conditions(for: request))
    // Credentials are the first page's host's alone.
    guard let login, refresh.first.url.origin.mayShareSecrets(with: request.url.origin) else {
      return send(conditional, nil, of: refresh, isExpected: isExpected, read: read, completion: completion)
    }
    login.prove(client) { [weak self] result in
      guard let self, self.refresh === refresh else { return }
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let proof):
        refresh.hide([proof.token].compactMap(\.self))
        send(conditional, proof, of: refresh, isExpected: isExpected, read: read, completion: completion)
      }
    }
  }

  /// - Parameters:
  ///   - proof: what it is sent with, where the source has `auth`.
  ///   - isLast: it is not sent again with another token.
  private func send<Reading: Sendable>(
    _ request: TransferRequest,
    _ proof: Login.Proof?,
    isLast: Bool = false,
    of refresh: Refresh,
    isExpected: @escaping @Sendable (Int) -> Bool,
    read: @escaping @Sendable (TransferResponse) throws(UpstreamError) -> Reading,
    completion: @escaping (Result<Reading, UpstreamError>) -> Void
  ) {
    guard client.permits(refresh.breaker, isUrgent: refresh.isUrgent) else {
      return completion(.failure(hostError ?? .spared(request.url.origin)))
    }
    let conditional = proof.map { request.replacing($0.field) } ?? request
    let number = refresh.nextTransfer
    refresh.nextTransfer += 1
    let (client, reading, check) = (client, reading, refresh.check)
    // Touched on the client's queue alone, where it comes back to.
    nonisolated(unsafe) let confined = (fetcher: self, refresh: refresh, completion: completion)
    let started = Duration.now
    refresh.transfers[number] = client.send(conditional) { result in
      confined.refresh.transfers[number] = nil
      if let proof, confined.fetcher.sendsAgain(result, proof, isLast, of: confined.refresh) {
        return confined.fetcher.prove(again: request, of: confined.refresh) { renewed in
          switch renewed {
          case .failure(let error): confined.completion(.failure(error))
          case .success(let proof):
            confined.fetcher.send(
              request,
              proof,
              isLast: true,
              of: confined.refresh,
              isExpected: isExpected,
              read: read,
              completion: confined.completion
            )
          }
        }
      }
      let elapsed = (try? result.get().elapsed) ?? (Duration.now - started)
      reading.async {
        let now = Int64(time(nil))
        let checked = result.flatMap { response in
          Self.checked(response, conditional, check, at: now).flatMap { response in
            Result { () throws(UpstreamError) in try read(response) }
          }
        }
        client.queue.async {
          let (fetcher, refresh, completion) = confined
          let checked = proof == nil ? checked : checked.mapError(\.asRefusedLogin)
          let failure = checked.failure.flatMap { $0.status.map(isExpected) ?? false ? nil : $0 }
          fetcher.told(failure, result, conditional, elapsed, at: now, of: refresh)
          guard fetcher.refresh === refresh else { return }
          completion(checked)
        }
      }
    }
  }

  /// Returns whether a token was refused that another one can be had for.
  private func sendsAgain(
    _ result: Result<TransferResponse, UpstreamError>,
    _ proof: Login.Proof,
    _ isLast: Bool,
    of refresh: Refresh
  ) -> Bool {
    guard let login, case .success(let response) = result else { return false }
    guard response.status == 401 else {
      login.accepted(proof, client)
      return false
    }
    guard !isLast, self.refresh === refresh, login.refused(proof, client) else { return false }
    client.record(nil, of: refresh.breaker)
    return true
  }

  private func prove(
    again request: TransferRequest,
    of refresh: Refresh,
    _ completion: @escaping (Result<Login.Proof, UpstreamError>) -> Void
  ) {
    login?.prove(client) { [weak self] result in
      guard let self, self.refresh === refresh else { return }
      if case .success(let proof) = result { refresh.hide([proof.token].compactMap(\.self)) }
      completion(result)
    }
  }

  /// A status that is no success is a failure from here on; 304 is a success where it was asked for.
  private static func checked(
    _ response: TransferResponse,
    _ request: TransferRequest,
    _ check: ResponseCheck,
    at now: Int64
  ) -> Result<TransferResponse, UpstreamError> {
    if response.status == 304,
      request.headers.first(named: "If-None-Match") != nil
        || request.headers.first(named: "If-Modified-Since") != nil
    {
      return .success(response)
    }
    return check.failure(of: response, request: request, now: now).map { .failure($0) } ?? .success(response)
  }

  /// Counts an answer, or that there was none: for the breaker, the figures and the log.
  private func told(
    _ error: UpstreamError?,
    _ result: Result<TransferResponse, UpstreamError>,
    _ request: TransferRequest,
    _ elapsed: Duration,
    at now: Int64,
    of refresh: Refresh
  ) {
    client.record(error, of: refresh.breaker)
    let hidden = error.map(refresh.check.redaction.hide)
    if let hidden, hidden.blamesHost { hostError = hidden }
    guard error?.kind != .cancelled else { return }
    let response = try? result.get()
    onAnswer(
      SourceFigures.Answer(
        at: now,
        status: response?.status,
        elapsed: elapsed,
        bytes: response?.body.count ?? 0,
        error: error?.kind,
        pages: refresh.visited.count + (error == nil && refresh.elements.isEmpty ? 1 : 0)
      )
    )
    client.observer?(
      TransferReport(
        purpose: .fetch,
        source: name,
        method: request.method,
        url: refresh.check.redaction.hide(request.url.description),
        status: response?.status,
        elapsed: elapsed,
        bytes: response?.body.count ?? 0,
        error: hidden
      )
    )
  }
}
