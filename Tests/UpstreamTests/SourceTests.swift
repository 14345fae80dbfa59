import Definitions
import Dispatch
import Expressions
import JSON
import Queues
import TestSupport
import Testing

@testable import Upstream

@Suite(.serialized) struct SourceTests {
  static func words(_ source: Source, _ count: Int) async -> [String] {
    var words: [String] = []
    for _ in 0..<count { words.append(await source.refreshed().word) }
    return words
  }

  @Test(arguments: [
    ("/items", ["content 3", "unchanged", "unchanged"]), ("/etag", ["content 3", "unchanged", "unchanged"]),
    ("/modified", ["content 3", "unchanged", "unchanged"]), ("/changing", ["content 3", "content 3", "content 3"]),
    ("/modified?changes=2", ["content 3", "content 3", "content 3", "unchanged"]),
    ("/etag-changing", ["content 3", "unchanged", "unchanged"]),
    ("/empty?after=1", ["content 3", "content 0", "unchanged"]),
    ("/flap?n=1&code=500", ["status 500", "content 3", "unchanged"]),
  ])
  func states(_ path: String, _ expected: [String]) async throws {
    let upstream = try MisbehavingUpstream()
    let source = try Source.onRequest(upstream.base + path, client: TransferClient())
    let words = await Self.words(source, expected.count)
    #expect(words == expected)
  }

  @Test func conditionsAreSent() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    for path in ["/etag", "/modified"] {
      _ = await Self.words(try Source.onRequest(upstream.base + path, client: client), 2)
    }
    guard case .array(let log)? = try await upstream.log(client)["log"] else { return #expect(Bool(false)) }
    #expect(log[0]["headers"]?["if-none-match"] == nil)
    #expect(log[1]["headers"]?["if-none-match"] == .string("\"v1\""))
    #expect(log[3]["headers"]?["if-modified-since"] == .string("Sat, 21 Nov 2026 01:00:00 GMT"))
    let encodings = try #require(log[0]["headers"]?["accept-encoding"])
    #expect("\(encodings)".contains("gzip"))
  }

