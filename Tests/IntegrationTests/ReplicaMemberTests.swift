import Foundation
import JSON
import TestSupport
import Testing

/// Members of families that depend on their parameters alone are the cluster's, those that depend on who asks are not.
@Suite(.serialized) struct ReplicaMemberTests {
  @Test(arguments: ["en-US", "de-DE"]) func aMembersCursorIsReadByEveryReplica(_ language: String) throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    let headers = ["Accept-Language": language]
    // Whoever is asked first; the other one has nobody who reads it until then.
    for (table, here, there) in [
      ("once;q=a", leader, other), ("once;q=b", other, leader), ("words;q=c", other, leader),
    ] {
      let cursor = try set.ready(table, at: here, headers).cursor
      let poll = try there.request("GET", "/v1/tables/\(table)/changes?after=\(cursor)&wait=0", headers)
      #expect(try poll.status == 200 && poll.json["to"]?.text == cursor && poll.json["reset"] == nil, "\(poll.text)")
      let snapshots = try [here, there].map { try $0.request("GET", "/v1/tables/\(table)", headers).text }
      #expect(snapshots[0] == snapshots[1] && snapshots[0].contains("\"\(cursor)\""))
    }
    #expect(set.fetches("/once/a") == 1 && set.fetches("/once/b") == 1)
  }

  @Test func whoeverWaitsAnywhereHasWhatOneReplicaFetches() throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    let before = try set.ready("polled;q=a", at: other)
    let there = try set.ready("polled;q=a", at: leader)
    #expect(there.cursor == before.cursor)
    set.show("news")
    for (replica, mirror) in [(other, before), (leader, there)] {
      let after = try replica.follow("polled;q=a", from: mirror, until: "has the news") {
        $0.row("1")?["payload"]?["title"] == "news"
      }
      #expect(after.resets == [])
    }
    try awaited("the same bytes") {
      Set(try set.replicas.map { try $0.request("GET", "/v1/tables/polled;q=a").text }).count == 1
    }
    // A tap of everyone's table on the one, seen on the other.
    #expect(try other.request("POST", "/v1/tables/polled;q=a/rows/1/tap").status == 200)
    try awaited("an open row") {
      try set.replicas.allSatisfy { try $0.mirror("polled;q=a").row("1")?["payload"]?["isOpen"] == true }
    }
  }

  @Test func aRefreshAndAnEditOnAFollowerReachTheUpstreamOnce() throws {
    let set = try MemberSet(2)
    let (_, other) = try set.leaderAndOther()
    let before = try set.ready("once;q=a", at: other)
    set.show("refreshed")
    let refresh = try other.request("POST", "/v1/tables/once;q=a/refresh")
    #expect(refresh.status == 200 || refresh.status == 202, "\(refresh.text)")
    try other.follow("once;q=a", from: before, until: "is refreshed") {
      $0.row("1")?["payload"]?["title"] == "refreshed"
    }
    #expect(set.fetches("/once/a") == 2)
    let patch = try ReplicaSet.settled(
      other,
      "PATCH",
      "/v1/tables/once;q=a/items/1",
      key: "1",
      body: ["title": "patched"]
    )
    #expect(patch.status == 200, "\(patch.text)")
    #expect(set.upstream.requests.current.count { $0.method == "PATCH" } == 1)
    set.show("hooked")
    let body: JSONValue = ["changed": true]
    let signature = ["X-Hub-Signature-256": "sha256=" + (try hmac(ReplicaSet.secret, body))]
    #expect(try other.request("POST", "/v1/hooks/once", signature, body: body).status == 202)
    try other.follow("once;q=a", until: "is hooked") { $0.row("1")?["payload"]?["title"] == "hooked" }
  }

  @Test func anUpstreamsRefusalIsSaidByEveryReplica() throws {
    let set = try MemberSet(2)
    set.upstream.answer(.status(404, "none"))
    for replica in set.replicas {
      try awaited("404") { try replica.request("GET", "/v1/tables/polled;q=none").status == 404 }
    }
    set.show("there")
    for replica in set.replicas {
      try awaited("200") { try replica.request("GET", "/v1/tables/polled;q=none").status == 200 }
    }
  }

  /// One that is read on both, one that only the dead one's clients have read, and one that only the other's have.
  @Test func whenTheLeaderDiesItsMembersGoOn() throws {
    let set = try MemberSet(2)
    let (leader, other) = try set.leaderAndOther()
    let mirrors = try [
      ("polled;q=both", set.ready("polled;q=both", at: leader)),
      ("polled;q=dead", set.ready("polled;q=dead", at: leader)),
      ("polled;q=other", set.ready("polled;q=other", at: other)),
    ]
    _ = try set.ready("polled;q=both", at: other)
    leader.signal(SIGKILL)
    set.show("after")
    for (table, mirror) in mirrors {
      let after = try other.follow(table, from: mirror, until: "goes on") {
        $0.row("1")?["payload"]?["title"] == "after"
      }
      #expect(after.resets == [], "\(table)")
    }
    #expect(try other.metric("replica_leading") == 1)
  }

  @Test func whatDependsOnWhoAsksIsNeverStored() throws {
    let set = try MemberSet(2)
    let ada = ["X-User": "ada-7f3c"]
    set.upstream.answer { request in
      .json([["id": 1, "title": .string("of \(request.headers["x-user"] ?? "nobody")-\(request.target.suffix(3))")]])
    }
    let mirrors = try set.replicas.map { try set.ready("mine;q=own", at: $0, ada) }
    #expect(mirrors[0].row("1") == mirrors[1].row("1"))
    // Whoever moves gets a snapshot.
    let moved = try set.replicas[1].request(
      "GET",
      "/v1/tables/mine;q=own/changes?after=\(mirrors[0].cursor)&wait=0",
      ada
    )
    #expect(try moved.json["reset"] == "epoch", "\(moved.text)")
    for replica in set.replicas { _ = try set.ready("polled;q=all", at: replica) }
    // What is looked for is found where it may be.
    #expect(try set.rows(with: "of nobody-all") > 0 && set.stored() == ["polled;q=all", "polled;q=all@de-DE"])
    for secret in ["ada-7f3c", "mine;q=own"] { #expect(try set.rows(with: secret) == 0, "\(secret)") }
  }

  @Test func whatNobodyReadsGoesEverywhereAndWhatSomebodyWaitsForStays() throws {
    let set = try MemberSet(2, instances: "{freezeAfter: 2s, dropAfter: 6s}")
    let (leader, other) = try set.leaderAndOther()
    let kept = try set.ready("once;q=kept", at: other)
    let poll = try other.poll("once;q=kept", after: kept.cursor, wait: 50)
    for replica in set.replicas { _ = try set.ready("once;q=idle", at: replica) }
    #expect(try set.stored().contains("once;q=idle"))
    try awaited("no idle member") { try set.stored() == ["once;q=kept", "once;q=kept@de-DE"] }
    #expect(try leader.request("GET", "/v1/tables/once;q=kept").text.contains("\"\(kept.cursor)\""))
    set.show("for those who wait")
    #expect(try leader.request("POST", "/v1/tables/once;q=kept/refresh").status < 300)
    let news = try poll.value()
    #expect(try news.status == 200 && news.json["reset"] == nil && news.text.contains("for those who wait"))
    // It is made again by the next who asks.
    #expect(try set.ready("once;q=idle", at: other).rows == ["1"])
  }

  /// The members of one that died are the next one's to remove.
  @Test func whatADeadReplicaHasLeftGoesToo() throws {
    let set = try MemberSet(2, instances: "{freezeAfter: 12s, dropAfter: 12s}")
    let (leader, other) = try set.leaderAndOther()
    _ = try set.ready("once;q=left", at: leader)
    leader.signal(SIGKILL)
    try awaited("another leader") { try other.metric("replica_leading") == 1 }
    try awaited("the member of the dead") {
      try other.metric("table_instances{table=\"once\",state=\"frozen\"}") == 1
    }
    #expect(try set.stored() == ["once;q=left", "once;q=left@de-DE"])
    try awaited("no member") { try set.stored() == [] }
  }

  @Test func ofTheClusterThereAreNoMoreMembersThanOneMayHave() throws {
    let set = try MemberSet(2, instances: "{max: 2}")
    let (leader, other) = try set.leaderAndOther()
    _ = try set.ready("once;q=a", at: leader)
    _ = try set.ready("once;q=b", at: other)
    var refusal: Reply?
    try awaited("a refusal") {
      refusal = try other.request("GET", "/v1/tables/once;q=c")
      #expect(try set.stored().count { !$0.contains("@") } <= 2)
      return refusal?.text.contains("instances.max") == true
    }
    #expect(refusal?.status == 503 && refusal?["Retry-After"] == "5")
    #expect(set.fetches("/once/c") == 0)
    // Those that there are go on.
    for replica in set.replicas { #expect(try set.ready("once;q=b", at: replica).rows == ["1"]) }
  }

  @Test func aNewerConfigurationLaysMembersOutAndRemovesThoseThatItHasNot() throws {
    let set = try MemberSet(1)
    let old = set.replicas[0]
    try awaited("a leader") { try old.metric("replica_leading") == 1 }
    let before = try set.ready("polled;q=a", at: old)
    _ = try set.ready("once;q=a", at: old)
    let newer = try set.add(generation: 1, title: "new ${title}", hasAll: false)
    let after = try old.follow("polled;q=a", from: before, until: "is laid out anew") {
      $0.row("1")?["payload"]?["title"] == "new first of /polled/a"
    }
    #expect(after.resets == [])
    #expect(
      try newer.follow("polled;q=a", from: before, until: "is laid out anew") { $0.cursor == after.cursor }.resets == []
    )
    try awaited("no member of the family that is gone") { try set.stored() == ["polled;q=a", "polled;q=a@de-DE"] }
    #expect(try newer.request("GET", "/v1/tables/once;q=a").status == 404)
  }
}
