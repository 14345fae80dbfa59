import Foundation
import JSON
import TestSupport
import Testing

/// Edits of an upstream's items, and refreshes, at replicas of which one alone asks the upstream.
@Suite(.serialized) struct ReplicaEditTests {
  /// An upstream that keeps the list that `quiet` shows.
  private final class Keeper: Sendable {
    let items = Monitor<[JSONValue]>([ReplicaSet.item("first")])
    /// Its list can't be had.
    let isFailing = Monitor(false)
    /// It says nothing of what it has added.
    let isMute = Monitor(false)
    /// It answers no change of an item before it is told to.
    private let isHolding = Monitor(false)
    /// It refuses each change of an item.
    let isRefusing = Monitor(false)
    private let script: @Sendable (ScriptedUpstream.Request) -> ScriptedUpstream.Answer

    init(_ set: ReplicaSet) {
      script = { [items, isFailing, isMute, isHolding, isRefusing] request in
        if request.method == "PATCH", isHolding.current { return .silence }
        if request.method == "PATCH", isRefusing.current { return .status(409, "{}") }
        let path = request.target.split(separator: "/").map(String.init)
        if request.method == "GET" {
          return isFailing.current ? .status(500, "{}") : .json(.array(items.current))
        }
        let body = (try? JSONValue(parsing: request.body)) ?? .null
        return items.change { items -> ScriptedUpstream.Answer in
          if request.method == "POST", path.count == 1 {
            let item: JSONValue = ["id": .integer(Int64(items.count + 10)), "title": body["title"] ?? .null]
            items.append(item)
            return .reply(201, [:], isMute.current ? [:] : item)
          }
          guard let index = items.firstIndex(where: { $0["id"]?.number == Int(path[1]) }) else {
            return .status(404, "{}")
          }
          switch request.method {
          case "DELETE":
            items.remove(at: index)
            return .reply(200, [:], [:])
          case "PUT":
            let item = items.remove(at: index)
            items.insert(item, at: body["at"]?.number ?? 0)
            return .reply(200, [:], [:])
          case "POST": items[index]["title"] = "marked"
          default: items[index]["title"] = body["title"]
          }
          return .json(items[index])
        }
      }
      set.upstream.answer(by: script)
    }

    func holdChanges() { isHolding.change { $0 = true } }

    func releaseChanges(_ set: ReplicaSet) {
      isHolding.change { $0 = false }
      // Whoever is silent looks at the script once more.
      set.upstream.answer(by: script)
    }
  }

  private static func sent(_ set: ReplicaSet) -> Int { set.upstream.requests.current.count { $0.method != "GET" } }

  /// Whoever has not mapped the items knows their own names, too.
  @Test func anItemInSeveralSectionsIsNamedAsTheUpstreamDoes() throws {
    let set = try ReplicaSet(2)
    let keeper = Keeper(set)
    for replica in set.replicas {
      let title = JSONValue.string("by \(replica.port)")
      try replica.follow("twice", until: "is ready") { $0.rows == ["1", "1@again"] }
      let reply = try replica.request("PATCH", "/v1/tables/twice/items/1@again", body: ["title": title])
      #expect(reply.status == 200, "\(reply.text)")
      #expect(set.upstream.requests.current.last { $0.method == "PATCH" }?.target == "/quiet/1")
      #expect(keeper.items.current.first?["title"] == title)
    }
  }

