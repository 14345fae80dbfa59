import Foundation
import JSON
import TestSupport
import Testing

/// What there may be of members in the cluster, whichever replicas are asked for them.
@Suite(.serialized) struct MemberLimitTests {
  /// A member's rows or a refusal, from a replica.
  private func ask(_ table: String, at replica: ServiceProcess, _ headers: [String: String] = [:]) throws -> Reply {
    var reply: Reply?
    try awaited("\(table), or why there is none") {
      let found = try replica.request("GET", "/v1/tables/\(table)", headers)
      reply = found
      // It is on its way from one replica to the other.
      if found.status == 503 { return found.text.contains("maxBytes") }
      return try found.status == 200 && TableMirror(found.json).state == "ready"
    }
    return try required(reply, "a reply")
  }

  @Test func whatMembersHoldIsBoundInTheCluster() throws {
    let set = try MemberSet(3, instances: "{maxBytes: 3MB}")
    let rows = (0..<150).map { number in
      ["id": .integer(Int64(number)), "title": .string(String(repeating: "x", count: 500))] as JSONValue
    }
    set.upstream.answer(.json(.array(rows)))
    try awaited("a leader") { try set.replicas.contains { try $0.metric("replica_leading") == 1 } }
    var refused: [String] = []
    var followed: [(table: String, replica: ServiceProcess, mirror: TableMirror, poll: Background<Reply>)] = []
    for number in 0..<12 {
      let (table, replica) = ("once;q=\(number)", set.replicas[number % 3])
      let reply = try ask(table, at: replica)
      // It may outgrow what is left with its second language.
      let second = reply.status == 200 ? try ask(table, at: replica, ["Accept-Language": "de-DE"]) : reply
      guard second.status == 200 else {
        #expect(second["Retry-After"] == "5")
        refused.append(table)
        continue
      }
      let mirror = try TableMirror(reply.json)
      followed.append((table, replica, mirror, try replica.poll(table, after: mirror.cursor)))
      try replica.awaitPolls(followed.count { $0.replica === replica })
      // What is heard of this one was said after that.
      let refresh = try replica.request("POST", "/v1/tables/\(table)/refresh")
      #expect(refresh.status / 100 == 2, "\(table): \(refresh.text)")
    }
    let accepted = Set(followed.map(\.table))
    #expect(accepted.count >= 3 && refused.count >= 3, "\(accepted) \(refused)")
    // What was refused is nowhere; what was accepted is everywhere, and is held by the replica that asks the sources.
    try awaited("what is stored") { try Set(set.stored().filter { !$0.contains("@") }) == accepted }
    for replica in set.replicas {
      for table in accepted { #expect(try set.ready(table, at: replica).rows.count == 150) }
      let held = try replica.metric("table_instance_bytes{table=\"once\"}")
      #expect(held <= 3 << 20)
    }
    #expect(try Set(set.stored().filter { !$0.contains("@") }) == accepted)
    // Those that are followed go on.
    set.show("small")
    for (table, replica, mirror, poll) in followed {
      #expect(try replica.request("POST", "/v1/tables/\(table)/refresh").status / 100 == 2)
      #expect(try poll.value().status == 200)
      let after = try replica.follow(table, from: mirror, until: "is small") { $0.rows == ["1"] }
      #expect(after.resets.allSatisfy { $0 == "large" }, "\(table): \(after.resets)")
    }
    // Nobody waits for what they held: others find room.
    for replica in set.replicas {
      let table = try required(refused.popLast(), "a table that was refused")
      #expect(try set.ready(table, at: replica).rows == ["1"])
    }
  }
}
