import Foundation
import JSON
import TestSupport
import Testing

/// Members of one answer while their upstream fails, and another replica than before asks it.
@Suite(.serialized) struct MemberOutageTests {
  /// The replica that dies has laid an edit over the answer, through another member, and told it to the members with readers alone.
  @Test func aMemberThatMayLackAnEditIsNotShown() throws {
    let set = try MemberSet(2, instances: "{freezeAfter: 2s, dropAfter: 300s}")
    let (leader, other) = try set.leaderAndOther()
    let (read, unread) = ("shared;q=read", "shared;q=unread")
    for table in [read, unread] { _ = try set.ready(table, at: leader) }
    try awaited("a member that nobody reads") {
      for replica in set.replicas { _ = try set.ready(read, at: replica) }
      return try leader.metric("table_instances{table=\"shared\",state=\"frozen\"}") == 1
    }
    try set.leftWhole(unread)
    let edited: JSONValue = ["id": 1, "title": "edited"]
    set.upstream.script { .json($0.method == "GET" ? .array([edited]) : edited) }
    let answer = try leader.request("PATCH", "/v1/tables/\(read)/items/1", body: ["title": "edited"])
    #expect(answer.status == 200)
    #expect(try set.ready(read, at: other).row("1")?["payload"]?["title"] == "edited")
    try set.left(unread, "that has not the edit") { $0["sources"]?["shared"]?["tables"] == nil }
    set.upstream.answer(.status(500, "down"))
    leader.signal(SIGKILL)
    try awaited("another leader") {
      _ = try other.request("GET", "/v1/tables/\(read)")
      return try other.metric("replica_leading") == 1
    }
    for _ in 0..<3 {
      let reply = try other.request("GET", "/v1/tables/\(unread)")
      #expect(reply.status == 503 && reply.headers["retry-after"] != nil, "\(reply.text)")
    }
    let stale = try other.request("GET", "/v1/tables/\(read)").text
    #expect(stale.contains("edited"), "\(stale)")
    set.upstream.script { .json($0.method == "GET" ? .array([edited]) : edited) }
    #expect(try set.ready(unread, at: other).row("1")?["payload"]?["title"] == "edited")
  }

  /// The same where the replica ends well, with an edit that the upstream accepts while it shows nothing.
  @Test func aMemberThatLacksAnEditIsNotLeftAtAGoodEnd() throws {
    let set = try MemberSet(2, instances: "{freezeAfter: 2s, dropAfter: 300s}")
    let (leader, other) = try set.leaderAndOther()
    let (read, unread) = ("shared;q=read", "shared;q=unread")
    for table in [read, unread] { _ = try set.ready(table, at: leader) }
    try awaited("a member that nobody reads") {
      _ = try set.ready(read, at: leader)
      return try leader.metric("table_instances{table=\"shared\",state=\"frozen\"}") == 1
    }
    try set.leftWhole(unread)
    let edited: JSONValue = ["id": 1, "title": "edited"]
    set.upstream.script { $0.method == "GET" ? .status(500, "down") : .json(edited) }
    let answer = try leader.request("PATCH", "/v1/tables/\(read)/items/1", body: ["title": "edited"])
    #expect(answer.status == 200, "\(answer.text)")
    leader.signal(SIGTERM)
    try awaited("another leader") { try other.metric("replica_leading") == 1 }
    for _ in 0..<3 {
      let reply = try other.request("GET", "/v1/tables/\(unread)")
      #expect(reply.status == 503, "\(reply.text)")
    }
    set.upstream.script { .json($0.method == "GET" ? .array([edited]) : edited) }
    #expect(try set.ready(unread, at: other).row("1")?["payload"]?["title"] == "edited")
  }