  /// Also one whose result only the answer to the edit can tell, as the list can't be had.
  @Test(arguments: [false, true])
  func anAnswerIsOfAVersionWithTheEdit(isListFailing: Bool) throws {
    let set = try ReplicaSet(2)
    let keeper = Keeper(set)
    let leader = try set.leader()
    // What is shown is what this leader has fetched.
    #expect(try set.replicas[leader].request("POST", "/v1/tables/quiet/refresh").status == 200)
    try set.converge()
    keeper.isFailing.change { $0 = isListFailing }
    let path = "/v1/tables/quiet/items"
    let edits: [(method: String, target: String, body: JSONValue?, rows: [String], titles: [String])] = [
      ("POST", path, ["title": "new"], ["1", "11"], ["first", "new"]),
      ("PATCH", path + "/1", ["title": "patched"], ["1", "11"], ["patched", "new"]),
      ("PATCH", path + "/11", ["title": "again"], ["1", "11"], ["patched", "again"]),
      ("POST", path + "/11/move", ["before": "1"], ["11", "1"], ["again", "patched"]),
      ("POST", "/v1/tables/quiet/rows/1/actions/mark", nil, ["11", "1"], ["again", "marked"]),
      ("DELETE", path + "/11", nil, ["1"], ["marked"]),
    ]
    let follower = set.replicas[1 - leader]
    var mirror = try follower.mirror("quiet")
    for (number, edit) in edits.enumerated() {
      let before = mirror.cursor
      let reply = try follower.request(edit.method, edit.target, body: edit.body)
      #expect(reply.status == (number == 0 ? 201 : 200), "\(reply.text)")
      let (cursor, row) = (try reply.json["cursor"]?.text, try reply.json["id"]?.text)
      #expect(cursor != before, "\(edit.method) \(edit.target)")
      #expect(row == (number == 0 || number == 2 || number == 3 || number == 5 ? "11" : "1"))
      if number == 0 { #expect(reply["Location"] == path + "/11") }
      mirror = try follower.mirror("quiet")
      #expect(mirror.rows == edit.rows && mirror.titles == [edit.titles], "\(edit.method) \(edit.target)")
    }
    #expect(mirror.resets == [] && Self.sent(set) == edits.count)
    #expect(try set.replicas[leader].mirror("quiet").titles == [["marked"]])
  }

  /// Of edits that name one version, through whichever replica, one is sent: the others would be built on what it changes.
  @Test func ofEditsOfOneVersionOneIsSent() throws {
    let set = try ReplicaSet(3)
    let keeper = Keeper(set)
    let leader = try set.leader()
    #expect(try set.replicas[leader].request("POST", "/v1/tables/quiet/refresh").status == 200)
    try set.converge()
    let path = "/v1/tables/quiet/items/1"
    let first = try set.replicas[0].mirror("quiet").cursor
    keeper.holdChanges()
    let answered = Monitor(0)
    let edits = (0..<6).map { number in
      Background("edit \(number)") { [replica = set.replicas[number % 3]] in
        defer { answered.change { $0 += 1 } }
        let body: JSONValue = ["title": .string("by \(number)")]
        let terms = ["If-Match": "\"\(first)\""]
        return try ReplicaSet.settled(replica, "PATCH", path, key: "edit \(number)", terms, body: body)
      }
    }
    try awaited("all are sent or answered") { answered.current + Self.sent(set) >= 6 }
    #expect(Self.sent(set) == 1)
    keeper.releaseChanges(set)
    let replies = try edits.map { try $0.value() }
    #expect(replies.map(\.status).sorted() == [200, 412, 412, 412, 412, 412], "\(replies.map(\.text))")
    #expect(Self.sent(set) == 1)
    // The next one has its turn at once, at each replica.
    var cursor = try replies.first { $0.status == 200 }?.json["cursor"]?.text ?? first
    for (number, replica) in set.replicas.enumerated() {
      let body: JSONValue = ["title": .string("next \(number)")]
      let late = ["If-Match": "\"\(first)\""]
      #expect(try ReplicaSet.settled(replica, "PATCH", path, key: "late \(number)", late, body: body).status == 412)
      let terms = ["If-Match": "\"\(cursor)\""]
      let reply = try ReplicaSet.settled(replica, "PATCH", path, key: "next \(number)", terms, body: body)
      #expect(reply.status == 200, "\(reply.text)")
      cursor = try reply.json["cursor"]?.text ?? cursor
    }
    #expect(Self.sent(set) == 4 && keeper.items.current.first?["title"] == "next 2")
  }

  /// A refused edit keeps no other one from being sent, through whichever replica.
  @Test func aRefusedEditGivesItsTurnBack() throws {
    let set = try ReplicaSet(2)
    let keeper = Keeper(set)
    let leader = try set.leader()
    #expect(try set.replicas[leader].request("POST", "/v1/tables/quiet/refresh").status == 200)
    try set.converge()
    let cursor = try set.replicas[0].mirror("quiet").cursor
    let terms = ["If-Match": "\"\(cursor)\""]
    let path = "/v1/tables/quiet/items/1"
    keeper.isRefusing.change { $0 = true }
    for (number, replica) in set.replicas.enumerated() {
      let body: JSONValue = ["title": .string("refused \(number)")]
      let reply = try ReplicaSet.settled(replica, "PATCH", path, key: "refused \(number)", terms, body: body)
      #expect(reply.status == 409, "\(reply.text)")
    }
    keeper.isRefusing.change { $0 = false }
    let reply = try ReplicaSet.settled(set.replicas[0], "PATCH", path, key: "taken", terms, body: ["title": "taken"])
    #expect(reply.status == 200, "\(reply.text)")
    #expect(Self.sent(set) == 3)
  }

  /// What is too long for what replicas say to each other is found by fetching.
  @Test func aLongEditIsShown() throws {
    let set = try ReplicaSet(2)
    let keeper = Keeper(set)
    let follower = set.replicas[1 - (try set.leader())]
    let title = String(repeating: "é", count: 5000)
    let before = try follower.mirror("quiet").cursor
    let reply = try follower.request("POST", "/v1/tables/quiet/items", body: ["title": .string(title)])
    #expect(try reply.status == 201 && reply.json["id"] == "11" && reply.json["cursor"]?.text != before)
    #expect(try follower.mirror("quiet").titles == [["first", title]])
    #expect(keeper.items.current.count == 2)
  }

  /// Of edits whose result only the list can tell, as the answer says nothing or they are too long to be told the replica that asks: as
  /// long as that can't be had they are not answered as shown.
  @Test func whatOnlyTheListTellsIsAnsweredWhenItDoes() throws {
    let set = try ReplicaSet(2)
    let keeper = Keeper(set)
    let leader = try set.leader()
    #expect(try set.replicas[leader].request("POST", "/v1/tables/quiet/refresh").status == 200)
    try set.converge()
    let fetches = { set.upstream.requests.current.count { $0.method == "GET" } }
    let long = String(repeating: "x", count: 5000)
    let edits: [(replica: ServiceProcess, method: String, row: String, title: String)] = [
      (set.replicas[leader], "POST", "", "short"), (set.replicas[1 - leader], "PATCH", "/1", long),
    ]
    for (replica, method, row, title) in edits {
      for isBack in [true, false] {
        let path = "/v1/tables/quiet/items" + row
        let text = isBack ? title : title + "!"
        let before = fetches()
        keeper.isMute.change { $0 = method == "POST" }
        keeper.isFailing.change { $0 = true }
        let sent = Background("an edit") { try replica.request(method, path, body: ["title": .string(text)]) }
        try awaited("it is fetched twice") { fetches() > before + 1 }
        if isBack { keeper.isFailing.change { $0 = false } }
        let reply = try sent.value(seconds: 30)
        #expect(reply.status == (!isBack ? 504 : method == "POST" ? 201 : 200), "\(reply.text)")
        keeper.isFailing.change { $0 = false }
        if !isBack { #expect(try replica.request("POST", "/v1/tables/quiet/refresh").status == 200) }
        for replica in set.replicas { #expect(try replica.mirror("quiet").titles[0].contains(text)) }
      }
    }
    #expect(Self.sent(set) == 4)
  }

  @Test func withoutTheDatabaseNothingIsSent() throws {
    let server = try PostgresServer()
    let set = try ReplicaSet(2, on: server)
    let keeper = Keeper(set)
    _ = try set.leader()
    try set.converge()
    server.kill()
    let path = "/v1/tables/quiet"
    let requests: [(method: String, target: String, body: JSONValue?)] = [
      ("POST", path + "/items", ["title": "new"]), ("PATCH", path + "/items/1", ["title": "patched"]),
      ("POST", path + "/rows/1/actions/mark", nil), ("POST", path + "/refresh", nil),
    ]
    for replica in set.replicas {
      for (method, target, body) in requests {
        let reply = try replica.request(method, target, body: body)
        #expect(reply.status == 503 && reply["Retry-After"] != "", "\(method) \(target): \(reply.text)")
      }
    }
    #expect(Self.sent(set) == 0 && keeper.items.current == [ReplicaSet.item("first")])
    try server.start()
    for (number, replica) in set.replicas.enumerated() {
      try awaited("edits again") {
        try replica.request("PATCH", path + "/items/1", body: ["title": .string("back \(number)")]).status == 200
      }
      #expect(try replica.mirror("quiet").titles == [["back \(number)"]])
    }
  }

  /// The upstream has said it once and will not again: the database is away for less than a lease lasts, so nobody asks anew.
  @Test func whatASourceSaidIsStoredWhenTheDatabaseIsBack() throws {
    let set = try ReplicaSet(2)
    let leader = set.replicas[try set.leader()]
    try set.converge()
    let database = try required(set.address.components(separatedBy: "dbname=").last, "a name")
    let other = set.server.address(of: "postgres")
    try set.server.ask("ALTER DATABASE \(database) ALLOW_CONNECTIONS false", in: other)
    try set.server.ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'",
      in: other
    )
    set.upstream.answer([ReplicaSet.item("hooked")])
    let body: JSONValue = ["changed": true]
    let signature = "sha256=" + (try hmac(ReplicaSet.secret, body))
    let hook = try leader.request("POST", "/v1/hooks/quiet", ["X-Hub-Signature-256": signature], body: body)
    #expect(hook.status == 202, "\(hook.text)")
    try leader.logged("A change could not be stored")
    try set.server.ask("ALTER DATABASE \(database) ALLOW_CONNECTIONS true", in: other)
    for replica in set.replicas {
      try replica.follow("quiet", until: "is hooked") { $0.row("1")?["payload"]?["title"] == "hooked" }
    }
  }

  @Test func aRefreshIsAnsweredWithWhatItFetched() throws {
    let set = try ReplicaSet(2)
    let leader = try set.leader()
    try set.converge()
    for round in 0..<10 {
      let replica = set.replicas[round == 0 ? leader : 1 - leader]
      for table in ["quiet", "named;q=a"] {
        let before = try replica.follow(table, until: "is ready") { $0.state == "ready" }
        let title = "\(table) \(round)"
        set.upstream.answer([ReplicaSet.item(title)])
        let reply = try replica.request("POST", "/v1/tables/\(table)/refresh")
        #expect(try reply.status == 200 && reply.json["cursor"]?.text != before.cursor, "\(reply.text)")
        let mirror = try replica.mirror(table)
        #expect(try mirror.titles == [[title]] && reply.json["cursor"]?.text == mirror.cursor)
      }
    }
  }

  /// As a repacking or a change of the schema does.
  @Test func aLockedTableIsNoError() throws {
    let set = try ReplicaSet(1)
    try set.converge()
    let session = try set.server.session(in: set.address)
    try session.ask("BEGIN; LOCK TABLE tablecast.feed IN ACCESS EXCLUSIVE MODE")
    let refused = try set.replicas[0].request("POST", "/v1/tables/todo/items", body: ["title": "B"])
    #expect(refused.status == 503 && refused["Retry-After"] != "", "\(refused.text)")
    try session.ask("ROLLBACK")
    try awaited("edits again") {
      try set.replicas[0].request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 201
    }
    #expect(try set.replicas[0].mirror("todo").rows.count == 2)
  }
}