  /// What one has left is used by the next one where that knows what it validates, and nowhere else.
  @Test(arguments: [("/etag", true, "unchanged"), ("/etag", false, "content 3"), ("/items", true, "content 3")])
  func validatorsOfAnotherProcess(_ path: String, isWhole: Bool, _ expected: String) async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let first = try Source.onRequest(upstream.base + path, client: client)
    #expect(await first.refreshed().word == "content 3")
    let left = await withCheckedContinuation { continuation in first.handOver { continuation.resume(returning: $0) } }
    #expect((left.validators != nil) == (path == "/etag"))
    let recorder = Recorder<String>()
    let next = try Source.onRequest(upstream.base + path, client: client, recorder: recorder)
    next.suspend()
    var due = left
    due.due = .zero
    let turn = await withCheckedContinuation { continuation in
      next.beginTakingOver { continuation.resume(returning: $0) }
    }
    next.takeOver(due, isWhole: isWhole, in: turn)
    #expect(await recorder.first(1) == [expected])
    // Whoever changes the upstream wants all of it.
    let anew = await withCheckedContinuation { continuation in
      client.queue.async { next.refreshAfterChange { continuation.resume(returning: $0.word) } }
    }
    #expect(anew == "content 3")
  }

  /// What it said last is no answer to whoever has changed the upstream since.
  @Test func oneThatHasStoppedIsNotAsked() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Source.onRequest(upstream.base + "/items", client: client)
    #expect(await source.refreshed().word == "content 3")
    source.stop()
    let isCancelled = await withCheckedContinuation { continuation in
      client.queue.async { source.refreshAfterChange { continuation.resume(returning: $0.isCancelled) } }
    }
    #expect(isCancelled)
  }

  @Test func whoIsSuspendedInTheMiddleOfTakingOverDoesNot() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Source.onRequest(upstream.base + "/items", client: client)
    let turn = await withCheckedContinuation { continuation in
      source.beginTakingOver { continuation.resume(returning: $0) }
    }
    source.suspend()
    var due = SourceHandover()
    due.due = .zero
    source.takeOver(due, isWhole: true, in: turn)
    // The same queue does one thing after the other.
    await withCheckedContinuation { continuation in client.queue.async { continuation.resume() } }
    #expect(try await upstream.log(client)["counts"]?["/items"] == nil)
  }

  @Test func anEmptyListMayMeanKeep() async throws {
    let upstream = try MisbehavingUpstream()
    let source = try Source.onRequest(upstream.base + "/empty?after=1", client: TransferClient()) {
      $0.emptyMeans = .keep
    }
    #expect(await Self.words(source, 2) == ["content 3", "unchanged"])
  }

  @Test func flappingIsRetried() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let recorder = Recorder<String>()
    let source = try Source.onRequest(
      upstream.base + "/flap?n=2",
      client: client,
      retries: 2,
      recorder: recorder
    )
    #expect(await source.refreshed().word == "content 3")
    #expect(recorder.elements == ["content 3"], "the attempts that failed are nobody's concern")
    #expect(try await upstream.log(client)["counts"]?["/flap?n=2"] == .integer(3))
  }

  @Test func whatFailsForGoodIsNotRetried() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    _ = try await Source.onRequest(upstream.base + "/flap?n=2&code=404", client: client, retries: 2).refreshed()
    #expect(try await upstream.log(client)["counts"]?["/flap?n=2&code=404"] == .integer(1))
  }

  @Test func aPostThatMayHaveArrivedIsNotRepeated() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Source.onRequest(upstream.base + "/reset-before", client: client, retries: 2) {
      $0.method = "POST"
      $0.body = try Template(.object([.init(name: "query", value: .string("{a}"))]))
    }
    #expect(await source.refreshed().word == "interrupted")
    guard case .array(let log)? = try await upstream.log(client)["log"] else { return #expect(Bool(false)) }
    #expect(log.count == 1)
    #expect(log[0]["body"] == .string(#"{"query":"{a}"}"#))
    #expect(log[0]["headers"]?["content-type"] == .string("application/json"))
  }

  @Test(arguments: ["retry=30", "date=30"]) func retryAfterIsObeyed(_ query: String) async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Source.onRequest(upstream.base + "/status?code=429&" + query, client: client, retries: 2)
    let error = try #require(await source.refreshed().error)
    let pause = try #require(error.retryAfter)
    #expect((.seconds(15)...(.seconds(30))).contains(pause))
    #expect(await source.refreshed().word == "status 429")
    guard case .array(let log)? = try await upstream.log(client)["log"] else { return #expect(Bool(false)) }
    #expect(log.count == 1, "asked once, and left alone")
  }

  @Test func breakerSparesTheHostAndProbes() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let recorder = Recorder<String>()
    // Polled every 20 ms for failures: five reach the upstream, then one in a while.
    let source = try Source.onRequest(
      upstream.base + "/flap?n=5&code=503",
      client: client,
      recorder: recorder
    ) { $0.every = .milliseconds(20) }
    source.start()
    let first = await recorder.first(8)
    #expect(first.allSatisfy { $0 == "status 503" })
    #expect(try await upstream.log(client)["counts"]?["/flap?n=5&code=503"] == .integer(5))
    #expect(await source.refreshed().word == "content 3", "who asks is the probe")
    source.stop()
  }

  /// What one path of a host suffers is nothing to the others.
  @Test func oneBrokenPathDoesNotOpenTheBreaker() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let broken = try Source.onRequest(upstream.base + "/status?code=500", client: client)
    for _ in 0..<10 { #expect(await broken.refreshed().word == "status 500") }
    let recorder = Recorder<String>()
    // Started by nobody's wish: it would not be let through as a probe.
    let other = try Source.onRequest(upstream.base + "/items", client: client, recorder: recorder)
    other.start()
    #expect(await recorder.first(1) == ["content 3"])
    other.stop()
  }

  @Test func refreshesNeverOverlapAndAreShared() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Source.onRequest(upstream.base + "/delay?ms=60", client: client)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = await source.refreshed() } }
    }
    let state = try await upstream.log(client)
    #expect(state["peak"] == .integer(1))
    guard case .array(let log)? = state["log"] else { return #expect(Bool(false)) }
    #expect(log.count == 2, "one, and one more for all who asked during it")
  }

  @Test func pollsAndStops() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let recorder = Recorder<String>()
    let source = try Source.onRequest(upstream.base + "/changing", client: client, recorder: recorder) {
      $0.every = .milliseconds(20)
    }
    source.start()
    #expect(await recorder.first(5).allSatisfy { $0 == "content 3" })
    source.suspend()
    #expect(await source.refreshed().word == "content 3", "asked for, it is done while suspended")
    source.resume()
    _ = await recorder.first(8)
    source.stop()
    _ = await source.refreshed()
    let connections = try await upstream.log(client)["connections"]
    #expect(connections == .integer(1), "one connection for all of it")
  }

  /// Everybody asks at once with their own credentials, all with the same entity tag.
  @Test func fiftyUsersSeeTheirOwn() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for user in 0..<50 {
        let field = try #require(TransferField("Authorization", "Bearer user-\(user)"))
        let source = try Source.onRequest(
          upstream.base + "/mine",
          client: client,
          context: FetchContext(forwarded: [field])
        ) {
          $0.timeout = .seconds(5)
          $0.stallTimeout = .seconds(5)
          $0.headers = [("authorization", try Template(text: "Bearer shared"))]
        }
        group.addTask {
          let content = await source.refreshed().content
          #expect(content?.text == #"[{"id": "Bearer user-\#(user)"}]"#)
          // The same entity tag for everybody: what comes of it is the user's own all the same.
          for _ in 0..<2 { #expect(await source.refreshed().isUnchanged) }
        }
      }
      try await group.waitForAll()
    }
    guard case .array(let log)? = try await upstream.log(client)["log"] else { return #expect(Bool(false)) }
    #expect(log.count == 150)
    #expect(log.allSatisfy { $0["headers"]?["cookie"] == nil }, "a cookie of one is not another's")
  }

  @Test func refusedCredentials() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    for (token, word) in [("good", "content 3"), ("bad", "status 401")] {
      let field = try #require(TransferField("Authorization", "Bearer \(token)"))
      let source = try Source.onRequest(
        upstream.base + "/private",
        client: client,
        context: FetchContext(forwarded: [field])
      )
      #expect(await source.refreshed().word == word)
    }
  }

  @Test func queryAndHeaders() async throws {
    let upstream = try MisbehavingUpstream()
    let source = try Source.onRequest(
      upstream.base + "/echo?a=1",
      client: TransferClient(),
      context: FetchContext(parameters: ["q": "x&y=z #"])
    ) {
      $0.query = [("q", try Template(text: "${$params.q}")), ("none", try Template(text: "${$params.missing}"))]
      $0.headers = [("X-Q", try Template(text: "v-${$params.q}"))]
    }
    let text = try #require(await source.refreshed().content).text
    #expect(text.contains(#""target": "/echo?a=1&q=x%26y%3Dz%20%23""#), "\(text)")
    #expect(text.contains(#""x-q": "v-x&y=z #""#), "\(text)")
  }
}
