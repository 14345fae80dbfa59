import Foundation

/// Gives tokens. `isRefused` is true if the last token was answered with 401, so that a new one is needed. Nil sends no
/// token.
public typealias TokenProvider = @Sendable (_ isRefused: Bool) async throws -> String?

/// Puts the caller's token on requests: asked for per request, refreshed once for all that were refused together, and
/// each request sent at most twice. A provider that throws or hangs is a failure of its own kind, with its words.
///
/// `@unchecked Sendable`: all that changes is used with the lock held.
final class AuthorizedTransport: StreamTransport, @unchecked Sendable {
  typealias Completion = @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  private typealias TokenReceiver = @Sendable (Result<String?, any Error>) -> Void

  /// Seconds that a provider may take.
  static let patience = 30.0
  /// Seconds between two calls of `onNewToken`'s action: a provider may make a token for each request.
  static let betweenTokens = 60.0

  /// A request with the caller's token.
  private struct Attempt {
    var request: TransportRequest
    /// Renewals until then: after a further one its token is past.
    var renewals: Int
  }

  private struct Refusal {
    var attempt: Attempt
    var response: TransportResponse
  }

  private struct Question {
    var number: Int
    var receivers: [TokenReceiver]
    var timeout: (any Cancellable)?
  }

  private let transport: any Transport
  private let scheduler: any Scheduler
  private let lock = NSLock()
  private var token: TokenProvider?
  private var questions: [Bool: Question] = [:]
  private var lastQuestion = 0
  private var lastToken: String?
  /// How often there was another login: by the provider, or by another provider.
  private var renewals = 0
  private var newToken: (@Sendable () -> Void)?
  private var toldAt: Double?
  /// There was another token, too soon after the last one: the next request tells of it.
  private var isUntold = false

  init(_ transport: any Transport, token: TokenProvider?, scheduler: any Scheduler = SystemScheduler()) {
    (self.transport, self.token, self.scheduler) = (transport, token, scheduler)
  }

  /// Calls `action` where a request goes out with another token than the one before, once a minute at most.
  func onNewToken(_ action: @escaping @Sendable () -> Void) { lock.withLock { newToken = action } }

  /// Asks another provider from now on, also for requests that wait for the former one.
  func use(_ token: TokenProvider?) {
    let open = lock.withLock { () -> [Question] in
      self.token = token
      renewals += 1
      defer { questions = [:] }
      return questions.values.sorted { $0.number < $1.number }
    }
    for question in open {
      question.timeout?.cancel()
      for receive in question.receivers { withToken(isRefused: false, receive) }
    }
  }

  /// Asks the provider anew from now on: the answers that are waited for perhaps never come.
  func forgetQuestions() {
    for isRefused in [false, true] {
      answer(isRefused, nil, .failure(TransportFailure("The token is asked for anew.", kind: .token)))
    }
  }

  func send(_ request: TransportRequest, completion: @escaping Completion) -> any Cancellable {
    let cancellation = Cancellation()
    let (token, renewals) = lock.withLock { (self.token, self.renewals) }
    if token == nil {
      sendWithoutToken(Attempt(request: request, renewals: renewals), cancellation, completion)
    } else {
      send(request, cancellation, completion)
    }
    return cancellation
  }

  /// Sends a request as it is, and after a 401 with a token, where there is a provider by then.
  private func sendWithoutToken(_ attempt: Attempt, _ cancellation: Cancellation, _ completion: @escaping Completion) {
    cancellation.replace {
      transport.send(attempt.request) { [self] result in
        guard case .success(let response) = result, response.status == 401, hasProvider else {
          return completion(result)
        }
        send(attempt.request, after: Refusal(attempt: attempt, response: response), cancellation, completion)
      }
    }
  }

  private func send(
    _ request: TransportRequest,
    after refusal: Refusal? = nil,
    _ cancellation: Cancellation,
    _ completion: @escaping Completion
  ) {
    authorize(request, after: refusal) { [transport] result in
      let attempt: Attempt
      do { attempt = try result.get() } catch { return completion(.failure(Self.failure(error))) }
      // The same token again would get the same answer.
      if let refusal, attempt.request == refusal.attempt.request { return completion(.success(refusal.response)) }
      cancellation.replace {
        transport.send(attempt.request) { result in
          guard refusal == nil, case .success(let response) = result, response.status == 401 else {
            return completion(result)
          }
          self.send(request, after: Refusal(attempt: attempt, response: response), cancellation, completion)
        }
      }
    }
  }

