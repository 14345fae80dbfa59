import Foundation
import JSON
import TestSupport
import Testing

/// What an upstream can cost, and what its words are worth.
@Suite struct SecurityUpstreamTests {
  private static func list(_ upstream: ScriptedUpstream, _ source: String, _ service: String = "") -> String {
    """
    store: memory
    \(service)
    sources:
      list: {url: "\(upstream.url)/list", every: 0s, retries: 0, \(source)}
    tables:
      list: {source: list, row: {id: "${number}"}, can: {edit: true}, edits: {patch: {url: "\(upstream.url)/x", body: {}}}}
    """
  }

  /// Very many small items: a cut, in memory that is bounded.
  @Test func aListOfVeryManyItemsIsCut() throws {
    let upstream = try ScriptedUpstream { _ in .json(.array((1...5000).map { issue($0) })) }
    let service = try ServiceProcess(Self.list(upstream, "maxItems: 1000"))
    let mirror = try service.follow("list", until: "is ready") { $0.state != "loading" }
    #expect(mirror.rows.count == 1000)
    #expect(try service.snapshot("list")["truncated"] == .bool(true), "a cut is seen")
  }

  /// A mapping over its budget is a problem of its source, and the service goes on.
  @Test func aMappingHasABudget() throws {
    let upstream = try ScriptedUpstream { _ in .json(.array((1...20_000).map { issue($0) })) }
    let service = try ServiceProcess(Self.list(upstream, "maxItems: 100000", "limits: {mappingBytes: 1MB}"))
    let mirror = try service.follow("list", until: "has failed") { $0.state == "failed" }
    #expect(mirror.rows.isEmpty)
    #expect(mirror.attributes["problem"]?["detail"]?.text?.contains("limits.mappingBytes") == true)
    upstream.answer([issue(1)])
    #expect(try service.request("POST", "/v1/tables/list/refresh").status == 200)
    #expect(try service.mirror("list").rows == ["1"])
  }

  /// An answer that can't be mapped stays the reason until the upstream has another one: not until a fetch has failed for
  /// some other reason in between.
  @Test func anAnswerThatCantBeMappedStaysTheProblem() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(Self.list(upstream, "maxItems: 100000", "limits: {mappingBytes: 1MB}"))
    try service.follow("list", until: "is ready") { $0.state == "ready" }
    let tooMany = ScriptedUpstream.Answer.json(.array((1...20_000).map { issue($0) }))
    func refresh(_ answer: ScriptedUpstream.Answer, _ state: String, _ words: String) throws {
      upstream.answer(answer)
      #expect(try service.request("POST", "/v1/tables/list/refresh").json["state"]?.text == state)
      let mirror = try service.mirror("list")
      let problem = String(decoding: (mirror.attributes["problem"] ?? .null).bytes, as: UTF8.self)
      #expect(words.isEmpty ? problem == "null" : problem.contains(words), "\(words): \(problem)")
      #expect(mirror.rows == ["1"])
    }
    try refresh(tooMany, "stale", "limits.mappingBytes")
    try refresh(tooMany, "stale", "limits.mappingBytes")
    try refresh(.status(500, "{}"), "stale", "answered with an error")
    // As before: the same answer, which is not even mapped again.
    try refresh(tooMany, "stale", "limits.mappingBytes")
    try refresh(.json([issue(1)]), "ready", "")
  }

  /// Cursors that nobody was given make nothing that is kept.
  @Test func inventedCursorsAreNotKept() throws {
    let upstream = try ScriptedUpstream { _ in .json(.array((1...2000).map { issue($0) })) }
    let service = try ServiceProcess(Self.list(upstream, "maxItems: 100000"))
    let cursor = try service.follow("list", until: "is ready") { $0.state == "ready" }.cursor
    let client = try service.client()
    let before = try service.metric("reply_bytes{table=\"list\"}")
    for number in 0..<300 {
      let invented = number % 2 == 0 ? "0123456789ab.\(number + 1)" : "\(cursor.prefix(12)).\(number + 1000)"
      let reply = try client.request("GET", "/v1/tables/list/changes?after=\(invented)&wait=0")
      #expect(reply.status == 200)
    }
    let after = try service.metric("reply_bytes{table=\"list\"}")
    // A few resets at most: all of them are 40 MB.
    #expect(after - before < 4 << 20, "\(after - before) bytes")
    // Windows that nobody else has are dropped for one another.
    for rows in 1900..<2000 {
      #expect(try client.request("GET", "/v1/tables/list?rows=\(rows)").status == 200)
    }
    let windows = try service.metric("reply_bytes{table=\"list\"}")
    #expect(windows > 4 << 20 && windows < 20 << 20, "\(windows) bytes")
  }

  /// Readers are told the kind of failure and the host; the whole is for the operator, and for those who edit.
  @Test func anUpstreamsWordsAreTheOperators() throws {
    let words = "SELECT secret FROM customers at /srv/app.py"
    let upstream = try ScriptedUpstream { _ in .status(500, "{\"message\":\"\(words)\"}") }
    for (problems, isShown) in [("", false), ("problems: public", false), ("problems: full", true)] {
      let service = try ServiceProcess(Self.list(upstream, "timeout: 5s", problems))
      try service.follow("list", until: "has failed") { $0.state == "failed" }
      let reply = try service.request("GET", "/v1/tables/list")
      #expect(reply.text.contains("customers") == isShown, "\(reply.text)")
      #expect(reply.text.contains("127.0.0.1") || isShown, "the host: \(reply.text)")
      try service.logged("customers")
    }
  }

  /// Nor are they told by a family's member that the upstream doesn't have.
  @Test func aMemberThatIsNotThereSaysNoMore() throws {
    let upstream = try ScriptedUpstream { _ in .status(404, "{\"message\":\"account acme-internal\"}") }
    for (problems, isShown) in [("public", false), ("full", true)] {
      let service = try ServiceProcess(
        """
        store: memory
        problems: \(problems)
        sources:
          list: {url: "\(upstream.url)/inner/${$params.q}", every: 1h, retries: 0}
        tables:
          list: {source: list, row: {id: "${id}"}, parameters: {q: {default: ""}}}
        """
      )
      for target in ["/v1/tables/list;q=a", "/v1/changes?after=list;q%3Da:"] {
        let reply = try service.request("GET", target)
        #expect(reply.text.contains("404"), "\(reply.text)")
        #expect(reply.text.contains("acme-internal") == isShown && reply.text.contains("/inner/") == isShown)
      }
    }
  }

  /// A source that may not lead inside does not, by its first address as by a redirect's.
  @Test func firstAddressesAreCheckedWhereASourceSaysSo() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    for (allowed, state) in [("true", "ready"), ("false", "failed")] {
      let service = try ServiceProcess(Self.list(upstream, "allowPrivate: \(allowed)"))
      try service.follow("list", until: "is \(state)") { $0.state == state }
    }
    #expect(upstream.requests.current.count == 1)
  }

  /// Terminals obey what they are shown: nothing that comes from outside gets there as it is.
  @Test func textLogsHaveNoControlCharacters() throws {
    let upstream = try ScriptedUpstream { _ in .status(500, "{\"message\":\"red \\u001b[31m\\u0007\\u009b text\"}") }
    let service = try ServiceProcess(Self.list(upstream, "timeout: 5s"))
    try service.logged("red ")
    let log = service.log.current.joined(separator: "\n")
    #expect(log.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
  }
}
