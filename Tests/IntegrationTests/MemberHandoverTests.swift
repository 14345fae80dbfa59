import Foundation
import JSON
import TestSupport
import Testing

/// What the replica that asks the sources of members leaves, beside them, for the one that asks them next.
@Suite(.serialized) struct MemberHandoverTests {
  /// Of one that is read on both, and one that only the dead one's clients have read, until later.
  @Test func theNextOneAsksOnWithTheValidatorsOfTheLast() throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    let members = ["polled;q=both", "polled;q=dead"]
    for table in members { _ = try set.ready(table, at: leader) }
    let before = try set.ready("polled;q=both", at: other)
    let item = try other.request("GET", "/v1/tables/polled;q=both/items/1").text
    for table in members { try set.leftWhole(table) }
    leader.signal(SIGKILL)
    let whole = ["both", "dead"].map { set.fetches("/polled/\($0)", conditional: false) }
    try awaited("another leader") { try other.metric("replica_leading") == 1 }
    try set.awaitFetches("/polled/both", moreThan: set.fetches("/polled/both") + 3)
    // Nobody reads it now: it is asked for when somebody does.
    let count = set.fetches("/polled/dead")
    let late = try set.ready("polled;q=dead", at: other)
    try set.awaitFetches("/polled/dead", moreThan: count + 1)
    #expect(["both", "dead"].map { set.fetches("/polled/\($0)", conditional: false) } == whole)
    #expect(whole == [1, 1])
    // Of what it never read, it has the rows and the objects.
    #expect(try other.mirror("polled;q=both").cursor == before.cursor)
    #expect(try other.request("GET", "/v1/tables/polled;q=both/items/1").text == item)
    // Whoever reads it waits for nothing: it would be five seconds, each time.
    let begun = ContinuousClock.now
    for _ in 0..<10 { #expect(try other.mirror("polled;q=both").state == "ready") }
    #expect(ContinuousClock.now - begun < .seconds(30))
    set.show("after")
    for (table, mirror) in [("polled;q=both", before), ("polled;q=dead", late)] {
      let after = try other.follow(table, from: mirror, until: "shows what came after") {
        $0.row("1")?["payload"]?["title"] == "after"
      }
      #expect(after.resets == [], "\(table)")
    }
  }

  /// What is polled seldom is not polled because another replica does it now; what is asked on request only, then.
  @Test(arguments: [SIGTERM, SIGKILL]) func whatIsNotDueIsNotAsked(_ end: Int32) throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    let members = ["polled;q=a", "slow;q=a", "once;q=a"]
    for table in members {
      for replica in set.replicas { _ = try set.ready(table, at: replica) }
      try set.leftWhole(table)
    }
    if end == SIGTERM { #expect(try leader.end() == 0) } else { leader.signal(end) }
    try awaited("another leader") { try other.metric("replica_leading") == 1 }
    // It goes on with those that are due, and knows when the others are.
    try set.awaitFetches("/polled/a", moreThan: set.fetches("/polled/a") + 1)
    try awaited("when the slow one is due") { try set.next("slow", at: other).map { $0 > 500 } ?? false }
    #expect(set.fetches("/polled/a", conditional: false) == 1)
    #expect(set.fetches("/slow/a") == 1 && set.fetches("/once/a") == 1)
    #expect(try other.request("POST", "/v1/tables/once;q=a/refresh").status / 100 == 2)
    try set.awaitFetches("/once/a", moreThan: 1)
    #expect(set.fetches("/once/a") == 2 && set.fetches("/once/a", conditional: true) == 1)
  }

