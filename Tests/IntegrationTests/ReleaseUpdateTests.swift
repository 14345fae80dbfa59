import Foundation
import JSON
import TestSupport
import Testing

/// Replicas of two releases, one of which makes digests of configurations otherwise.
@Suite(.serialized) struct ReleaseUpdateTests {
  /// The older release asks the sources, and says which configuration it has, by a digest that this one can't compare.
  @Test func anotherReleasesDigestIsNoConflict() throws {
    let set = try ReplicaSet(1)
    try set.awaitOneLeader()
    // What the sources have said is in the database: the newer one asks none of them.
    try awaited("the first one's tables") { try set.replicas[0].request("GET", "/readyz").status == 200 }
    #expect(try set.replicas[0].end() == 0)
    let lease = """
      UPDATE tablecast.lease SET holder = 'older', term = term + 1, legacy = '0 9f86d081884c7d659a2feaa0c55ad015',
      expires = clock_timestamp() + interval '20 s'
      """
    try set.server.ask(lease, in: set.address)
    let newer = try set.add()
    try awaited("what is stored") { try newer.request("GET", "/readyz").status == 200 }
    let digits = "0 9f86d081884c7d659a2feaa0c55ad015".utf8.map { String($0, radix: 16) }.joined()
    let name = "leading".utf8.map { String($0, radix: 16) }.joined()
    for _ in 0..<20 {
      try set.server.ask("SELECT pg_notify('tablecast', 's \(name) \(digits)')", in: set.address)
      let ready = try newer.request("GET", "/readyz")
      #expect(ready.status == 200, "\(ready.text)")
      #expect(try newer.request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 201)
    }
    // It is gone: the newer one asks, and says what it has by its own method.
    try set.server.ask("UPDATE tablecast.lease SET expires = clock_timestamp()", in: set.address)
    try awaited("the newer one asks the sources") { try newer.metric("replica_leading") == 1 }
    try awaited("its own digest beside the lease") {
      try set.server.ask("SELECT convert_from(legacy, 'UTF8') FROM tablecast.lease", in: set.address).hasPrefix("0 3.")
    }
    #expect(!newer.log.current.contains { $0.contains("stays unready") })
    // Within a method the first one counts, as ever.
    let other = try set.add(title: "other ${title}")
    try awaited("a replica that stays unready") { try other.request("GET", "/readyz").status == 503 }
    #expect(try newer.request("GET", "/readyz").status == 200)
  }
}
