import Foundation
import JSON
import TestSupport
import Testing

/// A family over an upstream that answers with the target that it was asked for.
private func family(_ upstream: ScriptedUpstream, _ table: String = "", every: String = "1m", path: String = "")
  -> String
{
  """
  store: memory
  problems: full
  sources:
    list: {url: "\(upstream.url)\(path)/${$params.owner}/${$params.topic}", every: \(every), retries: 0}
  cells:
    Label: {fields: {title: string}}
  tables:
    t:
      source: list
      row: {id: "${number}"}
      cell: Label
      payload: {title: "${title ?? 'none'}"}
      parameters: {owner: {pattern: "[^/]*", default: me}, topic: {pattern: "[a-z]{1,3}"}}
      \(table)
  """
}

private func echo() throws -> ScriptedUpstream {
  try ScriptedUpstream { .json([["number": .string($0.target)]]) }
}

@Suite struct FamilyTests {
  /// A script that sends its request and shuts its side has not asked to wait: it is there when the upstream has answered.
  @Test func whoHasSentAllIsAnsweredBehindTheFirstFetch() throws {
    let upstream = try ScriptedUpstream { _ in .silence }
    let service = try ServiceProcess(family(upstream))
    let client = try service.client()
    try client.send("GET", "/v1/tables/t;topic=a")
    client.endSending()
    try upstream.requests.wait(for: "the fetch") { $0.isEmpty ? nil : true }
    upstream.answer([["number": 7]])
    #expect(try client.receive("the table").status == 200)
  }

