import Foundation
import JSON
import TestSupport
import Testing

/// A database that is set back to an older dump under services that run: what they hold is newer, and numbers that clients
/// have are not given to other contents.
@Suite(.serialized) struct RestoredDatabaseTests {
  private static func epoch(_ cursor: String) -> Substring { cursor.prefix { $0 != "." } }

  @Test func anOlderDatabaseBeginsNewEpochs() throws {
    let set = try ReplicaSet(2)
    try set.awaitOneLeader()
    func add(_ title: String, at replica: ServiceProcess) throws {
      try awaited("an edit: \(title)") {
        try replica.request(
          "POST",
          "/v1/tables/todo/items",
          ["Idempotency-Key": title],
          body: ["title": .string(title)]
        )
        .status == 201
      }
    }
    for number in 0..<3 { try add("kept \(number)", at: set.replicas[number % 2]) }
    try set.converge()
    let kept = try set.replicas[0].mirror("todo").titles
    let dump = try set.server.dump(set.address)
    for number in 0..<20 { try add("lost \(number)", at: set.replicas[number % 2]) }
    for number in 0..<3 {
      set.upstream.answer([ReplicaSet.item("lost \(number)")])
      for replica in set.replicas {
        try replica.follow("up", until: "shows it") { $0.titles == [["lost \(number)"]] }
      }
    }
    // This one is in no dump.
    for replica in set.replicas { try replica.follow("named;q=late", until: "is ready") { $0.state == "ready" } }
    try set.converge()
    let tables = ["todo", "up"]
    let before = try tables.map { try set.replicas[0].mirror($0).cursor }
    let waiting = try set.replicas.map { try $0.poll("todo", after: before[0], wait: 50) }
    for replica in set.replicas { try replica.awaitPolls(1) }

    try set.server.restore(dump, into: set.address)
    for replica in set.replicas {
      // Whoever asks for what there is now is shown what there is now.
      let shown = try replica.mirror("todo")
      #expect(shown.titles == kept && Self.epoch(shown.cursor) != Self.epoch(before[0]), "\(shown.titles)")
    }
    for (replica, poll) in zip(set.replicas, waiting) {
      // On a busy machine its time may have been over before.
      let first = try poll.value().json
      let reply = try first["to"]?.text == before[0] ? replica.changes("todo", after: before[0], wait: 50) : first
      #expect(reply["reset"] == "epoch", "\(reply)")
    }
    try add("after", at: set.replicas[0])
    try add("after, too", at: set.replicas[1])
    try set.converge()
    for replica in set.replicas {
      #expect(try replica.mirror("todo").titles.joined().count == kept.joined().count + 2)
      for (table, cursor) in zip(tables, before) {
        try awaited("another epoch of \(table)") { Self.epoch(try replica.mirror(table).cursor) != Self.epoch(cursor) }
        #expect(try replica.changes(table, after: cursor, wait: 0)["reset"] == "epoch")
      }
      let late = try replica.follow("named;q=late", until: "is ready") { $0.state == "ready" && $0.rows == ["1"] }
      #expect(late.titles == [["lost 2"]])
      #expect(try replica.request("GET", "/readyz").status == 200)
    }
    // A table that others have gone on with is edited and followed as ever.
    let poll = try set.replicas[1].poll("todo", after: set.replicas[1].mirror("todo").cursor, wait: 50)
    try add("followed", at: set.replicas[0])
    #expect(try poll.value().json["stages"]?.elements.count == 1)
  }

  /// They are not told that their time is over.
  @Test func clientsThatWaitForAMemberThatIsLostAreGivenTheNextOne() throws {
    let set = try ReplicaSet(2)
    try set.awaitOneLeader()
    set.upstream.answer([ReplicaSet.item("A")])
    let before = try set.replicas.map { replica in
      try replica.follow("named;q=a", until: "is ready") { $0.state == "ready" }.cursor
    }
    let polls = try zip(set.replicas, before).map { try $0.poll("named;q=a", after: $1, wait: 50) }
    for replica in set.replicas { try replica.awaitPolls(1) }
    _ = try set.server.ask("DELETE FROM tablecast.change; DELETE FROM tablecast.feed", in: set.address)
    for (replica, poll) in zip(set.replicas, polls) {
      // The replica that doesn't fetch may follow the other one's first version, which is loading.
      #expect(try poll.value().json["reset"] == "epoch")
      try replica.follow("named;q=a", until: "is ready") { $0.state == "ready" && $0.titles == [["A"]] }
    }
  }

  /// It is asked how the table stands before it is heard of.
  @Test func whoeverAsksNextIsShownWhatThereIs() throws {
    let set = try ReplicaSet(1)
    let service = set.replicas[0]
    let parts = ["feed", "change", "row", "item", "object", "toggle", "answer"]
    let session = try set.server.session(in: set.address)
    try session.ask("CREATE SCHEMA kept")
    for part in parts { try session.ask("CREATE TABLE kept.\(part) AS TABLE tablecast.\(part) WITH NO DATA") }
    let save = parts.map { "DELETE FROM kept.\($0); INSERT INTO kept.\($0) SELECT * FROM tablecast.\($0)" }
    let restore = parts.map {
      "DELETE FROM tablecast.\($0); INSERT INTO tablecast.\($0) OVERRIDING SYSTEM VALUE SELECT * FROM kept.\($0)"
    }
    let client = try service.client()
    for round in 0..<8 {
      let kept = try client.request("GET", "/v1/tables/todo").json
      try session.ask("BEGIN; \(save.joined(separator: "; ")); COMMIT")
      for number in 0..<3 {
        let title = JSONValue.string("lost \(number)")
        #expect(try client.request("POST", "/v1/tables/todo/items", body: ["title": title]).status == 201)
      }
      let lost = try required(client.request("GET", "/v1/tables/todo").json["cursor"]?.text, "a cursor")
      try session.ask("BEGIN; \(restore.joined(separator: "; ")); COMMIT")
      let shown = try client.request("GET", "/v1/tables/todo").json
      #expect(shown["sections"] == kept["sections"], "round \(round): \(shown)")
      #expect(shown["cursor"].map { Self.epoch($0.text ?? "") } != Self.epoch(lost), "round \(round)")
      #expect(try client.request("GET", "/v1/tables/todo/changes?after=\(lost)&wait=0").json["reset"] == "epoch")
    }
  }
}
