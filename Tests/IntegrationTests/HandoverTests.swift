import Foundation
import JSON
import TestSupport
import Testing

/// What the replica that asks the sources leaves for the one that asks them next.
@Suite(.serialized) struct HandoverTests {
  /// The record beside the lease, when it is as awaited.
  private func left(
    _ what: String,
    in set: ReplicaSet,
    _ isSo: (JSONValue) -> Bool
  ) throws -> (json: JSONValue, hexadecimal: String) {
    var found: (JSONValue, String)?
    try awaited("a record \(what)") {
      let digits = try set.server.ask("SELECT encode(handover, 'hex') FROM tablecast.lease", in: set.address)
      let bytes = stride(from: 0, to: digits.utf8.count & ~1, by: 2).compactMap { offset in
        UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
      }
      guard let json = try? JSONValue(parsing: bytes), isSo(json) else { return false }
      found = (json, digits)
      return true
    }
    return try required(found, "a record")
  }

  /// The tables stand as the last answer of a source made them.
  private func isWhole(_ record: JSONValue, _ source: String) -> Bool {
    let entry = record["sources"]?[source]
    return entry?["tables"] != nil && entry?["source"]?["validators"]?["entityTag"] != nil
  }

  private func requests(_ path: String, in set: ReplicaSet, conditional: Bool? = nil) -> Int {
    count(path, set.upstream.requests.current, conditional)
  }

  private func count(_ path: String, _ requests: [ScriptedUpstream.Request], _ conditional: Bool? = nil) -> Int {
    requests.count { request in
      request.target == path && request.method == "GET"
        && conditional.map { $0 == (request.headers["if-none-match"] != nil) } ?? true
    }
  }

  /// Waits until a path was asked for so often.
  private func awaitRequests(_ path: String, in set: ReplicaSet, moreThan number: Int) throws {
    try set.upstream.requests.wait(for: "requests for \(path)") { count(path, $0) > number ? true : nil }
  }