  /// Nobody has read it at the replica that laid the edit, which has left nothing of it. It is as the replica before that one has left it.
  @Test func aMemberThatTheReplicaBeforeTheLastHasLeftIsNotShown() throws {
    let set = try MemberSet(3, instances: "{freezeAfter: 2s, dropAfter: 300s}")
    let (first, _) = try set.leaderAndOther()
    let (read, unread) = ("shared;q=read", "shared;q=unread")
    for table in [read, unread] { _ = try set.ready(table, at: first) }
    try set.leftWhole(unread)
    first.signal(SIGKILL)
    var left = set.replicas.filter { $0 !== first }
    try awaited("a second leader") { try left.contains { try $0.metric("replica_leading") == 1 } }
    let second = try #require(left.first { try $0.metric("replica_leading") == 1 })
    try awaited("a member that nobody reads there") {
      _ = try set.ready(read, at: second)
      return try second.metric("table_instances{table=\"shared\",state=\"frozen\"}") == 1
    }
    let edited: JSONValue = ["id": 1, "title": "edited"]
    set.upstream.script { .json($0.method == "GET" ? .array([edited]) : edited) }
    let answer = try second.request("PATCH", "/v1/tables/\(read)/items/1", body: ["title": "edited"])
    #expect(answer.status == 200, "\(answer.text)")
    set.upstream.answer(.status(500, "down"))
    second.signal(SIGKILL)
    left.removeAll { $0 === second }
    let third = left[0]
    try awaited("a third leader") { try third.metric("replica_leading") == 1 }
    for _ in 0..<5 {
      let reply = try third.request("GET", "/v1/tables/\(unread)")
      #expect(reply.status == 503, "\(reply.text)")
    }
    set.upstream.script { .json($0.method == "GET" ? .array([edited]) : edited) }
    #expect(try set.ready(unread, at: third).row("1")?["payload"]?["title"] == "edited")
  }

  /// The replica has ended well: as it has left them nothing is missing. Not from the first that is read at the next leader, and not from
  /// the others of the same answer; whoever reads them, and whoever is asked first. They say since when the upstream fails.
  @Test func membersThatAreAsTheyWereLeftAreShown() throws {
    let set = try MemberSet(3, instances: "{freezeAfter: 2s, dropAfter: 300s}")
    let (leader, _) = try set.leaderAndOther()
    let tables = ["a", "b", "c", "d", "e", "f"].map { "shared;q=\($0)" }
    let before = try tables.map { try set.ready($0, at: leader) }
    set.upstream.answer(.status(500, "down"))
    let since = try tables.map { table in
      try awaited("stale rows of \(table)") {
        let reply = try leader.request("GET", "/v1/tables/\(table)")
        return try reply.json["state"] == "stale"
      }
      return try #require(try leader.request("GET", "/v1/tables/\(table)").json["problem"]?["since"])
    }
    leader.signal(SIGTERM)
    let left = set.replicas.filter { $0 !== leader }
    try awaited("another leader") { try left.contains { try $0.metric("replica_leading") == 1 } }
    for round in 0..<2 {
      for (number, table) in tables.enumerated() {
        try awaited("stale rows of \(table), \(round)") {
          let reply = try left[(number + round) % 2].request("GET", "/v1/tables/\(table)")
          guard reply.status == 200 else { return false }
          #expect(try reply.json["problem"]?["since"] == since[number])
          return try reply.json["state"] == "stale" && TableMirror(reply.json).row("1") == before[number].row("1")
        }
      }
    }
  }

  /// One that was killed may have answered an edit since it has left a member.
  @Test func afterAKillMembersWaitForTheUpstream() throws {
    let set = try MemberSet(2, instances: "{freezeAfter: 2s, dropAfter: 300s}")
    let (leader, other) = try set.leaderAndOther()
    let before = try set.ready("shared;q=a", at: leader)
    try set.leftWhole("shared;q=a")
    set.upstream.answer(.status(500, "down"))
    leader.signal(SIGKILL)
    try awaited("another leader") { try other.metric("replica_leading") == 1 }
    for _ in 0..<3 { #expect(try other.request("GET", "/v1/tables/shared;q=a").status == 503) }
    set.upstream.script { .json([["id": 1, "title": .string("first of \($0.target)")]]) }
    #expect(try set.ready("shared;q=a", at: other).row("1") == before.row("1"))
  }
}
