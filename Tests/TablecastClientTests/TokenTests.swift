import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Tokens: asked for before every request, once for all that ask together, renewed once after a 401.
@Suite struct TokenTests {
  /// Gives tokens when the test says so.
  private actor Issuer {
    nonisolated let questions = Watched<[Bool]>([])
    private var waiting: [CheckedContinuation<String?, any Error>] = []

    func token(_ isRefused: Bool) async throws -> String? {
      try await withCheckedThrowingContinuation { continuation in
        waiting.append(continuation)
        // Only now, so that whoever has seen the question can answer it.
        questions.change { $0.append(isRefused) }
      }
    }

    func answer(_ result: Result<String?, any Error>) {
      for continuation in waiting { continuation.resume(with: result) }
      waiting = []
    }
  }

  private let issuer = Issuer()
  /// How many requests were made.
  private let sent = Watched(0)
  private let statuses = Watched<[Int]>([])
  private let transport: ScriptedTransport
  private let authorized: AuthorizedTransport

  init() {
    transport = ScriptedTransport { [sent] _ in
      sent.change { $0 += 1 }
      return nil
    }
    // Nobody hangs here, however long a busy machine takes.
    authorized = AuthorizedTransport(
      transport,
      token: { [issuer] in try await issuer.token($0) },
      scheduler: ManualScheduler()
    )
  }

  private func send(_ path: String) -> any Cancellable {
    authorized.send(TransportRequest("GET", "http://h/\(path)")) { [statuses] result in
      statuses.change { $0.append((try? result.get().status) ?? 0) }
    }
  }

  private func questions(_ count: Int) async throws {
    try await issuer.questions.wait(for: "question \(count)") { $0.count == count }
  }

  private func requests(_ count: Int) async throws {
    try await sent.wait(for: "request \(count)") { $0 >= count }
  }

  private var tokens: [String] { transport.requests.compactMap { $0.headers["Authorization"] } }

  @Test func requestsThatAskTogetherAskOnce() async throws {
    for number in 0..<8 { _ = send("\(number)") }
    try await questions(1)
    #expect(transport.requests.isEmpty)
    await issuer.answer(.success("one"))
    try await requests(8)
    #expect(Set(tokens) == ["Bearer one"])
    #expect(issuer.questions.current == [false])
  }

  @Test func thoseThatAreRefusedTogetherRenewOnceAndAreSentTwiceAtMost() async throws {
    for number in 0..<5 { _ = send("\(number)") }
    try await questions(1)
    await issuer.answer(.success("old"))
    try await requests(5)
    for call in transport.waiting { transport.answer(call.number, .success(TransportResponse(status: 401))) }
    try await questions(2)
    #expect(issuer.questions.current == [false, true])
    await issuer.answer(.success("new"))
    try await requests(10)
    #expect(tokens.suffix(5).allSatisfy { $0 == "Bearer new" })
    // Refused again: that is the answer.
    for call in transport.waiting { transport.answer(call.number, .success(TransportResponse(status: 401))) }
    #expect(statuses.current == [401, 401, 401, 401, 401])
    #expect(transport.requests.count == 10)
    #expect(issuer.questions.current.count == 2)
  }

  @Test func theSameTokenAgainIsNotSentAgain() async throws {
    _ = send("a")
    try await questions(1)
    await issuer.answer(.success("same"))
    try await requests(1)
    transport.answer(transport.waiting[0].number, .success(TransportResponse(status: 401)))
    try await questions(2)
    await issuer.answer(.success("same"))
    try await statuses.wait(for: "the answer") { $0 == [401] }
    #expect(transport.requests.count == 1)
  }

  @Test func whoeverHasNoTokenHasNoConnection() async throws {
    _ = send("a")
    try await questions(1)
    await issuer.answer(.failure(TransportFailure("logged out")))
    try await statuses.wait(for: "the failure") { $0 == [0] }
    #expect(transport.requests.isEmpty)
  }

  @Test func whatWasCalledOffIsNotSent() async throws {
    let request = send("a")
    try await questions(1)
    request.cancel()
    _ = send("b")
    await issuer.answer(.success("one"))
    try await requests(1)
    #expect(transport.requests.map(\.url) == ["http://h/b"])
  }

  /// Its token is past: another one is there already.
  @Test func aTokenThatWasRenewedMeanwhileIsNotRenewedAgain() async throws {
    for path in ["a", "b"] { _ = send(path) }
    try await questions(1)
    await issuer.answer(.success("old"))
    try await requests(2)
    let first = transport.waiting
    for (index, call) in first.enumerated() {
      transport.answer(call.number, .success(TransportResponse(status: 401)))
      try await questions(2 + index)
      await issuer.answer(.success("new"))
      try await requests(3 + index)
    }
    #expect(issuer.questions.current == [false, true, false])
    #expect(tokens.suffix(2) == ["Bearer new", "Bearer new"])
  }

