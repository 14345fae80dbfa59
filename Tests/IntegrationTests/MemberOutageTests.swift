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

  /// As the replica that dies has left it nothing is missing.
  @Test func aMemberThatIsAsItWasLeftIsShown() throws {
    let set = try MemberSet(2, instances: "{freezeAfter: 2s, dropAfter: 300s}")
    let (leader, other) = try set.leaderAndOther()
    let before = try set.ready("shared;q=a", at: leader)
    try set.leftWhole("shared;q=a")
    set.upstream.answer(.status(500, "down"))
    leader.signal(SIGSTOP)
    try awaited("another leader") { try other.metric("replica_leading") == 1 }
    try awaited("stale rows") {
      let reply = try other.request("GET", "/v1/tables/shared;q=a")
      #expect(reply.status == 200, "\(reply.text)")
      return try reply.json["state"] == "stale" && TableMirror(reply.json).row("1") == before.row("1")
    }
    leader.signal(SIGCONT)
  }
}
