import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Tokens: asked for before every request, once for all that ask together, renewed once after a 401.
@Suite struct TokenTests {
  /// Gives tokens when the test says so.
  private actor Issuer {
    private(set) var questions: [Bool] = []
    private var waiting: [CheckedContinuation<String?, any Error>] = []

    func token(_ isRefused: Bool) async throws -> String? {
      questions.append(isRefused)
      return try await withCheckedThrowingContinuation { waiting.append($0) }
    }

    func answer(_ result: Result<String?, any Error>) {
      for continuation in waiting { continuation.resume(with: result) }
      waiting = []
    }
  }

  /// `@unchecked Sendable`: the results are used with the lock held.
  private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [Result<TransportResponse, TransportFailure>] = []
    func add(_ result: Result<TransportResponse, TransportFailure>) { lock.withLock { all.append(result) } }
    var statuses: [Int] { lock.withLock { all.map { (try? $0.get().status) ?? 0 } } }
  }

  private let issuer = Issuer()
  private let transport = ScriptedTransport()
  private let results = Results()
  private let authorized: AuthorizedTransport

  init() {
    authorized = AuthorizedTransport(transport) { [issuer] in try await issuer.token($0) }
  }

  private func send(_ path: String) -> any Cancellable {
    authorized.send(TransportRequest("GET", "http://h/\(path)")) { [results] in results.add($0) }
  }

  private func until(_ what: String, _ isSo: () async -> Bool) async throws {
    // Turns, not time: beside tests that keep all threads nobody gets one for minutes.
    for _ in 0..<20_000 {
      if await isSo() { return }
      try await Task.sleep(nanoseconds: 1_000_000)
    }
    throw TransportFailure(what)
  }

  private var tokens: [String] { transport.requests.compactMap { $0.headers["Authorization"] } }

  @Test func requestsThatAskTogetherAskOnce() async throws {
    for number in 0..<8 { _ = send("\(number)") }
    try await until("a question") { await issuer.questions.count == 1 }
    #expect(transport.requests.isEmpty)
    await issuer.answer(.success("one"))
    try await until("requests") { transport.requests.count == 8 }
    #expect(Set(tokens) == ["Bearer one"])
    #expect(await issuer.questions == [false])
  }

  @Test func thoseThatAreRefusedTogetherRenewOnceAndAreSentTwiceAtMost() async throws {
    for number in 0..<5 { _ = send("\(number)") }
    try await until("a question") { await issuer.questions.count == 1 }
    await issuer.answer(.success("old"))
    try await until("requests") { transport.waiting.count == 5 }
    for call in transport.waiting { transport.answer(call.number, .success(TransportResponse(status: 401))) }
    try await until("a renewal") { await issuer.questions.count == 2 }
    #expect(await issuer.questions == [false, true])
    await issuer.answer(.success("new"))
    try await until("repeats") { transport.requests.count == 10 }
    #expect(tokens.suffix(5).allSatisfy { $0 == "Bearer new" })
    // Refused again: that is the answer.
    for call in transport.waiting { transport.answer(call.number, .success(TransportResponse(status: 401))) }
    #expect(results.statuses == [401, 401, 401, 401, 401])
    #expect(transport.requests.count == 10)
    #expect(await issuer.questions.count == 2)
  }

  @Test func theSameTokenAgainIsNotSentAgain() async throws {
    _ = send("a")
    try await until("a question") { await issuer.questions.count == 1 }
    await issuer.answer(.success("same"))
    try await until("a request") { transport.waiting.count == 1 }
    transport.answer(transport.waiting[0].number, .success(TransportResponse(status: 401)))
    try await until("a renewal") { await issuer.questions.count == 2 }
    await issuer.answer(.success("same"))
    try await until("the answer") { results.statuses == [401] }
    #expect(transport.requests.count == 1)
  }

  @Test func whoeverHasNoTokenHasNoConnection() async throws {
    _ = send("a")
    try await until("a question") { await issuer.questions.count == 1 }
    await issuer.answer(.failure(TransportFailure("logged out")))
    try await until("the failure") { results.statuses == [0] }
    #expect(transport.requests.isEmpty)
  }

  @Test func whatWasCalledOffIsNotSent() async throws {
    let request = send("a")
    try await until("a question") { await issuer.questions.count == 1 }
    request.cancel()
    _ = send("b")
    await issuer.answer(.success("one"))
    try await until("a request") { !transport.requests.isEmpty }
    #expect(transport.requests.map(\.url) == ["http://h/b"])
  }

  /// Through the whole client: a table whose token can't be renewed is refused, and not asked for again.
  @Test func aTableIsRefusedAfterOneRetry() async throws {
    var options = ClientOptions()
    let scheduler = ManualScheduler()
    (options.transport, options.scheduler) = (transport, scheduler)
    options.token = { [issuer] in try await issuer.token($0) }
    let client = TablecastClient<AnyCell>(url: try #require(URL(string: "http://h")), options: options)
    let recorder = ChangeRecorder()
    let observation = client.table("t").observe(recorder.receive)
    for token in ["old", "new"] {
      let asked = token == "old" ? 1 : 2
      try await until("a question") { await issuer.questions.count == asked }
      await issuer.answer(.success(token))
      try await until("a request") { transport.waiting.count == 1 }
      let problem = #"{"title":"Unauthorized","status":401,"detail":"expired"}"#
      transport.answer(transport.waiting[0].number, .success(TransportResponse(status: 401, json: problem)))
    }
    let last = try #require(recorder.wait(seconds: 20) { $0.connection == .refused })
    #expect(last.refusal?.detail == "expired")
    scheduler.advance(by: 600)
    client.engine.settle()
    #expect(transport.requests.count == 2)
    observation.cancel()
  }
}
