import Foundation
import JSON
import TestSupport
import Testing

@Suite struct RefreshTests {
  private static let secret = "a secret of the hook"

  private func hooked(_ upstream: ScriptedUpstream, _ more: String = "") -> String {
    """
    store: memory
    problems: full
    sources:
      issues: {url: "\(upstream.url)/issues\(more)", every: 0s, retries: 0, webhook: {secret: "\(Self.secret)"}}
      quiet: {url: "\(upstream.url)/quiet", every: 0s, retries: 0}
    tables:
      issues:
        source: issues
        row: {id: "${number}"}
        \(more.isEmpty ? "" : "parameters: {p: {}}\n    instances: {freezeAfter: 1s}")
      quiet: {source: quiet, row: {id: "${number}"}}
    """
  }

  @Test func aSignedWebhookFetchesNow() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(hooked(upstream))
    let body: JSONValue = ["action": "opened", "number": 2]
    let signature = try hmac(Self.secret, body)
    for (name, value) in [
      ("X-Hub-Signature-256", "sha256=" + signature), ("X-Signature", signature),
      ("X-Hub-Signature-256", "sha256=" + signature.uppercased()),
    ] {
      var mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
      let poll = try service.poll("issues", after: mirror.cursor)
      upstream.answer([issue(1), issue(upstream.requests.current.count + 10)])
      let reply = try service.request("POST", "/v1/hooks/issues", [name: value], body: body)
      #expect(reply.status == 202, "\(reply.text)")
      try mirror.apply(poll.value().json)
      #expect(mirror.rows.count == 2)
    }
    // A replay is no more than another fetch: of what the upstream has.
    let count = upstream.requests.current.count
    let replay = ["X-Hub-Signature-256": "sha256=" + signature]
    #expect(try service.request("POST", "/v1/hooks/issues", replay, body: body).status == 202)
    try upstream.requests.wait(for: "the fetch") { $0.count > count ? true : nil }
  }

  /// Senders that sign nothing prove themselves by a token.
  @Test(arguments: [
    ("{bearer: \"t0ken-of-the-hook\"}", "Authorization", "Bearer t0ken-of-the-hook"),
    ("{header: X-Gitlab-Token, equals: \"t0ken-of-the-hook\"}", "x-gitlab-token", "t0ken-of-the-hook"),
  ])
  func aWebhookMayHaveAToken(_ webhook: String, _ name: String, _ value: String) throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(
      """
      store: memory
      sources: {items: {url: "\(upstream.url)/items", every: 0s, webhook: \(webhook)}}
      tables: {t: {source: items, row: {id: "${number}"}}}
      """
    )
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let count = upstream.requests.current.count
    for wrong in [[:], [name: value + "x"], [name: "t0ken"], ["X-Token": value]] {
      #expect(try service.request("POST", "/v1/hooks/items", wrong, body: [:]).status == 401, "\(wrong)")
    }
    #expect(upstream.requests.current.count == count)
    #expect(try service.request("POST", "/v1/hooks/items", [name: value], body: [:]).status == 202)
    try upstream.requests.wait(for: "the fetch") { $0.count > count ? true : nil }
  }

  @Test func aWebhookThatIsNotSignedRightDoesNothing() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(hooked(upstream))
    try service.follow("issues", until: "is ready") { $0.state == "ready" }
    try service.follow("quiet", until: "is ready") { $0.state == "ready" }
    let count = upstream.requests.current.count
    let body: JSONValue = ["number": 1]
    let good = try hmac(Self.secret, body)
    let wrong: [[String: String]] = [
      [:], ["X-Hub-Signature-256": ""], ["X-Hub-Signature-256": "sha256="], ["X-Hub-Signature-256": "sha1=" + good],
      ["X-Hub-Signature-256": "sha256=" + String(good.dropLast(2)) + "00"], ["X-Signature": String(good.dropLast())],
      ["X-Hub-Signature-256": "sha256=" + (try hmac("another secret", body))],
      // Of another body.
      ["X-Hub-Signature-256": "sha256=" + (try hmac(Self.secret, ["number": 2]))],
    ]
    for headers in wrong {
      let reply = try service.request("POST", "/v1/hooks/issues", headers, body: body)
      #expect(reply.status == 401, "\(headers)")
      #expect(try reply.json["field"] == "X-Hub-Signature-256" && !reply.text.contains(Self.secret))
    }
    // Signed right, but long ago.
    let now = Int(Date().timeIntervalSince1970)
    func stamped(_ seconds: Int) throws -> [String: String] {
      ["X-Timestamp": "\(seconds)", "X-Signature": try hmac(Self.secret, body, after: "\(seconds).")]
    }
    let replayed = try service.request("POST", "/v1/hooks/issues", stamped(now - 3600), body: body)
    #expect(replayed.status == 401 && replayed.text.contains("five minutes"), "\(replayed.text)")
    let signed = ["X-Signature": good]
    #expect(try service.request("POST", "/v1/hooks/quiet", signed, body: body).status == 404)
    #expect(try service.request("POST", "/v1/hooks/none", signed, body: body).status == 404)
    #expect(try service.request("GET", "/v1/hooks/issues", signed).status == 405)
    #expect(upstream.requests.current.count == count, "nothing was fetched")
    #expect(try service.request("POST", "/v1/hooks/issues", stamped(now), body: body).status == 202)
  }

  @Test func aWebhookReachesTheMembersOfAFamily() throws {
    let upstream = try ScriptedUpstream { .json([["number": .string($0.target)]]) }
    let service = try ServiceProcess(hooked(upstream, "/${$params.p}"))
    let polls = try ["a", "b"].map {
      try service.poll("issues;p=\($0)", after: service.mirror("issues;p=\($0)").cursor)
    }
    try service.awaitPolls(2)
    upstream.answer([issue(7)])
    let signature = try hmac(Self.secret, [:])
    #expect(try service.request("POST", "/v1/hooks/issues", ["X-Signature": signature], body: [:]).status == 202)
    for poll in polls { #expect(try poll.value().json["stages"]?.elements.isEmpty == false) }
    // One that nobody reads is not fetched before somebody does.
    try service.awaitMetric("table_instances{table=\"issues\",state=\"frozen\"}", 2)
    let count = upstream.requests.current.count
    upstream.answer([issue(8)])
    #expect(try service.request("POST", "/v1/hooks/issues", ["X-Signature": signature], body: [:]).status == 202)
    try service.follow("issues;p=a", until: "is fetched again") { $0.rows == ["8"] }
    // Neither twice nor the other one.
    #expect(upstream.requests.current.dropFirst(count).map(\.target) == ["/issues/a"])
  }

  /// A webhook that came while nobody read a member is not forgotten when the configuration is read again.
  @Test func aWebhookForAFrozenMemberOutlivesAReload() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(hooked(upstream, "/${$params.p}"))
    #expect(try service.mirror("issues;p=a").rows == ["1"])
    try service.awaitMetric("table_instances{table=\"issues\",state=\"frozen\"}", 1)
    upstream.answer([issue(2)])
    let signature = try hmac(Self.secret, [:])
    #expect(try service.request("POST", "/v1/hooks/issues", ["X-Signature": signature], body: [:]).status == 202)
    service.signal(SIGHUP)
    try service.logged("was read again")
    try service.follow("issues;p=a", until: "is fetched again") { $0.rows == ["2"] }
  }

  /// However many ask while one is under way: one more, for all of them.
  @Test func refreshesAreSharedAndNeverOverlap() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(issues(upstream, every: "0s"))
    try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let before = upstream.requests.current.count
    upstream.answer(.silence)
    let clients = try (0..<20).map { _ in try service.client() }
    let read = try service.metric("requests_total")
    for client in clients { try client.send("POST", "/v1/tables/issues/refresh") }
    try upstream.requests.wait(for: "the first fetch") { $0.count > before ? true : nil }
    // Each look is a request too.
    for looks in 1... where try service.metric("requests_total") >= read + clients.count + looks { break }
    #expect(upstream.requests.current.count == before + 1, "none begins while one is under way")
    upstream.answer([issue(1), issue(2)])
    for client in clients {
      let reply = try client.receive("a refresh")
      #expect(try reply.status == 200 && reply.json["state"] == "ready")
    }
    #expect(upstream.requests.current.count <= before + 2, "one more for all who asked during it")
    #expect(try service.mirror("issues").rows == ["1", "2"], "answered when it is published")
    upstream.answer(.status(500, "{\"message\":\"broken\"}"))
    let failed = try service.request("POST", "/v1/tables/issues/refresh")
    #expect(try failed.status == 200 && failed.json["state"] == "stale")
  }

  @Test func howRefreshesEndIsCounted() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(issues(upstream, every: "0s"))
    try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let counts = {
      try ["changed", "unchanged", "failed"].map {
        try service.metric("source_refreshes_total{source=\"issues\",outcome=\"\($0)\"}")
      }
    }
    let refresh = { _ = try service.request("POST", "/v1/tables/issues/refresh") }
    #expect(try counts() == [1, 0, 0])
    try refresh()
    #expect(try counts() == [1, 1, 0])
    upstream.answer(.status(404, "{}"))
    try refresh()
    #expect(try counts() == [1, 1, 1])
    upstream.answer([issue(2)])
    try refresh()
    #expect(try counts() == [2, 1, 1])
  }

  /// Nine pages; the seventh fails when everything is another: nothing of it is shown.
  @Test func aPagedFetchThatFailsOnPageSevenChangesNothing() throws {
    let round = Monitor((number: 1, fails: false))
    let upstream = try ScriptedUpstream([])
    upstream.answer { [url = upstream.url] request in
      let page = Int(request.target.split(separator: "=").last ?? "") ?? 1
      let (number, fails) = round.current
      if fails, page == 7 { return .status(500, "{\"message\":\"page 7 is broken\"}") }
      let items = (0..<3).map { issue(page * 10 + $0, "open", "round \(number)") } + [issue(1000 * number + page)]
      let link = ["Link": "<\(url)/list?page=\(page + 1)>; rel=\"next\""]
      return .reply(200, page < 9 ? link : [:], .array(items))
    }
    let service = try ServiceProcess(
      """
      store: memory
      problems: full
      sources:
        list: {url: "\(upstream.url)/list?page=1", every: 200ms, retries: 0, paging: {link: true}}
      tables:
        list: {source: list, row: {id: "${number}"}}
      """
    )
    let ready = try service.follow("list", until: "is ready") { $0.state == "ready" }
    #expect(ready.rows.count == 36)
    round.change { $0 = (2, true) }
    let stale = try service.follow("list", from: ready, until: "is stale") { $0.state == "stale" }
    #expect(stale.rows == ready.rows && stale.titles == ready.titles, "not a row of the six good pages")
    let problem = try required(stale.attributes["problem"], "a problem")
    #expect(problem["detail"]?.text?.contains("page 7 is broken") == true, "\(problem)")
    round.change { $0 = (3, false) }
    let again = try service.follow("list", from: stale, until: "is ready again") { $0.state == "ready" }
    #expect(again.titles[0].filter { $0 == "round 3" }.count == 27 && again.rows.contains("3009"))
  }

  @Test(arguments: [("clear", "empty", 0), ("keep", "ready", 2)])
  func aListThatIsSuddenlyEmpty(_ meaning: String, _ state: String, _ count: Int) throws {
    let upstream = try ScriptedUpstream([issue(1), issue(2)])
    let service = try ServiceProcess(
      issues(upstream, every: "0s").replacingOccurrences(of: "every: 0s", with: "every: 0s, emptyMeans: \(meaning)")
    )
    try service.follow("issues", until: "is ready") { $0.state == "ready" }
    upstream.answer([])
    let reply = try service.request("POST", "/v1/tables/issues/refresh")
    #expect(try reply.json["state"]?.text == state)
    #expect(try service.mirror("issues").rows.count == count)
    upstream.answer([issue(3)])
    _ = try service.request("POST", "/v1/tables/issues/refresh")
    #expect(try service.mirror("issues").rows == ["3"])
  }

  /// It is said once that the upstream is asked less often than configured.
  @Test func aLongerMaxAgeIsSaidOnce() throws {
    let upstream = try ScriptedUpstream { _ in .reply(200, ["Cache-Control": "max-age=1"], [issue(1)]) }
    let service = try ServiceProcess(issues(upstream, every: "100ms"))
    try upstream.requests.wait(for: "three fetches") { $0.count > 2 ? true : nil }
    let lines = service.log.current.filter { $0.contains("lengthens the interval") }
    #expect(lines.count == 1 && lines[0].contains("1.0 seconds"), "\(lines)")
  }
}

/// HMAC-SHA256 of a body, as a person gets it by openssl.
func hmac(_ key: String, _ body: JSONValue, after prefix: String = "") throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["openssl", "dgst", "-sha256", "-hmac", key]
  let (input, output) = (Pipe(), Pipe())
  (process.standardInput, process.standardOutput) = (input, output)
  try process.run()
  try input.fileHandleForWriting.write(contentsOf: Data(Array(prefix.utf8) + body.bytes))
  try input.fileHandleForWriting.close()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return String(text.split(separator: " ").last ?? "").trimmingCharacters(in: .newlines)
}