  @Test func theNextOneAsksOnWithTheValidatorsOfTheLast() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let leader = try set.leader()
    let other = set.replicas[1 - leader]
    _ = try left("of the list", in: set) { isWhole($0, "list") }
    let (before, item) = try (other.mirror("up"), other.request("GET", "/v1/tables/up/items/1").text)
    set.replicas[leader].signal(SIGKILL)
    let (whole, all) = (requests("/list", in: set, conditional: false), requests("/list", in: set))
    try set.awaitOneLeader([1 - leader])
    try awaitRequests("/list", in: set, moreThan: all + 3)
    #expect(requests("/list", in: set, conditional: false) == whole)
    // Of what it never read, it has the rows and the objects.
    #expect(try other.mirror("up").cursor == before.cursor)
    #expect(try other.request("GET", "/v1/tables/up/items/1").text == item)
    // What was toggled for everyone stays so while the upstream fails, and when it works again.
    #expect(try other.request("POST", "/v1/tables/open/rows/1/tap").status == 200)
    set.upstream.answer(.status(500, "{}"))
    let stale = try other.follow("open", until: "is stale") { $0.state == "stale" }
    set.upstream.answer([ReplicaSet.item("first")])
    let ready = try other.follow("open", from: stale, until: "is ready again") { $0.state == "ready" }
    #expect([stale, ready].allSatisfy { $0.row("1")?["payload"]?["isOpen"] == true })
    set.upstream.answer([ReplicaSet.item("after")])
    let mirror = try other.follow("up", from: before, until: "shows what came after") {
      $0.row("1")?["payload"]?["title"] == "after"
    }
    #expect(mirror.resets == [])
  }

  /// It was away for a while, and has what it mapped then.
  @Test func whoAsksAgainStillKnowsTheItems() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    let (first, second) = (set.replicas[leader], set.replicas[1 - leader])
    _ = try left("of the list", in: set) { isWhole($0, "list") }
    let item = try first.request("GET", "/v1/tables/up/items/1").text
    first.signal(SIGSTOP)
    try awaited("another leader") { try second.metric("replica_leading") == 1 }
    try awaitRequests("/list", in: set, moreThan: requests("/list", in: set) + 1)
    first.signal(SIGCONT)
    try awaited("one that leads no more") { try first.metric("replica_leading") == 0 }
    let whole = requests("/list", in: set, conditional: false)
    try second.end()
    let last = try left("by the second one", in: set) { $0["sources"] != nil }
    try awaited("the first one again") { try first.metric("replica_leading") == 1 }
    try awaitRequests("/list", in: set, moreThan: requests("/list", in: set) + 1)
    // A machine that is too slow to find out in time where the tables stand makes the next one ask for everything.
    if isWhole(last.json, "list") { #expect(requests("/list", in: set, conditional: false) == whole) }
    #expect(try first.request("GET", "/v1/tables/up/items/1").text == item && item.contains("first"))
  }

  /// The upstream goes back to what it had when the record was written, and the tables are further: 304 would say that
  /// rows hold which are not there.
  @Test func aValidatorCountsForTheRowsThatWereMadeOfItsAnswerAlone() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    let other = set.replicas[1 - leader]
    let old = try left("of the first answer", in: set) { isWhole($0, "list") }
    set.upstream.answer([ReplicaSet.item("second")])
    for replica in set.replicas {
      try replica.follow("up", until: "shows the second") { $0.row("1")?["payload"]?["title"] == "second" }
    }
    set.replicas[leader].signal(SIGSTOP)
    // As if the leader had died before it could leave another one.
    try set.server.ask(
      "UPDATE tablecast.lease SET handover = decode('\(old.hexadecimal)', 'hex'), handed = clock_timestamp()",
      in: set.address
    )
    set.upstream.answer([ReplicaSet.item("first")])
    try other.follow("up", until: "shows the first again") { $0.row("1")?["payload"]?["title"] == "first" }
    set.replicas[leader].signal(SIGCONT)
    try set.converge()
  }

  /// Tables of another configuration are made of the answer otherwise.
  @Test func aValidatorOfAnotherConfigurationDoesNotCount() throws {
    let set = try ReplicaSet(2)
    _ = try left("of the list", in: set) { isWhole($0, "list") }
    let whole = requests("/list", in: set, conditional: false)
    try set.add(generation: 1, title: "new ${title}")
    try awaited("the newer one asks the sources") { try set.replicas[2].metric("replica_leading") == 1 }
    try set.upstream.requests.wait(for: "a whole answer") { count("/list", $0, false) > whole ? true : nil }
    try set.converge()
  }

  /// Of an item without a row the next one would know nothing.
  @Test func rowsThatAreNotAllOfTheAnswerDoNotStandForIt() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    set.upstream.answer([ReplicaSet.item("first"), ["title": "without an identity"]])
    _ = try left("of an answer that is not all shown", in: set) { record in
      let entry = record["sources"]?["list"]
      return entry?["tables"] == nil && entry?["source"]?["validators"]?["itemCount"] == 2
    }
    set.replicas[leader].signal(SIGKILL)
    let whole = requests("/list", in: set, conditional: false)
    try set.awaitOneLeader([1 - leader])
    try set.upstream.requests.wait(for: "a whole answer") { count("/list", $0, false) > whole ? true : nil }
  }

  /// A webhook that comes while nobody asks the sources.
  @Test func aWebhookIsNotLostWithTheLeader() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    let other = set.replicas[1 - leader]
    _ = try left("of both sources", in: set) { isWhole($0, "list") && isWhole($0, "quiet") }
    set.replicas[leader].signal(SIGKILL)
    set.upstream.answer([ReplicaSet.item("hooked")])
    let body: JSONValue = ["changed": true]
    let signature = ["X-Hub-Signature-256": "sha256=" + (try hmac(ReplicaSet.secret, body))]
    #expect(try other.request("POST", "/v1/hooks/quiet", signature, body: body).status == 202)
    try other.follow("quiet", until: "is hooked") { $0.row("1")?["payload"]?["title"] == "hooked" }
  }

  @Test func anUpstreamThatWantsToBeLeftAloneIs() throws {
    let set = try ReplicaSet(0)
    set.upstream.answer { request in
      request.target == "/quiet" ? .reply(429, ["Retry-After": "3000"], []) : .json([ReplicaSet.item("first")])
    }
    for _ in 0..<2 { try set.add() }
    let leader = try set.leader()
    _ = try left("of who is to be left alone", in: set) { $0["sources"]?["quiet"]?["source"]?["heldUntil"] != nil }
    let count = requests("/quiet", in: set)
    set.replicas[leader].signal(SIGKILL)
    let other = set.replicas[1 - leader]
    try set.awaitOneLeader([1 - leader])
    try awaited("when it is asked next") {
      let sources = try other.request("GET", "/v1/sources").json["sources"]?.elements ?? []
      guard let next = sources.first(where: { $0["id"] == "quiet" })?["next"]?.text else { return false }
      let date = try required(ISO8601DateFormatter().date(from: next), "a date")
      return date.timeIntervalSinceNow > 600
    }
    // Nor where somebody wants it to be.
    #expect(try other.request("POST", "/v1/tables/quiet/refresh").status / 100 == 2)
    #expect(requests("/quiet", in: set) == count)
  }

  /// A source that is asked on request only was asked by the one before.
  @Test func whatIsNotDueIsNotAsked() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let leader = try set.leader()
    _ = try left("of both sources", in: set) { isWhole($0, "list") && isWhole($0, "quiet") }
    let count = requests("/quiet", in: set)
    try set.replicas[leader].end()
    let other = set.replicas[1 - leader]
    try set.awaitOneLeader([1 - leader])
    let all = requests("/list", in: set)
    try awaitRequests("/list", in: set, moreThan: all + 1)
    #expect(try other.request("POST", "/v1/tables/quiet/refresh").status / 100 == 2)
    try awaitRequests("/quiet", in: set, moreThan: count)
    #expect(requests("/quiet", in: set) == count + 1)
    #expect(set.upstream.requests.current.last { $0.target == "/quiet" }?.headers["if-none-match"] != nil)
  }
}
