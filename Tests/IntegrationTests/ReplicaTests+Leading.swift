import Foundation
import JSON
import TestSupport
import Testing

/// Who asks the sources, and whose configuration counts.
extension ReplicaTests {
  @Test func whenTheLeaderDiesAnotherAsksTheSources() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    let other = set.replicas[1 - leader]
    let before = try other.mirror("up")
    set.replicas[leader].signal(SIGKILL)
    set.upstream.answer([ReplicaSet.item("after")])
    let mirror = try other.follow("up", from: before, until: "shows what came after") {
      $0.row("1")?["payload"]?["title"] == "after"
    }
    #expect(mirror.resets == [])
    try set.awaitOneLeader([1 - leader])
  }

  @Test func onAnOrderlyStopAnotherAsksAtOnce() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    #expect(try set.replicas[leader].end() == 0)
    try set.replicas[1 - leader].logged("This replica asks the sources")
  }

  /// It has an answer of the upstream in its hands when it is stopped, and wakes when that is old.
  @Test func aLeaderThatWakesWritesNothing() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    let (paused, other) = (set.replicas[leader], set.replicas[1 - leader])
    let before = try other.mirror("up")
    let count = set.upstream.requests.current.count
    let arrived = Monitor(false)
    set.upstream.answer { _ in
      arrived.change { $0 = true }
      return .late(1, [ReplicaSet.item("old")])
    }
    try set.upstream.requests.wait(for: "a request of the leader") { $0.count > count ? true : nil }
    try arrived.wait(for: "its answer under way") { $0 ? true : nil }
    paused.signal(SIGSTOP)
    set.upstream.answer([ReplicaSet.item("new")])
    let mirror = try other.follow("up", from: before, until: "shows what is new") { mirror in
      #expect(mirror.row("1")?["payload"]?["title"] != "old")
      return mirror.row("1")?["payload"]?["title"] == "new"
    }
    paused.signal(SIGCONT)
    try set.awaitOneLeader()
    try set.converge()
    #expect(try other.mirror("up").cursor == mirror.cursor)
  }

  /// Also one that has led before asks the sources again.
  @Test func theLeadGoesToAndFro() throws {
    let set = try ReplicaSet(2)
    for round in 0..<3 {
      let leader = try set.leader()
      let other = set.replicas[1 - leader]
      set.replicas[leader].signal(SIGSTOP)
      try awaited("another leader") { try other.metric("replica_leading") == 1 }
      set.replicas[leader].signal(SIGCONT)
      set.upstream.answer([ReplicaSet.item("round \(round)")])
      try other.follow("up", until: "shows round \(round)") {
        $0.row("1")?["payload"]?["title"] == .string("round \(round)")
      }
    }
    try set.converge()
  }

  @Test func theHigherGenerationCounts() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let before = try set.replicas[0].mirror("todo")
    let newer = try set.add(generation: 1, title: "new ${title}")
    let mirror = try set.replicas[0].follow("todo", from: before, until: "is laid out anew") {
      $0.sections[0].rows[0]["payload"]?["title"] == "new A"
    }
    #expect(mirror.resets == [])
    try awaited("the newer one asks the sources") { try newer.metric("replica_leading") == 1 }
    try set.converge()
    // What lays the table out anew may be seen before who did that is heard of.
    try awaited("an older one that knows itself outranked") {
      try set.replicas[0].request("DELETE", "/v1/tables/todo/items/none").status == 503
    }
    // The others follow, and don't write.
    #expect(try set.replicas[0].request("GET", "/readyz").status == 200)
    let refused = try set.replicas[0].request("POST", "/v1/tables/todo/items", body: ["title": "B"])
    #expect(refused.status == 503 && refused["Retry-After"] != "", "\(refused.text)")
    #expect(try newer.request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 201)
    try set.converge()
    // One of the old generation that comes back late knows before it is asked.
    let late = try set.add()
    #expect(try late.request("POST", "/v1/tables/todo/items", body: ["title": "C"]).status == 503)
    try set.converge()
    // Those of before lead no more, even where nobody else does.
    try newer.end()
    let follow = try set.replicas[0].metric("replica_leading") + set.replicas[1].metric("replica_leading")
    #expect(follow == 0)
    #expect(try late.request("POST", "/v1/tables/todo/items", body: ["title": "C"]).status == 503)
    #expect(try late.mirror("todo").rows.count == 2)
  }

  @Test func ofOneGenerationTheFirstConfigurationCounts() throws {
    let set = try ReplicaSet(1)
    try set.replicas[0].logged("This replica asks the sources")
    let before = try set.replicas[0].snapshot("todo")
    let other = try set.add(title: "other ${title}")
    try awaited("a replica that stays unready") { try other.request("GET", "/readyz").status == 503 }
    #expect(try other.request("GET", "/readyz").text.contains("generation"))
    #expect(try set.replicas[0].request("GET", "/readyz").status == 200)
    #expect(try set.replicas[0].snapshot("todo") == before)
    #expect(try other.snapshot("todo") == before)
  }
}
