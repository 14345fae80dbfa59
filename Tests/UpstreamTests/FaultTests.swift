import Definitions
import Expressions
import JSON
import TestSupport
import Testing

@testable import Upstream

/// Each fault of the misbehaving upstream, and what a source makes of it.
@Suite(.serialized) struct FaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let path: String
    let expected: String
    /// Stands in the detail.
    var says = ""
    var testDescription: String { path }
  }

  static let faults: [Fault] = [
    Fault(path: "/items?n=5", expected: "content 5"),
    Fault(path: "/delay?ms=100", expected: "content 3"),
    Fault(path: "/no-type", expected: "content 3"),
    Fault(path: "/gzip", expected: "content 3"),
    Fault(path: "/empty", expected: "content 0"),
    Fault(path: "/silent", expected: "stalled", says: "nothing came for 250 ms"),
    Fault(path: "/stall", expected: "stalled", says: "after 3 bytes"),
    Fault(path: "/drip", expected: "timeout", says: "not complete within 500 ms"),
    Fault(path: "/reset-before", expected: "interrupted", says: "without an answer"),
    Fault(path: "/close-before", expected: "interrupted", says: "without an answer"),
    Fault(path: "/reset-mid", expected: "interrupted", says: "312 of 1024 bytes"),
    Fault(path: "/short", expected: "interrupted", says: "312 of 1024 bytes"),
    Fault(path: "/cut-chunk", expected: "interrupted", says: "before the answer did"),
    Fault(path: "/bad-chunk", expected: "malformedResponse", says: "chunked-encoding"),
    Fault(path: "/not-http", expected: "malformedResponse"),
    Fault(path: "/bad-gzip", expected: "malformedResponse", says: "Content-Encoding"),
    Fault(path: "/two-gzips", expected: "malformedResponse", says: "Content-Encoding"),
    Fault(path: "/bomb", expected: "bodyTooLarge", says: "1048576 bytes"),
    Fault(path: "/endless", expected: "bodyTooLarge"),
    Fault(path: "/items?n=40000", expected: "bodyTooLarge"),
    Fault(path: "/headers", expected: "headersTooLarge", says: "65536"),
    Fault(path: "/status?code=401", expected: "status 401", says: "as asked"),
    Fault(path: "/status?code=403", expected: "status 403"),
    Fault(path: "/status?code=404", expected: "status 404"),
    Fault(path: "/status?code=418", expected: "status 418"),
    Fault(path: "/status?code=429&retry=7", expected: "status 429"),
    Fault(path: "/status?code=500", expected: "status 500", says: "as asked"),
    Fault(path: "/status?code=304", expected: "status 304"),
    Fault(path: "/html", expected: "contentType 200", says: "“Sign in to Example”"),
    Fault(path: "/html?code=502", expected: "status 502", says: "Sign in to Example"),
    Fault(path: "/html-as-json", expected: "contentType 200", says: "“Oops”"),
    Fault(path: "/truncated", expected: "invalidJSON", says: "bytes"),
    Fault(path: "/garbage", expected: "invalidJSON"),
    Fault(path: "/blank", expected: "invalidJSON"),
    Fault(path: "/object", expected: "unexpectedShape", says: "the members data, error; it says: quota exceeded"),
    Fault(path: "/null", expected: "unexpectedShape", says: "there is nothing"),
    Fault(path: "/loop", expected: "tooManyRedirects 302"),
    Fault(path: "/redirect?to=/items", expected: "content 3"),
    Fault(path: "/redirect?to=file:///etc/passwd", expected: "redirectRefused 302"),
    Fault(path: "/redirect?to=gopher://127.0.0.1/", expected: "redirectRefused 302"),
    Fault(path: "/redirect?to=http://169.254.169.254/latest/meta-data", expected: "redirectRefused"),
    Fault(path: "/redirect?to=http://127.0.0.2/", expected: "redirectRefused"),
    Fault(path: "/redirect?to=http://localhost:1/", expected: "redirectRefused"),
    Fault(path: "/redirect?to=http://0x7f.1/", expected: "redirectRefused"),
    Fault(path: "/redirect?to=http://2130706433/", expected: "redirectRefused"),
    Fault(path: "/redirect?to=http://%5B::1%5D:9/", expected: "redirectRefused"),
    Fault(path: "/redirect?to=http://%5B::ffff:10.0.0.1%5D/", expected: "redirectRefused"),
  ]

  /// One upstream for all: a fault must not harm the next request either.
  static let upstream = Result { try MisbehavingUpstream() }

  @Test(arguments: faults) func fault(_ fault: Fault) async throws {
    let client = try TransferClient()
    let source = try Source.onRequest(Self.upstream.get().base + fault.path, client: client) {
      if ["stalled", "timeout"].contains(fault.expected) { $0.hurry() }
    }
    let update = await source.refreshed()
    #expect(update.word == fault.expected, "\(update)")
    if let error = update.error {
      #expect(error.detail.contains(fault.says), "\(error)")
      #expect(!error.description.contains("?"), "a query may hold a secret: \(error)")
    }
    let after = try Source.onRequest(Self.upstream.get().base + "/items", client: client)
    #expect(await after.refreshed().word == "content 3")
  }

  @Test func nobodyListens() async throws {
    let source = try Source.onRequest("http://127.0.0.1:1/items", client: TransferClient())
    let error = try #require(await source.refreshed().error)
    #expect(error.kind == .refused)
    #expect(error.detail == "http://127.0.0.1:1 refused the connection")
    #expect(!error.mayHaveArrived)
  }

  @Test func noSuchHost() async throws {
    let source = try Source.onRequest("http://nowhere.invalid/items", client: TransferClient()) { $0.hurry() }
    let kind = try #require(await source.refreshed().error).kind
    // Where no resolver answers, the connection's time is over first.
    #expect(kind == .unknownHost || kind == .connectTimeout || kind == .stalled)
  }

  /// The first address is held to what redirects' are, where the source says so.
  @Test func privateAddresses() async throws {
    let url = try Self.upstream.get().base + "/items"
    let source = try Source.onRequest(url, client: TransferClient()) { $0.allowPrivate = false }
    let error = try #require(await source.refreshed().error)
    #expect(error.kind == .addressRefused)
    #expect(error.detail.contains("`allowPrivate` is false"))
  }

  /// What an operator sees of a source, and what the log has of its requests.
  @Test func figuresAndReports() async throws {
    let reports = Recorder<TransferReport>()
    let client = try TransferClient(observer: { reports.append($0) })
    let base = try Self.upstream.get().base
    let source = try Source.onRequest("\(base)/etag?key=secret-key", client: client)
    _ = await source.refreshed()
    _ = await source.refreshed()
    let figures = source.figures
    #expect(figures.lastAnswers.map(\.status) == [200, 304] && figures.requests == 2 && figures.notModified == 1)
    #expect(figures.results == ["ok": 1, "unchanged": 1] && figures.latency.count == 2 && figures.problem == nil)
    let seen = await reports.first(2)
    #expect(seen.map(\.status) == [200, 304])
    #expect(seen.allSatisfy { $0.url == "\(base)/etag" && $0.method == "GET" && $0.source == "test" })
    let failing = try Source.onRequest("\(base)/status?code=500", client: client)
    _ = await failing.refreshed()
    #expect(failing.figures.problem?.status == 500 && failing.figures.results == ["status": 1])
  }

  @Test func cancelling() async throws {
    let client = try TransferClient()
    let url = try #require(UpstreamURL(Self.upstream.get().base + "/silent"))
    let recorder = Recorder<UpstreamError.Kind?>()
    let transfer = client.send(TransferRequest(url: url)) { result in
      if case .failure(let error) = result { recorder.append(error.kind) } else { recorder.append(nil) }
    }
    transfer.cancel()
    transfer.cancel()
    #expect(await recorder.first(1) == [.cancelled])
  }

  @Test func secretsAreNotShown() async throws {
    let base = try Self.upstream.get().base
    let context = FetchContext(
      environment: ["TOKEN": "sesame-open-123"],
      forwarded: [try #require(TransferField("Authorization", "Bearer hunter2222"))]
    )
    let body = "%7B%22message%22:%22bad+token+sesame-open-123+for+hunter2222%22%7D"
    let source = try Source.onRequest(
      base.replacing("http://", with: "http://user:password@") + "/status?code=401&body=\(body)&key=${env.TOKEN}",
      client: TransferClient(),
      context: context
    )
    let error = try #require(await source.refreshed().error)
    #expect(error.status == 401)
    for secret in ["sesame", "hunter", "password", "user", "key="] {
      #expect(!error.description.contains(secret), "\(error)")
    }
  }
}
