import Foundation
import JSON
import TestSupport
import Testing

/// Several processes that share a database show one feed.
@Suite(.serialized) struct ReplicaTests {
  @Test func replicasHaveTheSameCursorsAndBytes() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let (a, b) = (set.replicas[0], set.replicas[1])
    // A cursor of one is the other's, and so is the changeset from it.
    let before = try a.mirror("todo").cursor
    #expect(try a.request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 201)
    try set.converge()
    let changes = try set.replicas.map {
      try $0.request("GET", "/v1/tables/todo/changes?after=\(before)&wait=0").text
    }
    #expect(changes[0] == changes[1] && changes[0].contains("\"insert\""))
    // A row's object, too.
    try awaited("the object of an upstream's row on both") {
      try a.request("GET", "/v1/tables/up/items/1").text == b.request("GET", "/v1/tables/up/items/1").text
    }
  }

  @Test func anEditOnOneReachesAPollOnTheOther() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    var mirror = try set.replicas[1].mirror("todo")
    for index in 0..<5 {
      let poll = try set.replicas[1].poll("todo", after: mirror.cursor, wait: 50)
      try set.replicas[1].awaitPolls(1)
      let edit = try set.replicas[0].request("POST", "/v1/tables/todo/items", body: ["title": "edit"])
      #expect(edit.status == 201, "\(edit.text)")
      try mirror.apply(poll.value().json)
      #expect(mirror.rows.count == index + 2 && mirror.resets == [])
    }
    try mirror.check(equals: set.replicas[0].snapshot("todo"))
  }

  /// Each key is sent to both replicas at once, as by a client that has lost patience with one.
  @Test func concurrentKeyedEditsAreCarriedOutOnce() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let count = 25
    let senders = set.replicas.enumerated().flatMap { index, replica in
      (0..<2).map { lane in
        Background("edits") { [replica] in
          let client = try replica.client()
          var rows: [String: String] = [:]
          for number in 0..<count {
            let title = "\(lane)-\(number)"
            let body: JSONValue = ["title": .string(title)]
            let reply = try client.request("POST", "/v1/tables/todo/items", ["Idempotency-Key": title], body: body)
            guard reply.status == 201 else { throw TimeOut("\(index) \(title): \(reply.status) \(reply.text)") }
            rows[title] = try reply.json["id"]?.text
          }
          return rows
        }
      }
    }
    let answers = try senders.map { try $0.value() }
    try set.converge()
    let table = try set.replicas[0].mirror("todo")
    #expect(table.rows.count == 2 * count + 1)
    // Both were told of the same row.
    #expect(answers[0] == answers[2] && answers[1] == answers[3])
    let told = Set(answers.flatMap(\.values))
    #expect(told.count == 2 * count && told.isSubset(of: Set(table.rows)))
    // Two that come at once are in each other's way, sooner or later.
    try awaited("an edit that was laid out anew") {
      let edits = set.replicas.map { replica in
        Background("an edit") { [replica] in
          try replica.request("POST", "/v1/tables/todo/items", body: ["title": "more"]).status
        }
      }
      for edit in edits { #expect(try edit.value() == 201) }
      return try set.replicas.map { try $0.metric("replica_conflicts_total") }.reduce(0, +) > 0
    }
  }

  @Test func anIdempotencyKeyHoldsOnEveryReplica() throws {
    let set = try ReplicaSet(2)
    let key = ["Idempotency-Key": "once"]
    let replies = try set.replicas.map {
      try $0.request("POST", "/v1/tables/todo/items", key, body: ["title": "once"])
    }
    #expect(replies.map(\.status) == [201, 201])
    #expect(replies[0].text == replies[1].text)
    let other = try set.replicas[1].request("POST", "/v1/tables/todo/items", key, body: ["title": "another"])
    #expect(other.status == 422, "\(other.text)")
    try set.converge()
    #expect(try set.replicas[0].mirror("todo").rows.count == 2)
  }

  @Test func replicasThatStartAtOnceHaveOneFeed() throws {
    let set = try ReplicaSet(0)
    let starts = (0..<3).map { _ in
      Background("a start") { [configuration = set.configuration()] in try ServiceProcess(configuration) }
    }
    let replicas = try starts.map { try $0.value() }
    for table in ["up", "quiet", "notes", "todo"] {
      try awaited("the same \(table) on all replicas") {
        Set(try replicas.map { try $0.request("GET", "/v1/tables/\(table)").text }).count == 1
      }
    }
    #expect(try replicas[0].mirror("todo").rows.count == 1)
  }

  @Test func withoutTheDatabaseReadingGoesOn() throws {
    let server = try PostgresServer()
    let set = try ReplicaSet(2, on: server)
    try set.converge()
    let before = try set.replicas.map { try $0.mirror("todo") }
    server.kill()
    for (replica, mirror) in zip(set.replicas, before) {
      try mirror.check(equals: replica.snapshot("todo"))
      let edit = try replica.request("POST", "/v1/tables/todo/items", body: ["title": "lost"])
      #expect(edit.status == 503 && edit["Retry-After"] != "", "\(edit.text)")
      // What others write can't be seen: another replica that can is the better one to ask.
      let readiness = try replica.request("GET", "/readyz")
      #expect(readiness.status == 503 && readiness.text.contains("database"), "\(readiness.text)")
      try mirror.check(equals: replica.snapshot("todo"))
    }
    try server.start()
    for replica in set.replicas {
      try awaited("edits again") {
        // What is answered 503 may have been committed: with a key it is done once.
        let key = ["Idempotency-Key": "\(replica.port)"]
        return try replica.request("POST", "/v1/tables/todo/items", key, body: ["title": "back"]).status == 201
      }
    }
    try set.converge()
    for (replica, mirror) in zip(set.replicas, before) {
      #expect(try replica.follow("todo", from: mirror, until: "has both") { $0.rows.count == 3 }.resets == [])
    }
    set.upstream.answer([ReplicaSet.item("back")])
    try set.replicas[0].follow("up", until: "is fetched again") { $0.row("1")?["payload"]?["title"] == "back" }
  }

  /// Whoever asks a follower to fetch a source has it fetched by the one that asks the sources, and is shown it.
  @Test func aFollowerHasASourceRefreshed() throws {
    let set = try ReplicaSet(2)
    let follower = set.replicas[1 - (try set.leader())]
    let tables = ["up": "list", "quiet": "quiet", "named;q=a": "named"]
    for table in tables.keys { try follower.follow(table, until: "is ready") { $0.state == "ready" } }
    set.upstream.answer([ReplicaSet.item("refreshed")])
    for (table, source) in tables {
      let refresh = try follower.request("POST", "/v1/sources/\(source)/refresh")
      #expect(try refresh.status == 200 && refresh.json["id"]?.text == source, "\(refresh.text)")
      #expect(try follower.mirror(table).row("1")?["payload"]?["title"] == "refreshed", "\(table)")
    }
    // It goes on asking nothing itself, while the other one does.
    let count = set.upstream.requests.current.count
    try set.upstream.requests.wait(for: "some fetches") { $0.count > count + 5 ? true : nil }
    for source in try follower.request("GET", "/v1/sources").json["sources"]?.elements ?? [] {
      #expect(source["last"]?.elements.isEmpty == true && source["next"] == .null, "\(source)")
    }
    #expect(try follower.request("POST", "/v1/sources/none/refresh").status == 404)
  }

  @Test func aFollowerHasItRefreshed() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    let follower = set.replicas[1 - leader]
    try follower.follow("quiet", until: "is ready") { $0.state == "ready" }
    set.upstream.answer([ReplicaSet.item("refreshed")])
    let before = try follower.mirror("quiet")
    let refresh = try follower.request("POST", "/v1/tables/quiet/refresh")
    #expect(refresh.status == 202 || refresh.status == 200, "\(refresh.text)")
    try follower.follow("quiet", from: before, until: "is refreshed") {
      $0.row("1")?["payload"]?["title"] == "refreshed"
    }
    set.upstream.answer([ReplicaSet.item("hooked")])
    let body: JSONValue = ["changed": true]
    let signature = try hmac(ReplicaSet.secret, body)
    let hook = try follower.request(
      "POST",
      "/v1/hooks/quiet",
      ["X-Hub-Signature-256": "sha256=" + signature],
      body: body
    )
    #expect(hook.status == 202, "\(hook.text)")
    try follower.follow("quiet", until: "is hooked") { $0.row("1")?["payload"]?["title"] == "hooked" }
  }

  @Test func aViewFollowsItsClient() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let (a, b) = (set.replicas[0], set.replicas[1])
    var mirror = try a.mirror("notes", query: "?view=v")
    let rows = mirror.rows
    for (index, row) in [0, 1, 0].enumerated() {
      let (here, there) = index == 1 ? (b, a) : (a, b)
      let poll = try there.poll("notes", after: mirror.cursor, wait: 50, query: "&view=v")
      try there.awaitPolls(1)
      #expect(try here.request("POST", "/v1/tables/notes/rows/\(rows[row])/tap?view=v").status == 200)
      try mirror.apply(poll.value().json)
      #expect(mirror.resets == [])
      try mirror.check(equals: here.snapshot("notes", query: "?view=v"))
    }
    #expect(try mirror.cursor != a.mirror("notes").cursor)
    // One that has missed all of it knows it all the same, and so does whoever comes from there.
    let late = try set.add()
    #expect(try late.snapshot("notes", query: "?view=v") == a.snapshot("notes", query: "?view=v"))
    let tapped = try late.request("POST", "/v1/tables/notes/rows/\(rows[0])/tap?view=v")
    #expect(tapped.status == 200)
    try mirror.apply(a.changes("notes", after: mirror.cursor, wait: 50, query: "&view=v"))
    #expect(try mirror.resets == [] && mirror.cursor == tapped.json["cursor"]?.text)
  }

  /// A client that changes replicas is quicker than what they tell each other.
  @Test func aCursorOfOneReplicaIsReadByTheOther() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let clients = try set.replicas.map { try $0.client() }
    // The database is given a second to say where a table stands: on a machine that is slower than that, clients ask again.
    func timely(_ body: () throws -> Bool) throws -> Bool {
      for _ in 0..<20 {
        let begun = ContinuousClock.now
        if try body() { return true }
        if ContinuousClock.now - begun < .milliseconds(900) { return false }
      }
      return false
    }
    for number in 0..<100 {
      let (here, there) = (clients[number % 2], clients[1 - number % 2])
      let title = JSONValue.string("\(number)")
      let made = try here.request("POST", "/v1/tables/todo/items", body: ["title": title])
      let (cursor, row) = (
        try required(made.json["cursor"]?.text, "a cursor"), try required(made.json["id"]?.text, "a row")
      )
      switch number % 4 {
      case 0, 1:
        let isSeen = try timely {
          let poll = try there.request("GET", "/v1/tables/todo/changes?after=\(cursor)&wait=0").json
          #expect(poll["reset"] == nil)
          return poll["to"]?.text == cursor
        }
        #expect(isSeen)
      case 2: #expect(try timely { try there.request("GET", "/v1/tables/todo").text.contains("\"\(cursor)\"") })
      default:
        #expect(try timely { try there.request("GET", "/v1/tables/todo/items/\(row)").json["title"] == title })
      }
      let isPatched = try timely {
        let patch = try there.request(
          "PATCH",
          "/v1/tables/todo/items/\(row)",
          ["If-Match": "\"\(cursor)\""],
          body: ["title": "again"]
        )
        #expect(patch.status == 200 || patch.status == 503, "\(patch.text)")
        return patch.status == 200
      }
      #expect(isPatched)
    }
  }

  /// What is done before its answer can be kept: by one replica, whoever else is sent the same.
  @Test func aKeyedRequestIsDoneOnceWhereverItIsSent() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let note = try required(set.replicas[0].mirror("notes").rows.first, "a row")
    let cases: [(method: String, path: String, body: JSONValue?)] = [
      ("PATCH", "up/items/1", ["title": "patched"]), ("PATCH", "named;q=a/items/1", ["title": "patched"]),
      ("POST", "notes/rows/\(note)/tap?view=v", nil), ("POST", "open/rows/1/tap", nil),
    ]
    for replica in set.replicas { try replica.follow("named;q=a", until: "is ready") { $0.state == "ready" } }
    for (method, path, body) in cases {
      let before = set.upstream.requests.current.count { $0.method == "PATCH" }
      for key in ["1", "2", "3"] {
        let senders = set.replicas.map { replica in
          Background("a request") { [replica] in
            try ReplicaSet.settled(replica, method, "/v1/tables/\(path)", key: key, body: body)
          }
        }
        let replies =
          try senders.map { try $0.value() }
          + set.replicas.map { try ReplicaSet.settled($0, method, "/v1/tables/\(path)", key: key, body: body) }
        let cursors = try replies.map { try $0.json["cursor"]?.text }
        #expect(replies.allSatisfy { $0.status == 200 } && Set(cursors).count == 1, "\(path): \(replies.map(\.text))")
      }
      let sent = set.upstream.requests.current.count { $0.method == "PATCH" } - before
      #expect(sent == (method == "PATCH" ? 3 : 0), "\(path)")
    }
    let other = try set.replicas[1].request("POST", "/v1/tables/open/rows/2/tap", ["Idempotency-Key": "1"])
    #expect(other.status == 404, "\(other.text)")
    // Each was toggled three times.
    for (table, query) in [("notes", "?view=v"), ("open", "")] {
      try awaited("\(table) open on both") {
        try set.replicas.allSatisfy { try $0.mirror(table, query: query).rows.count > 0 }
          && Set(try set.replicas.map { try $0.request("GET", "/v1/tables/\(table)\(query)").text }).count == 1
      }
      let row = try set.replicas[0].mirror(table, query: query).row(table == "notes" ? note : "1")
      #expect(row?["payload"]?["isOpen"] == true, "\(table)")
    }
  }

  /// Two taps at once are counted one after the other, wherever they are sent.
  @Test func tapsOnTwoReplicasAreBothCounted() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let row = try required(set.replicas[0].mirror("notes").rows.first, "a row")
    let taps = 15
    let senders = set.replicas.enumerated().map { index, replica in
      Background("taps") { [replica] in
        try (0..<taps).map { number in
          let target = "/v1/tables/notes/rows/\(row)/tap?view=v"
          return try ReplicaSet.settled(replica, "POST", target, key: "\(index) \(number)").status
        }
      }
    }
    for sender in senders { #expect(try sender.value() == Array(repeating: 200, count: taps)) }
    let snapshots = try set.replicas.map { try $0.snapshot("notes", query: "?view=v") }
    #expect(snapshots[0] == snapshots[1])
    let cursor = try required(snapshots[0]["cursor"]?.text, "a cursor")
    #expect(cursor.split(separator: "~")[0].hasSuffix(".\(2 * taps)"), "\(cursor)")
  }

  @Test func aReplicaThatComesBackChangesNothing() throws {
    let set = try ReplicaSet(2)
    try set.converge()
    let tables = ["up", "quiet", "todo"]
    let leader = try set.leader()
    let before = try tables.map { try set.replicas[leader].request("GET", "/v1/tables/\($0)").text }
    try set.replicas[1 - leader].end()
    try set.add()
    try set.converge([leader, 2])
    #expect(try tables.map { try set.replicas[2].request("GET", "/v1/tables/\($0)").text } == before)
  }
}