  @Test func parametersHaveOneCanonicalForm() throws {
    let upstream = try echo()
    let service = try ServiceProcess(family(upstream))
    let expectations = [
      ("t;owner=a;topic=b", "t;owner=a;topic=b", "/a/b"), ("t;topic=b;owner=a", "t;owner=a;topic=b", "/a/b"),
      ("t;topic=b", "t;owner=me;topic=b", "/me/b"), ("t;owner=%61;topic=b", "t;owner=a;topic=b", "/a/b"),
      ("t;owner=x%20y;topic=b", "t;owner=x%20y;topic=b", "/x%20y/b"),
      ("t;owner=%C3%BC%3B=&;topic=b", "t;owner=%C3%BC%3B%3D%26;topic=b", "/%C3%BC%3B%3D%26/b"),
      ("t;owner=?q%23;topic=b", nil, nil), ("t;owner=a%3Fq%23;topic=b", "t;owner=a%3Fq%23;topic=b", "/a%3Fq%23/b"),
    ]
    for (address, canonical, target) in expectations {
      guard let canonical, let target else { continue }
      let mirror = try service.mirror(address)
      #expect(mirror.rows == [target], "\(address)")
      #expect(try service.snapshot(address)["table"]?.text == canonical)
      // In a poll of several tables the same: what is encoded in the name is encoded once more in the query.
      let name = canonical.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "&", with: "%26")
      let several = try service.request("GET", "/v1/changes?after=\(name):0011223344aa.1&wait=5")
      let changes = try several.json["changes"]?.elements ?? []
      #expect(
        changes.first?["table"]?.text == canonical && changes.first?["to"]?.text == mirror.cursor,
        "\(several.text)"
      )
    }
    #expect(Set(upstream.requests.current.map(\.target)).count == upstream.requests.current.count, "one fetch each")
  }

  /// As `encodeURIComponent` writes a name, it names the same member; and the list tells what there may be.
  @Test func aNameThatIsEncodedWholeIsTheSameMember() throws {
    let upstream = try echo()
    let service = try ServiceProcess(family(upstream))
    let cursor = try service.mirror("t;owner=x%20y;topic=b").cursor
    for address in ["t%3Bowner%3Dx%2520y%3Btopic%3Db", "t%3bowner%3dx%2520y%3btopic%3db"] {
      let reply = try service.request("GET", "/v1/tables/\(address)")
      #expect(try reply.json["cursor"]?.text == cursor, "\(address): \(reply.text)")
      #expect(try reply.json["table"] == "t;owner=x%20y;topic=b")
    }
    let list = try service.request("GET", "/v1/tables").json
    let listed = try required((list["tables"] ?? .null).elements.first, "the family")
    #expect(
      listed["parameters"] == [
        ["name": "owner", "pattern": "[^/]*", "default": "me"],
        ["name": "topic", "pattern": "[a-z]{1,3}", "default": .null],
      ]
    )
    #expect(listed["id"] == "t" && listed["members"] == 1 && listed["url"] == "/v1/tables/t")
    #expect(try service.metric("table_instances{table=\"t\",state=\"polled\"}") == 1)
  }

  /// Rows that the upstream no longer has are stale, as other tables' are. A member that never had any does not exist.
  @Test(arguments: [404, 410]) func rowsThatTheUpstreamNoLongerHasAreStale(status: Int) throws {
    let upstream = try echo()
    let service = try ServiceProcess(family(upstream, every: "100ms"))
    var mirror = try service.follow("t;topic=a", until: "is ready") { $0.state == "ready" }
    upstream.answer(.status(status, "{}"))
    mirror = try service.follow("t;topic=a", from: mirror, until: "is stale") { $0.state == "stale" }
    #expect(mirror.rows == ["/me/a"])
    try mirror.check(equals: service.snapshot("t;topic=a"))
    #expect(try service.request("GET", "/v1/tables/t;topic=b").status == 404)
    upstream.answer([["number": 7]])
    #expect(try service.request("POST", "/v1/tables/t;topic=a/refresh").status == 200)
    mirror = try service.follow("t;topic=a", from: mirror, until: "is ready again") { $0.state == "ready" }
    #expect(mirror.rows == ["7"])
  }

  @Test func parametersThatAreWrong() throws {
    let upstream = try echo()
    let service = try ServiceProcess(
      family(upstream)
        + "\n  plain: {source: {local: {items: []}}, cell: Label, payload: {title: \"${title}\"}}"
    )
    let expectations = [
      ("t", "topic", "[a-z]{1,3}"), ("t;owner=a", "topic", "[a-z]{1,3}"), ("t;topic=LOUD", "topic", "[a-z]{1,3}"),
      ("t;topic=abcd", "topic", "[a-z]{1,3}"), ("t;topic", "topic", "[a-z]{1,3}"), ("t;topic=", "topic", "[a-z]{1,3}"),
      ("t;topic=b;owner=a%2Fb", "owner", "[^/]*"),
      ("t;topic=b;owner=\(String(repeating: "x", count: 300))", "owner", "256 bytes"),
      ("t;topic=b;none=1", "none", "`topic`"),
      ("t;topic=b;topic=c", "topic", "twice"), ("plain;topic=b", "topic", "no parameters"),
    ]
    for (address, field, says) in expectations {
      let replies = [
        try service.request("GET", "/v1/tables/\(address)"),
        try service.request("GET", "/v1/tables/\(address)/changes?after=0011223344aa.1&wait=0"),
      ]
      for reply in replies {
        #expect(reply.status == 400, "\(address): \(reply.text)")
        let problem = try reply.json
        #expect(problem["field"]?.text == field, "\(address): \(reply.text)")
        #expect(problem["detail"]?.text?.contains(says) == true, "\(address): \(reply.text)")
      }
      // Among others it is one table's problem.
      let several = try service.request(
        "GET",
        "/v1/changes?after=\(address.replacingOccurrences(of: "%", with: "%25")):0011223344aa.1&wait=15"
      ).json
      let problem = several["changes"]?.elements.first?["problem"]
      #expect(problem?["status"] == 400 && problem?["field"]?.text == field, "\(address): \(several)")
    }
    #expect(upstream.requests.current.isEmpty)
    #expect(try service.request("GET", "/v1/tables/t;topic=%zz").status == 400)
    // Values that would lead elsewhere: the request is not made.
    for value in [".", ".."] {
      let mirror = try service.mirror("t;topic=b;owner=\(value)")
      #expect(mirror.state == "failed" && mirror.attributes["problem"]?["title"] == "No request can be made")
    }
    #expect(upstream.requests.current.isEmpty)
  }

  @Test func theLeastRecentlyReadMakesRoom() throws {
    let upstream = try echo()
    let service = try ServiceProcess(family(upstream, "instances: {max: 3}"))
    var epochs: [String: Substring] = [:]
    let epoch = { (topic: String) in try service.mirror("t;topic=\(topic)").cursor.prefix(12) }
    for topic in ["a", "b", "c"] { epochs[topic] = try epoch(topic) }
    let poll = try service.poll("t;topic=a", after: try service.mirror("t;topic=a").cursor)
    try service.awaitPolls(1)
    _ = try epoch("b")
    epochs["d"] = try epoch("d")  // c was read longest ago; a is waited for
    for topic in ["a", "b", "d"] { #expect(try epoch(topic) == epochs[topic], "\(topic)") }
    #expect(try epoch("c") != epochs["c"])
    _ = poll
  }

  /// Those who wait for an instance that has to make room are answered as if the time were over, and begin anew.
  @Test func waitersOfOneThatMadeRoom() throws {
    let upstream = try echo()
    let service = try ServiceProcess(family(upstream, "instances: {max: 1}"))
    let mirror = try service.mirror("t;topic=a")
    let poll = try service.poll("t;topic=a", after: mirror.cursor)
    try service.awaitPolls(1)
    _ = try service.mirror("t;topic=b")
    let reply = try poll.value().json
    #expect(reply["stages"] == [] && reply["to"]?.text == mirror.cursor)
    let next = try service.changes("t;topic=a", after: mirror.cursor, wait: 50)
    #expect(next["reset"] == "epoch" && next["snapshot"]?["state"] == "ready")
  }

  @Test func instancesAreFrozenAndDropped() throws {
    let upstream = try echo()
    let service = try ServiceProcess(
      family(upstream, "instances: {freezeAfter: 2s, dropAfter: 6s}", every: "50ms")
    )
    let first = try service.mirror("t;topic=a")
    // Whoever waits keeps it alive.
    let poll = try service.poll("t;topic=a", after: first.cursor, wait: 8)
    #expect(try poll.value().json["stages"] == [])
    #expect(try service.mirror("t;topic=a").cursor == first.cursor)
    try upstream.awaitSilence(seconds: 0.4)
    let frozen = upstream.requests.current.count
    // Read again, it is polled again, and goes on with its versions.
    upstream.answer([["number": 2]])
    let awake = try service.follow("t;topic=a", from: first, until: "is fetched again") { $0.rows == ["2"] }
    #expect(awake.resets.isEmpty && upstream.requests.current.count > frozen)
    for state in ["polled", "frozen"] { try service.awaitMetric("table_instances{table=\"t\",state=\"\(state)\"}", 0) }
    #expect(try service.changes("t;topic=a", after: awake.cursor)["reset"] == "epoch")
  }

  /// Nobody reads it anew, but somebody is there: it is fetched, and neither frozen nor dropped.
  @Test func whoFollowsAStreamKeepsItAlive() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(family(upstream, "instances: {freezeAfter: 2s, dropAfter: 5s}", every: "50ms"))
    let mirror = try service.mirror("t;topic=a")
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/t;topic=a/stream?after=\(mirror.cursor)")
    _ = try stream.receiveHead("the stream's head")
    // Another one comes and goes meanwhile.
    _ = try service.mirror("t;topic=b")
    try service.awaitMetric("table_instances{table=\"t\",state=\"polled\"}", 1)
    try service.awaitMetric("table_instances{table=\"t\",state=\"frozen\"}", 0)
    upstream.answer([issue(1), issue(2)])
    #expect(try stream.receiveChunk("an event").contains("Issue 2"))
    #expect(try service.metric("table_instances{table=\"t\",state=\"polled\"}") == 1)
  }

  /// However a wait ends, the instance is then as unread as before it.
  @Test func whoWaitsNoLongerKeepsNothingAlive() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(family(upstream, "instances: {freezeAfter: 1s, dropAfter: 1h}", every: "50ms"))
    let mirror = try service.mirror("t;topic=a")
    let table = "t;owner=me;topic=a"
    #expect(try service.changes(table, after: mirror.cursor, wait: 1)["stages"] == [])
    var leaving: [HTTPClient] = []
    for target in [
      "tables/\(table)/changes?after=\(mirror.cursor)&wait=30", "tables/\(table)/stream?after=\(mirror.cursor)",
      "changes?after=\(table):\(mirror.cursor)&wait=30",
    ] {
      leaving.append(try service.client())
      try leaving.last?.send("GET", "/v1/\(target)")
    }
    _ = try leaving[1].receiveHead("the stream's head")
    try service.awaitPolls(2)
    leaving = []
    try service.awaitMetric("waiting_polls", 0)
    // Alike: asked once for all of them.
    let polls = try (0..<5).map { _ in try service.poll(table, after: mirror.cursor) }
    try service.awaitPolls(5)
    upstream.answer([issue(1), issue(2)])
    for poll in polls { #expect(try poll.value().json["stages"]?.elements.isEmpty == false) }
    try service.awaitMetric("table_instances{table=\"t\",state=\"frozen\"}", 1)
  }

  /// SIGHUP: members go on with their versions and their waiters, whether anything changed in their look or not.
  @Test func membersOutliveAReload() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let configuration = family(upstream, every: "100ms")
    let service = try ServiceProcess(configuration)
    var mirror = try service.mirror("t;topic=a")
    let poll = try service.poll("t;topic=a", after: mirror.cursor)
    try service.awaitPolls(1)
    service.signal(SIGHUP)
    try service.logged("was read again")
    #expect(try service.mirror("t;topic=a").cursor == mirror.cursor)
    upstream.answer([issue(1), issue(2)])
    try mirror.apply(poll.value().json)
    #expect(mirror.rows == ["1", "2"] && mirror.resets.isEmpty)
    // Another look reaches the waiters as a changeset, another source as what it has.
    let look = try service.poll("t;topic=a", after: mirror.cursor)
    try service.awaitPolls(1)
    try service.folder.write(configuration.replacingOccurrences(of: "${title ?? 'none'}", with: "- ${title}"))
    service.signal(SIGHUP)
    try mirror.apply(look.value().json)
    #expect(mirror.row("2")?["payload"]?["title"] == "- Issue 2" && mirror.resets.isEmpty)
    upstream.answer(by: { .json($0.target.hasPrefix("/other/") ? [issue(3)] : [issue(1), issue(2)]) })
    try service.folder.write(family(upstream, every: "100ms", path: "/other"))
    service.signal(SIGHUP)
    mirror = try service.follow("t;topic=a", from: mirror, until: "has the other source's rows") { $0.rows == ["3"] }
    #expect(mirror.resets.isEmpty)
    // With other parameters there are other members: waiters are answered, and begin anew.
    let last = try service.poll("t;topic=a", after: mirror.cursor)
    try service.awaitPolls(1)
    try service.folder.write(family(upstream).replacingOccurrences(of: "[a-z]{1,3}", with: "[b-z]{1,3}"))
    service.signal(SIGHUP)
    #expect(try last.value().json["stages"] == [])
    #expect(try service.request("GET", "/v1/tables/t;topic=a").status == 400)
  }
}
