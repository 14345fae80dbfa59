import Foundation

/// Where tokens come from. `isRefused` is true where the last one was answered with 401: a fresh one is wanted.
/// Nil sends none.
public typealias TokenProvider = @Sendable (_ isRefused: Bool) async throws -> String?

/// Puts the caller's token on requests: asked for per request, refreshed once for all that were refused together, and
/// each request sent at most twice.
///
/// `@unchecked Sendable`: `waiting` and `isRefreshing` are used with the lock held.
final class AuthorizedTransport: StreamTransport, @unchecked Sendable {
  typealias Completion = @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  private typealias TokenReceiver = @Sendable (Result<String?, any Error>) -> Void

  private let transport: any Transport
  private let token: TokenProvider?
  private let lock = NSLock()
  private var waiting: [Bool: [TokenReceiver]] = [:]

  init(_ transport: any Transport, token: TokenProvider?) { (self.transport, self.token) = (transport, token) }

  func send(_ request: TransportRequest, completion: @escaping Completion) -> any Cancellable {
    guard token != nil else { return transport.send(request, completion: completion) }
    let cancellation = Cancellation()
    send(request, cancellation, completion)
    return cancellation
  }

  /// - Parameter refusal: the answer that the last token got.
  private func send(
    _ request: TransportRequest,
    after refusal: TransportResponse? = nil,
    _ cancellation: Cancellation,
    _ completion: @escaping Completion
  ) {
    withToken(isRefused: refusal != nil) { [transport] result in
      var next = request
      switch result {
      case .failure(let error): return completion(.failure(TransportFailure("no token: \(error)")))
      case .success(let token): next.headers["Authorization"] = token.map { "Bearer \($0)" }
      }
      // The same token again would get the same answer.
      if let refusal, next == request { return completion(.success(refusal)) }
      cancellation.replace { [next] in
        transport.send(next) { result in
          guard refusal == nil, case .success(let response) = result, response.status == 401 else {
            return completion(result)
          }
          self.send(next, after: response, cancellation, completion)
        }
      }
    }
  }

  /// Nothing where the transport can't.
  func stream(_ request: TransportRequest, receive: @escaping @Sendable (StreamPart) -> Void) -> any Cancellable {
    let cancellation = Cancellation()
    stream(request, isRepeat: false, cancellation, receive)
    return cancellation
  }

  var canStream: Bool { transport is any StreamTransport }

  private func stream(
    _ request: TransportRequest,
    isRepeat: Bool,
    _ cancellation: Cancellation,
    _ receive: @escaping @Sendable (StreamPart) -> Void
  ) {
    guard let transport = transport as? any StreamTransport else {
      return receive(.ended(TransportFailure("this transport has no streams")))
    }
    withToken(isRefused: isRepeat) { [self] result in
      var next = request
      switch result {
      case .failure(let error): return receive(.ended(TransportFailure("no token: \(error)")))
      case .success(let token): if let token { next.headers["Authorization"] = "Bearer \(token)" }
      }
      cancellation.replace { [next] in
        transport.stream(next) { part in
          guard case .response(let response) = part, response.status == 401, !isRepeat, self.token != nil else {
            return receive(part)
          }
          self.stream(request, isRepeat: true, cancellation, receive)
        }
      }
    }
  }

  /// One question at a time of each kind: who asks meanwhile gets the same answer.
  private func withToken(isRefused: Bool, _ receive: @escaping TokenReceiver) {
    guard let token else { return receive(.success(nil)) }
    let isFirst = lock.withLock {
      waiting[isRefused, default: []].append(receive)
      return waiting[isRefused]?.count == 1
    }
    guard isFirst else { return }
    Task {
      let result: Result<String?, any Error>
      do { result = .success(try await token(isRefused)) } catch { result = .failure(error) }
      let receivers = self.lock.withLock { self.waiting.removeValue(forKey: isRefused) ?? [] }
      for receive in receivers { receive(result) }
    }
  }
}

/// What is to be called off changes while it goes on.
///
/// `@unchecked Sendable`: everything is used with the lock held.
private final class Cancellation: Cancellable, @unchecked Sendable {
  private let lock = NSLock()
  private var isCancelled = false
  private var current: (any Cancellable)?

  func replace(_ start: () -> any Cancellable) {
    guard !lock.withLock({ isCancelled }) else { return }
    let next = start()
    let isLate = lock.withLock {
      current = next
      return isCancelled
    }
    if isLate { next.cancel() }
  }

  func cancel() {
    let current = lock.withLock {
      isCancelled = true
      return self.current
    }
    current?.cancel()
  }
}
