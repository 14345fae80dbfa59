import Foundation
import JSON
import TestSupport
import Testing

/// Replicas, and a family's member whose upstream doesn't answer in time: its first readers have no cursor that a replica
/// knows, so after they have waited for the upstream the database is looked at.
@Suite(.serialized) struct SlowMemberTests {
  @Test(arguments: ["changes?wait=1", "changes?wait=1&after=0123456789ab.7", "rows?at=0,0", "stream", ""])
  func itsFirstReadersAreAnswered(request: String) throws {
    let set = try ReplicaSet(1)
    try set.awaitOneLeader()
    set.upstream.answer { $0.target.contains("q=slow") ? .silence : .json([ReplicaSet.item("first")]) }
    let client = try set.replicas[0].client()
    try client.send("GET", "/v1/tables/named;q=slow" + (request.isEmpty ? "" : "/\(request)"))
    let reply = try client.receiveHead("an answer")
    // There is no row yet.
    let expected = request.hasPrefix("rows") ? [404, 503] : [200, 503]
    #expect(expected.contains(reply.status), "\(reply.status)")
    #expect(reply.status != 503 || reply["Retry-After"] != "")
    set.upstream.answer([ReplicaSet.item("first")])
  }
}
