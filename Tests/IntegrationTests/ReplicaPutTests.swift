import Foundation
import JSON
import TestSupport
import Testing

/// Identities that clients choose, at replicas.
@Suite(.serialized) struct ReplicaPutTests {
  private static let path = "/v1/tables/notes/items"

  /// Of several who add one item at once, at different replicas, one has added it.
  @Test func oneOfAllAddsAnItem() throws {
    let set = try ReplicaSet(3)
    for round in 0..<12 {
      let target = "\(Self.path)/row%20\(round)"
      let puts = (0..<6).map { number in
        let replica = set.replicas[number % 3]
        return Background("a put") {
          try replica.request("PUT", target, ["If-None-Match": "*"], body: ["title": .string("\(number)")])
        }
      }
      let replies = try puts.map { try $0.value() }
      let added = replies.indices.filter { replies[$0].status == 201 }
      #expect(added.count == 1 && replies.allSatisfy { [201, 412].contains($0.status) }, "\(replies.map(\.text))")
      // Whoever was refused knows that it is done: every replica has it.
      for replica in set.replicas {
        #expect(try replica.request("GET", target).json["title"] == .string("\(added.first ?? -1)"))
      }
    }
    try set.converge()
  }

  /// What one replica adds, another one replaces, patches, moves, removes and adds again; a third starts with it.
  @Test func itemsAreEditedAnywhere() throws {
    let set = try ReplicaSet(2)
    let ids = ["a", "\u{E9}", "e\u{301}", "x/y", "\u{200F}z"]
    for (number, id) in ids.enumerated() {
      let (one, other) = (set.replicas[number % 2], set.replicas[1 - number % 2])
      let target = "\(Self.path)/\(encoded(id))"
      #expect(try one.request("PUT", target, body: ["title": "1"]).status == 201)
      #expect(try other.request("PUT", target, ["If-None-Match": "*"], body: [:]).status == 412)
      #expect(try other.request("PUT", target, body: ["title": "2"]).status == 200)
      #expect(try one.request("PATCH", target, body: ["more": 3]).status == 200)
      #expect(try other.request("GET", target).json == ["title": "2", "more": 3])
      #expect(try other.request("POST", "\(target)/move", body: ["section": "main", "at": 0]).status == 200)
      #expect(try one.request("DELETE", target).status == 200)
      #expect(try other.request("GET", target).status == 404)
      #expect(try other.request("PUT", "\(target)?section=main&at=0", body: ["title": "3"]).status == 201)
    }
    let third = try set.add()
    try set.converge()
    for id in ids {
      #expect(try third.request("GET", "\(Self.path)/\(encoded(id))").json == ["title": "3"], "\(id)")
      #expect(try third.request("PUT", "\(Self.path)/\(encoded(id))", body: ["title": "4"]).status == 200)
    }
    #expect(try third.request("POST", Self.path, body: ["title": "n"]).json["id"]?.text.flatMap { Int($0) } ?? 0 > 2)
    try set.converge()
  }

  /// An edit that a follower forwards is shown by the replica that asks the upstream.
  @Test func aFollowersPutIsInItsAnswersVersion() throws {
    let set = try ReplicaSet(2)
    let items = Monitor<[JSONValue]>([ReplicaSet.item("first")])
    set.upstream.answer { request in
      guard request.method != "GET" else { return .json(.array(items.current)) }
      var item = (try? JSONValue(parsing: request.body)) ?? .null
      item["id"] = .string(String(request.target.split(separator: "/").last ?? ""))
      items.change { items in
        items.removeAll { $0["id"] == item["id"] }
        items.append(item)
      }
      return .reply(200, [:], item)
    }
    let edits = """
      kept:
        source: quiet
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        edits:
          insert: {method: PUT, url: "\(set.upstream.url)/quiet/${$id}", body: "${$edit}"}
          replace: {url: "\(set.upstream.url)/quiet/${$id}", body: "${$edit}"}
      """
    let more = edits.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    let replicas = try (0..<2).map { _ in try set.add(set.configuration(generation: 1) + "\n" + more) }
    for replica in replicas { try replica.follow("kept", until: "is ready") { $0.state == "ready" } }
    for (number, title) in ["A", "B", "C", "D"].enumerated() {
      let replica = replicas[number % 2]
      var mirror = try replica.mirror("kept")
      let reply = try replica.request("PUT", "/v1/tables/kept/items/k\(number / 2)", body: ["title": .string(title)])
      #expect(reply.status == (number % 2 == 0 ? 201 : 200), "\(reply.text)")
      try mirror.apply(replica.changes("kept", after: mirror.cursor))
      #expect(mirror.row("k\(number / 2)")?["payload"]?["title"] == .string(title), "\(number)")
    }
    // What one has added is there for the other, which may not have heard of it yet.
    for number in 0..<40 {
      let target = "/v1/tables/kept/items/n\(number)"
      let statuses = try [number % 2, 1 - number % 2].map { place in
        try replicas[place].request("PUT", target, ["If-None-Match": "*"], body: ["title": "new"]).status
      }
      #expect(statuses == [201, 412], "\(number)")
    }
  }

  /// All replicas have ended and started again: what the store has is not all that the upstream has, whichever of them is asked.
  @Test func unknownRowsAreForLaterAtEveryReplica() throws {
    let set = try ReplicaSet(0)
    let edits = """
        kept:
          source: list
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          edits:
            insert: {method: PUT, url: "\(set.upstream.url)/list/${$id}", body: "${$edit}"}
            replace: {url: "\(set.upstream.url)/list/${$id}", body: "${$edit}"}
            patch: {url: "\(set.upstream.url)/list/${$id}", body: "${$edit}"}
      """
    let configuration = set.configuration() + "\n" + edits
    let former = try set.add(configuration)
    try former.follow("kept", until: "has its row") { $0.rows == ["1"] }
    #expect(try former.end() == 0)
    set.upstream.script {
      $0.method == "GET" ? .status(500, "down") : .reply(200, [:], ["id": "two", "title": "Mine"])
    }
    let replicas = try (0..<2).map { _ in try set.add(configuration) }
    // What the former has asked counts until it is to be asked again.
    for replica in replicas {
      try replica.follow("kept", until: "has failed") { $0.state == "stale" && $0.rows == ["1"] }
    }
    try set.awaitOneLeader([1, 2])
    func statuses(_ replica: ServiceProcess) throws -> [Int] {
      let target = "/v1/tables/kept/items/two"
      let put = try replica.request("PUT", target, ["If-None-Match": "*"], body: ["title": "Mine"])
      let patch = try replica.request("PATCH", target, body: ["title": "Mine"])
      return [put.status, patch.status]
    }
    for replica in replicas { #expect(try statuses(replica) == [503, 503]) }
    #expect(set.upstream.requests.current.allSatisfy { $0.method == "GET" })
    set.upstream.answer { request in
      let items: JSONValue = [ReplicaSet.item("One"), ["id": "two", "title": "Theirs"]]
      return request.method == "GET" ? .json(items) : .reply(200, [:], ["id": "two", "title": "Mine"])
    }
    for replica in replicas {
      try awaited("the rows to be known") { try statuses(replica) != [503, 503] }
      #expect(try statuses(replica) == [412, 200])
      #expect(try replica.request("PATCH", "/v1/tables/kept/items/three", body: [:]).status == 404)
    }
  }
}