  @Test func anotherProviderIsAskedForThoseWhoWait() async throws {
    _ = send("a")
    try await questions(1)
    authorized.use { _ in "two" }
    try await requests(1)
    await issuer.answer(.success("late"))
    #expect(tokens == ["Bearer two"])
    #expect(statuses.current.isEmpty)
  }

  /// A login while a request is under way without a token.
  @Test func whatWentWithoutATokenIsSentWithTheNewOne() async throws {
    authorized.use(nil)
    for path in ["a", "b"] { _ = send(path) }
    try await requests(2)
    let calls = transport.waiting
    transport.answer(calls[0].number, .success(TransportResponse(status: 401)))
    #expect(statuses.current == [401])
    authorized.use { _ in "new" }
    transport.answer(calls[1].number, .success(TransportResponse(status: 401)))
    try await requests(3)
    #expect(transport.requests.last?.url == "http://h/b" && tokens == ["Bearer new"])
    #expect(statuses.current == [401])
  }

  /// Through the whole client: after a login nothing waits for delays of before.
  @Test func tablesAreAskedForWithAnotherProviderAtOnce() async throws {
    var options = ClientOptions()
    (options.transport, options.scheduler, options.seed) = (transport, ManualScheduler(), 1)
    options.token = { _ in throw TransportFailure("logged out") }
    let client = TablecastClient<AnyCell>(url: try #require(URL(string: "http://h")), options: options)
    let isTroubled = Watched(false)
    let observation = client.table("t").observe { change in
      if change.snapshot.trouble != nil { isTroubled.change { $0 = true } }
    }
    try await isTroubled.wait(for: "the trouble") { $0 }
    client.useToken { _ in "new" }
    try await requests(1)
    #expect(tokens == ["Bearer new"])
    observation.cancel()
  }

  /// A provider may make a token for each request.
  @Test func anotherTokenIsToldOnceAMinute() async throws {
    let scheduler = ManualScheduler()
    let (made, told) = (Watched(0), Watched(0))
    let transport = ScriptedTransport { _ in .success(TransportResponse(status: 200)) }
    let authorized = AuthorizedTransport(
      transport,
      token: { _ in
        made.change { $0 += 1 }
        return "token \(made.current)"
      },
      scheduler: scheduler
    )
    authorized.onNewToken { told.change { $0 += 1 } }
    func ask() async throws {
      let answered = Watched(false)
      _ = authorized.send(TransportRequest("GET", "http://h/")) { _ in answered.change { $0 = true } }
      try await answered.wait(for: "the answer") { $0 }
    }
    try await ask()
    #expect(told.current == 0)
    for _ in 0..<5 { try await ask() }
    #expect(told.current == 1)
    scheduler.advance(by: 59)
    try await ask()
    #expect(told.current == 1)
    scheduler.advance(by: 1)
    try await ask()
    #expect(told.current == 2)
    #expect(made.current == 8)
  }

  /// Too soon after the one before, another token is told of by a later request.
  @Test func noOtherTokenIsForgotten() async throws {
    let scheduler = ManualScheduler()
    let (current, told) = (Watched("one"), Watched(0))
    let transport = ScriptedTransport { _ in .success(TransportResponse(status: 200)) }
    let authorized = AuthorizedTransport(transport, token: { _ in current.current }, scheduler: scheduler)
    authorized.onNewToken { told.change { $0 += 1 } }
    func ask() async throws {
      let answered = Watched(false)
      _ = authorized.send(TransportRequest("GET", "http://h/")) { _ in answered.change { $0 = true } }
      try await answered.wait(for: "the answer") { $0 }
    }
    for token in ["one", "two", "three"] {
      current.change { $0 = token }
      try await ask()
    }
    #expect(told.current == 1)
    scheduler.advance(by: 60)
    for _ in 0..<3 { try await ask() }
    #expect(told.current == 2)
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
      try await questions(asked)
      await issuer.answer(.success(token))
      try await requests(asked)
      let problem = #"{"title":"Unauthorized","status":401,"detail":"expired"}"#
      let response = TransportResponse(
        status: 401,
        headers: ["Content-Type": "application/problem+json"],
        json: problem
      )
      transport.answer(transport.waiting[0].number, .success(response))
    }
    client.engine.settle()
    let last = try #require(recorder.changes.last?.snapshot)
    #expect(last.connection == .refused)
    #expect(last.refusal?.detail == "expired")
    scheduler.advance(by: 600)
    client.engine.settle()
    #expect(transport.requests.count == 2)
    observation.cancel()
  }
}
