import Foundation
import JSON
import TestSupport
import Testing

/// What members of families can cost: each is fetched with the service's credentials, and held.
@Suite struct SecurityMembersTests {
  private static func family(_ upstream: ScriptedUpstream, _ instances: String) -> String {
    """
    store: memory
    trustedProxies: [127.0.0.0/8]
    sources: {list: {url: "\(upstream.url)/${$params.q}", every: 0s}}
    tables:
      list:
        source: list
        row: {id: "${number}"}
        parameters: {q: {default: a, pattern: "[a-z0-9]*"}}
        instances: \(instances)
    """
  }

  /// One request makes few members: each is a fetch with the service's credentials.
  @Test func oneRequestMakesFewMembers() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(Self.family(upstream, "{max: 100}"))
    let pairs = (0..<64).map { "after=list;q=n\($0):" }.joined(separator: "&")
    let reply = try service.request("GET", "/v1/changes?\(pairs)&wait=0")
    let problems = try reply.json["changes"]?.elements.compactMap { $0["problem"]?["status"]?.number } ?? []
    #expect(problems.count == 48 && problems.allSatisfy { $0 == 429 }, "\(problems)")
    try upstream.awaitSilence(seconds: 0.2)
    #expect(upstream.requests.current.count <= 16)
  }

  /// Names of one table in several spellings, with members that make room for one another meanwhile.
  @Test func oneTableUnderSeveralNamesInOnePoll() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(Self.family(upstream, "{max: 1}"))
    for pairs in [
      "after=list:&after=list;q=b:&after=list;q=a:", "after=list:&after=list;q=a:", "after=list;q=a:&after=list;q=a:",
      "after=list:&after=list;q=b:&after=list:", "after=list;q:&after=list;q=:",
    ] {
      let reply = try service.request("GET", "/v1/changes?\(pairs)&wait=0")
      #expect([200, 400].contains(reply.status), "\(pairs): \(reply.text)")
    }
    #expect(try service.request("GET", "/healthz").status == 200)
  }

  /// A client behind a proxy loses its own members before it takes another client's. Of IPv6, whoever has one address
  /// has a network of them.
  @Test(arguments: ["198.51.100.66", "2001:db8:0:1::"]) func oneClientsMembersDisplaceItsOwn(_ address: String) throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(Self.family(upstream, "{max: 8}"))
    let good = ["X-Forwarded-For": "192.0.2.1"]
    let mirror = try service.mirror("list;q=good", good)
    for number in 0..<40 {
      let bad = ["X-Forwarded-For": address.hasSuffix(":") ? "\(address)\(number + 1)" : address]
      #expect(try service.request("GET", "/v1/tables/list;q=bad\(number)", bad).status == 200)
    }
    #expect(try service.mirror("list;q=good", good).cursor == mirror.cursor)
    #expect(try service.metric("table_instances{table=\"list\",state=\"polled\"}") <= 3)
  }

  /// Swift holds them equal: the upstream is asked for two things, and each has its rows.
  @Test func equivalentSpellingsAreTwoMembers() throws {
    let upstream = try ScriptedUpstream { .json([issue(1, "open", $0.target)]) }
    let configuration = Self.family(upstream, "{max: 8}").replacing("[a-z0-9]*", with: ".*")
    let service = try ServiceProcess(
      configuration + "\n    cell: TableViewCellWithLabel\n    payload: {title: \"${title}\"}"
    )
    let titles = try ["caf%C3%A9", "cafe%CC%81"].map { try service.mirror("list;q=\($0)").titles }
    #expect(titles == [[["/caf%C3%A9"]], [["/cafe%CC%81"]]])
    let both = try service.request("GET", "/v1/changes?after=list;q=caf%C3%A9:&after=list;q=cafe%CC%81:&wait=0")
    #expect(try both.json["changes"]?.elements.count == 2)
  }

  /// However many members readers make, what these hold is bounded: idle ones make room, and where all are followed a new
  /// one is refused, by the limit's name. Who follows goes on.
  @Test(arguments: ["instances.maxBytes", "limits.membersBytes"])
  func membersOfFamiliesHaveABudget(_ limit: String) throws {
    let upstream = try ScriptedUpstream(.array((1...200).map { issue($0) }))
    let isOfFamily = limit == "instances.maxBytes"
    let service = try ServiceProcess(
      (isOfFamily ? "" : "limits: {membersBytes: 600KB}\n")
        + Self.family(upstream, isOfFamily ? "{max: 100, maxBytes: 600KB}" : "{max: 100}")
    )
    for number in 0..<24 {
      try service.follow("list;q=n\(number)", until: "is ready") { $0.rows.count == 200 }
    }
    let bytes = try service.metric("table_instance_bytes{table=\"list\"}")
    let members = try service.metric("table_instances{table=\"list\",state=\"polled\"}")
    #expect(bytes > 100 << 10 && bytes <= 600 << 10 && (2..<24).contains(members), "\(members) with \(bytes) bytes")
    // Followed by somebody, they stay.
    var polls: [HTTPClient] = []
    var refused: Reply?
    for number in 0..<24 where refused == nil {
      let reply = try Self.answer(of: service, "list;q=f\(number)") { $0.status == 503 || $0.text.contains("ready") }
      guard reply.status == 200 else {
        refused = reply
        continue
      }
      let client = try service.client()
      let cursor = try required(reply.json["cursor"]?.text, "a cursor")
      try client.send("GET", "/v1/tables/list;q=f\(number)/changes?after=\(cursor)&wait=50")
      polls.append(client)
      try service.awaitPolls(polls.count)
    }
    let refusal = try required(refused, "a refusal")
    #expect(refusal.status == 503 && Int(refusal["Retry-After"]) ?? 0 >= 1, "\(refusal.text)")
    #expect(refusal["Content-Type"] == "application/problem+json" && refusal.text.contains(limit), "\(refusal.text)")
    #expect(try service.metric("waiting_polls") == polls.count && polls.count > 1)
    #expect(try service.mirror("list;q=f0").rows.count == 200, "who is there stays")
    // One that nobody follows any more makes room.
    polls.removeFirst()
    #expect(try Self.answer(of: service, "list;q=again") { $0.status == 200 }.status == 200)
  }

  /// The table, asked for until it is as awaited, or for a minute.
  private static func answer(of service: ServiceProcess, _ table: String, until isSo: (Reply) -> Bool) throws -> Reply {
    let client = try service.client()
    let deadline = Date(timeIntervalSinceNow: 60)
    while true {
      let reply = try client.request("GET", "/v1/tables/\(table)")
      guard !isSo(reply), Date() < deadline else { return reply }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  /// A member that outgrows the budget goes, and its readers are told why; others stay.
  @Test func aMemberThatOutgrowsTheBudgetGoes() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    upstream.script { request in
      .json(.array((1...(request.target.hasSuffix("large") ? 2000 : 10)).map { issue($0) }))
    }
    let service = try ServiceProcess("limits: {membersBytes: 400KB}\n" + Self.family(upstream, "{max: 100}"))
    let small = try service.follow("list;q=small", until: "is ready") { $0.rows.count == 10 }
    for _ in 0..<2 {
      let reply = try Self.answer(of: service, "list;q=large") { $0.status == 503 }
      #expect(reply.status == 503 && reply.text.contains("limits.membersBytes"), "\(reply.text.prefix(500))")
      #expect(Int(reply["Retry-After"]) ?? 0 >= 1)
    }
    #expect(try service.mirror("list;q=small").cursor == small.cursor)
    #expect(try service.metric("table_instance_bytes{table=\"list\"}") <= 400 << 10)
    // Grown while it is followed.
    let client = try service.client()
    try client.send("GET", "/v1/tables/list;q=small/changes?after=\(small.cursor)&wait=50")
    try service.awaitPolls(1)
    upstream.answer { _ in .json(.array((1...2000).map { issue($0) })) }
    #expect(try service.request("POST", "/v1/tables/list;q=small/refresh").status == 503)
    #expect(try client.receive("the poll's end").status == 503)
  }
}