  @Test func anUpstreamThatWantsToBeLeftAloneIs() throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    set.upstream.answer(.reply(429, ["Retry-After": "3000"], []))
    for replica in set.replicas {
      try awaited("a table that failed") { try replica.mirror("polled;q=quiet").state == "failed" }
    }
    try set.left("polled;q=quiet", "of who is to be left alone") {
      $0["sources"]?["polled"]?["source"]?["heldUntil"] != nil
    }
    let count = set.fetches("/polled/quiet")
    leader.signal(SIGKILL)
    try awaited("when it is asked next") { try set.next("polled", at: other).map { $0 > 600 } ?? false }
    #expect(try other.request("POST", "/v1/tables/polled;q=quiet/refresh").status / 100 == 2)
    #expect(try other.mirror("polled;q=quiet").state == "failed")
    #expect(set.fetches("/polled/quiet") == count)
  }

  /// The upstream goes back to what it had when the record was written, and the rows are further.
  @Test func aValidatorCountsForTheRowsThatWereMadeOfItsAnswerAlone() throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    set.show("first")
    for replica in set.replicas { _ = try set.ready("polled;q=a", at: replica) }
    let old = try set.leftWhole("polled;q=a")
    set.show("second")
    try other.follow("polled;q=a", until: "shows the second") { $0.row("1")?["payload"]?["title"] == "second" }
    leader.signal(SIGSTOP)
    // As if the leader had died before it could leave another one.
    try set.server.ask(
      "UPDATE tablecast.handover SET body = decode('\(old)', 'hex'), handed = clock_timestamp()",
      in: set.address
    )
    set.show("first")
    try other.follow("polled;q=a", until: "shows the first again") { $0.row("1")?["payload"]?["title"] == "first" }
    leader.signal(SIGCONT)
    try awaited("the same bytes") {
      Set(try set.replicas.map { try $0.request("GET", "/v1/tables/polled;q=a").text }).count == 1
    }
  }

  /// A webhook that comes while nobody asks the sources, and one for a member that nobody reads, whose leader dies then.
  @Test func aWebhookIsNotLostWithTheLeader() throws {
    let set = try MemberSet(2, instances: "{freezeAfter: 2s, dropAfter: 300s}")
    let (leader, other) = try set.leaderAndOther()
    let body: JSONValue = ["changed": true]
    let signature = ["X-Hub-Signature-256": "sha256=" + (try hmac(ReplicaSet.secret, body))]
    let idle = ["once;q=idle", "once;q=back"]
    for table in idle { _ = try set.ready(table, at: leader) }
    let before = try set.ready("once;q=read", at: other)
    let poll = try other.poll("once;q=read", after: before.cursor)
    try awaited("frozen members") {
      try leader.metric("table_instances{table=\"once\",state=\"frozen\"}") == 2
    }
    for table in idle { try set.leftWhole(table) }
    set.show("hooked")
    #expect(try leader.request("POST", "/v1/hooks/once", signature, body: body).status == 202)
    // Whoever comes back before that is left sees to it, too.
    try leader.follow("once;q=back", until: "is hooked") { $0.row("1")?["payload"]?["title"] == "hooked" }
    try set.left("once;q=idle", "that is to be asked for anew") { $0["sources"]?["once"] == nil }
    #expect(try poll.value().text.contains("hooked"))
    leader.signal(SIGKILL)
    set.show("hooked again")
    #expect(try other.request("POST", "/v1/hooks/once", signature, body: body).status == 202)
    try other.follow("once;q=read", until: "is hooked again") { $0.row("1")?["payload"]?["title"] == "hooked again" }
    try other.follow("once;q=idle", until: "is asked for anew") { $0.row("1")?["payload"]?["title"] == "hooked again" }
  }

  /// Asked for at replicas while nobody asks the sources: one of them will, and hears of the other's.
  @Test func aRefreshIsNotLostWithTheLeader() throws {
    let set = try MemberSet(3)
    var leader: Int?
    try awaited("a replica that asks the sources") {
      leader = try set.replicas.firstIndex { try $0.metric("replica_leading") == 1 }
      return leader != nil
    }
    let others = set.replicas.indices.filter { $0 != leader }
    let members = zip(["a", "b"], others).map { (name: $0, replica: set.replicas[$1]) }
    for (name, replica) in members {
      _ = try set.ready("once;q=\(name)", at: replica)
      try set.leftWhole("once;q=\(name)")
    }
    try required(leader.map { set.replicas[$0] }, "a leader").signal(SIGKILL)
    let refreshes = members.map { name, replica in
      Background("a refresh") { try replica.request("POST", "/v1/tables/once;q=\(name)/refresh").status }
    }
    for (name, _) in members { try set.awaitFetches("/once/\(name)", moreThan: 1) }
    for refresh in refreshes { #expect(try refresh.value() / 100 == 2) }
  }

  /// What the upstream has refused to the replica that died is refused by the next one, whatever it asks first.
  @Test func aRefusalGoesOn() throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    set.upstream.answer(.status(404, "none"))
    for replica in set.replicas {
      try awaited("404") { try replica.request("GET", "/v1/tables/polled;q=none").status == 404 }
    }
    leader.signal(SIGKILL)
    try awaited("another leader") {
      #expect(try other.request("GET", "/v1/tables/polled;q=none").status == 404)
      return try other.metric("replica_leading") == 1
    }
    let count = set.fetches("/polled/none")
    try awaited("further requests") {
      let status = try other.request("GET", "/v1/tables/polled;q=none").status
      #expect(status == 404)
      return set.fetches("/polled/none") > count + 1
    }
    set.show("there")
    try awaited("200") { try other.request("GET", "/v1/tables/polled;q=none").status == 200 }
  }

  /// Rows that the upstream has only confirmed are held as those are that it has sent.
  @Test func whatWasTakenOverIsWeighed() throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    set.upstream.answer(
      .json(
        .array((0..<500).map { ["id": .integer(Int64($0)), "title": .string(String(repeating: "x", count: 400))] })
      )
    )
    for replica in set.replicas { _ = try set.ready("polled;q=large", at: replica) }
    try set.leftWhole("polled;q=large")
    let name = "table_instance_bytes{table=\"polled\"}"
    let before = try other.metric(name)
    #expect(before > 400_000)
    leader.signal(SIGKILL)
    try awaited("another leader") { try other.metric("replica_leading") == 1 }
    try set.awaitFetches("/polled/large", moreThan: set.fetches("/polled/large") + 2)
    #expect(set.fetches("/polled/large", conditional: false) == 1)
    let after = try other.metric(name)
    #expect(after > before * 3 / 4)
  }
}