  private func authorize(
    _ request: TransportRequest,
    after refusal: Refusal?,
    _ receive: @escaping @Sendable (Result<Attempt, any Error>) -> Void
  ) {
    // Where the token was renewed meanwhile, the provider has another one already.
    let isRefused = refusal.map { refusal in lock.withLock { refusal.attempt.renewals == renewals } } ?? false
    withToken(isRefused: isRefused) { [self] result in
      switch result {
      case .failure(let error): receive(.failure(error))
      case .success(let token):
        note(token)
        var attempt = Attempt(request: request, renewals: lock.withLock { renewals })
        attempt.request.headers["Authorization"] = token.map { "Bearer \($0)" }
        receive(.success(attempt))
      }
    }
  }

  /// Nothing where the transport can't.
  func stream(_ request: TransportRequest, receive: @escaping @Sendable (StreamPart) -> Void) -> any Cancellable {
    let cancellation = Cancellation()
    stream(request, after: nil, cancellation, receive)
    return cancellation
  }

  var canStream: Bool { transport is any StreamTransport }

  private func stream(
    _ request: TransportRequest,
    after refusal: Refusal?,
    _ cancellation: Cancellation,
    _ receive: @escaping @Sendable (StreamPart) -> Void
  ) {
    guard let transport = transport as? any StreamTransport else {
      return receive(.ended(TransportFailure("this transport has no streams")))
    }
    guard hasProvider else { return cancellation.replace { transport.stream(request, receive: receive) } }
    authorize(request, after: refusal) { result in
      let attempt: Attempt
      do { attempt = try result.get() } catch { return receive(.ended(Self.failure(error))) }
      if let refusal, attempt.request == refusal.attempt.request { return receive(.response(refusal.response)) }
      cancellation.replace {
        transport.stream(attempt.request) { part in
          guard refusal == nil, case .response(let response) = part, response.status == 401 else {
            return receive(part)
          }
          self.stream(request, after: Refusal(attempt: attempt, response: response), cancellation, receive)
        }
      }
    }
  }

  private var hasProvider: Bool { lock.withLock { token != nil } }

  private static func failure(_ error: any Error) -> TransportFailure {
    if let failure = error as? TransportFailure, failure.kind == .token { return failure }
    return TransportFailure("The token provider threw: \(error)", kind: .token)
  }

  private func note(_ token: String?) {
    let now = scheduler.now
    let action = lock.withLock { () -> (@Sendable () -> Void)? in
      if lastToken != nil, token != lastToken { isUntold = true }
      lastToken = token
      guard isUntold else { return nil }
      if let toldAt, now - toldAt < Self.betweenTokens { return nil }
      (toldAt, isUntold) = (now, false)
      return newToken
    }
    action?()
  }

  /// One question at a time of each kind: who asks meanwhile gets the same answer.
  private func withToken(isRefused: Bool, _ receive: @escaping TokenReceiver) {
    let (provider, number) = lock.withLock { () -> (TokenProvider?, Int?) in
      guard let token else { return (nil, nil) }
      if questions[isRefused] != nil {
        questions[isRefused]?.receivers.append(receive)
        return (token, nil)
      }
      lastQuestion += 1
      questions[isRefused] = Question(number: lastQuestion, receivers: [receive])
      return (token, lastQuestion)
    }
    guard let provider else { return receive(.success(nil)) }
    guard let number else { return }
    let timeout = scheduler.schedule(at: scheduler.now + Self.patience) { [weak self] in
      let words = "The token provider has not answered for \(Int(Self.patience)) s."
      self?.answer(isRefused, number, .failure(TransportFailure(words, kind: .token)))
    }
    lock.withLock {
      if questions[isRefused]?.number == number { questions[isRefused]?.timeout = timeout }
    }
    Task {
      let result: Result<String?, any Error>
      do { result = .success(try await provider(isRefused)) } catch { result = .failure(error) }
      timeout.cancel()
      self.answer(isRefused, number, result)
    }
  }

  /// Answers those who wait; nothing where the question was given up. A number of nil is any question.
  private func answer(_ isRefused: Bool, _ number: Int?, _ result: Result<String?, any Error>) {
    let question = lock.withLock { () -> Question? in
      guard let question = questions[isRefused], number == nil || question.number == number else { return nil }
      questions[isRefused] = nil
      if isRefused, case .success = result { renewals += 1 }
      return question
    }
    question?.timeout?.cancel()
    for receive in question?.receivers ?? [] { receive(result) }
  }
}

/// What is to be called off changes while it goes on.
///
/// `@unchecked Sendable`: everything is used with the lock held.
private final class Cancellation: Cancellable, @unchecked Sendable {
  private let lock = NSLock()
  private var isCancelled = false
  private var current: (any Cancellable)?
  private var lastStart = 0

  func replace(_ start: () -> any Cancellable) {
    let number = lock.withLock { () -> Int? in
      guard !isCancelled else { return nil }
      lastStart += 1
      return lastStart
    }
    guard let number else { return }
    let next = start()
    let isLate = lock.withLock {
      // Answered within `start`, it is followed already by what came then.
      if number == lastStart { current = next }
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
