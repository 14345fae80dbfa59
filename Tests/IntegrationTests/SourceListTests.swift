import Foundation
import JSON
import TestSupport
import Testing

/// What an operator learns of the upstreams: `/v1/sources`, figures, the log.
@Suite struct SourceListTests {
  private static func configuration(_ url: String, auth: String = "") -> String {
    """
    store: memory
    \(auth)
    sources:
      items: {url: "\(url)/items", every: 50ms, retries: 0}
      found: {url: "\(url)/found?q=${$params.q}", every: 50ms, retries: 0, forward: [X-User]}
      unread: {url: "\(url)/unread"}
    tables:
      t:
        source: items
        row: {id: "${number}"}
        cell: TableViewCellWithLabel
        payload: {title: "${title}"}
        edits: {delete: {url: "\(url)/items/${$id}"}}
      search:
        source: found
        row: {id: "${number}"}
        parameters: {q: {}}
        cell: TableViewCellWithLabel
        payload: {title: "${title}"}
    """
  }

  private static func source(_ id: String, of service: ServiceProcess) throws -> JSONValue {
    let all = try service.request("GET", "/v1/sources").json["sources"] ?? .null
    return try required(all.elements.first { $0["id"]?.text == id }, "the source \(id)")
  }

  @Test func sourcesAreListedWithTheirLastAnswers() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    try upstream.requests.wait(for: "some fetches") { $0.count > 3 ? true : nil }
    let items = try Self.source("items", of: service)
    #expect(items["state"] == "ready" && items["every"] == "50ms" && items["breaker"] == "closed")
    #expect(items["problem"] == nil && items["next"]?.text != nil)
    let first = try required(items["last"]?.elements.first, "an answer")
    #expect(first["status"] == 200 && first["notModified"] == .bool(false) && first["pages"] == 1)
    #expect((first["bytes"]?.number ?? 0) > 10 && first["ms"]?.number != nil && first["retries"] == 0)
    #expect(items["last"]?.elements.last?["notModified"] == .bool(true))
    #expect(try Self.source("unread", of: service)["state"] == "idle")
    upstream.answer(.status(500, "{\"message\":\"the disk is full\"}"))
    try service.follow("t", until: "is stale") { $0.state == "stale" }
    let failed = try Self.source("items", of: service)
    #expect(failed["state"] == "stale")
    // An operator is told the upstream's own words, readers are not.
    #expect(failed["problem"]?["detail"]?.text?.contains("the disk is full") == true)
    #expect(try !service.request("GET", "/v1/tables/t").text.contains("the disk is full"))
    upstream.answer([issue(2)])
    let reply = try service.request("POST", "/v1/sources/items/refresh")
    #expect(try reply.status == 200 && reply.json["state"] == "ready", "\(reply.text)")
    #expect(try service.mirror("t").rows == ["2"])
    #expect(try service.request("POST", "/v1/sources/none/refresh").status == 404)
  }

  @Test func onlyAdminsAreShownThem() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    // SHA-256 of the tokens `editor` and `admin`.
    let auth = """
      auth:
        tokens:
          - {name: e, sha256: "1553cc62ff246044c683a61e203e65541990e7fcd4af9443d22b9557ecc9ac54", allow: [edit]}
          - {name: a, sha256: "8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918", allow: [admin]}
      """
    let service = try ServiceProcess(Self.configuration(upstream.url, auth: auth))
    for (token, status) in [(nil, 401), ("editor", 403), ("admin", 200)] as [(String?, Int)] {
      let headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
      #expect(try service.request("GET", "/v1/sources", headers).status == status, "\(token ?? "-")")
    }
  }

  @Test func figuresOfUpstreamsAndEdits() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(Self.configuration(upstream.url), arguments: ["--log-level", "debug"])
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    upstream.answer { request in
      request.method == "DELETE" ? .status(409, "{\"detail\":\"taken\"}") : .json([issue(1)])
    }
    #expect(try service.request("DELETE", "/v1/tables/t/items/1").status == 409)
    #expect(try service.metric("upstream_requests_total{source=\"items\",purpose=\"fetch\",result=\"ok\"}") > 0)
    let count = try service.metric("upstream_seconds_count{source=\"items\",purpose=\"fetch\"}")
    let all = try service.metric("upstream_seconds_bucket{source=\"items\",purpose=\"fetch\",le=\"+Inf\"}")
    #expect(count > 0 && all >= count)
    #expect(try service.metric("edits_total{table=\"t\",result=\"upstream\"}") == 1)
    try service.logged("An upstream was sent an edit")
    try service.log.wait(for: "the edit") { lines in
      lines.contains { $0.contains("\"An edit\"") && $0.contains("delete 1") && $0.contains("taken") } ? true : nil
    }
  }

  @Test func aMembersFailureSaysWhich() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    upstream.answer { request in
      request.target.contains("found") ? .status(500, "{}") : .json([issue(1)])
    }
    let caller = ["X-User": "the-secret-of-ada"]
    try service.follow("search;q=swift", caller, until: "has failed") { $0.state == "failed" }
    try service.log.wait(for: "the failure") { lines in
      lines.contains { $0.contains("A source failed") && $0.contains("q=swift") && $0.contains("caller") } ? true : nil
    }
    #expect(!service.log.current.contains { $0.contains("the-secret-of-ada") })
    #expect(try service.metric("table_failing_instances{table=\"search\"}") == 1)
    #expect(try Self.source("found", of: service)["state"] == "failed")
  }
}
