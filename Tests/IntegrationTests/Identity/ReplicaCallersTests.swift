import Foundation
import JSON
import TestSupport
import Testing

/// Members that depend on claims are the cluster's: one fetch, and cursors that every replica goes on from.
@Suite(.serialized) struct ReplicaCallersTests {
  /// Two replicas over one list, with an issuer.
  private struct Pair {
    let issuer: Issuer
    let upstream: ScriptedUpstream
    let server: PostgresServer
    let address: String
    let replicas: [ServiceProcess]

    init() throws {
      (issuer, upstream) = (try Issuer(), try ScriptedUpstream { _ in .json(Self.items("first")) })
      server = try PostgresServer.shared.get()
      address = try server.newDatabase()
      let configuration = """
        store: {postgres: "\(address)"}
        locales: [en-US, de-DE]
        auth:
          jwt: \(issuer.configuration(", allow: {edit: true}"))
        cells: {Note: {fields: {title: string, isOpen: boolean}, expands: isOpen}}
        sources:
          list: {url: "\(upstream.url)/list", every: 300ms, retries: 0}
          once: {url: "\(upstream.url)/once/${$caller.claims.sub}", every: 0s, retries: 0}
        tables:
          shown:
            source: list
            row: {id: "${id}"}
            cell: Note
            payload: {title: "${owner} ${title}", isOpen: false}
            sections: [{id: mine, where: owner == $caller.claims.sub}]
          opened:
            source: list
            row: {id: "${id}"}
            cell: Note
            payload: {title: "${title}", isOpen: false}
            sharedTaps: true
            sections: [{id: mine, where: owner == $caller.claims.sub}]
          own:
            source: once
            row: {id: "${id}"}
            cell: Note
            payload: {title: "${title}", isOpen: false}
            can: {edit: "$caller.claims.roles != null"}
            edits: {patch: {url: "\(upstream.url)/once/${$id}", body: "${$edit}"}}
          named:
            source: list
            row: {id: "${id}"}
            cell: Note
            payload: {title: "${title}", isOpen: false}
            sections: [{id: mine, where: owner == $caller.claims.sub}]
            edits: {insert: {method: PUT, url: "\(upstream.url)/list/${$id}", body: "${$edit}"}}
          header:
            source: list
            row: {id: "${id}"}
            cell: Note
            payload: {title: "${title}", isOpen: false}
            sections: [{id: mine, where: "owner == $caller.headers['X-User']"}]
        """
      replicas = [try ServiceProcess(configuration), try ServiceProcess(configuration)]
    }

    static func items(_ title: String) -> JSONValue {
      .array(["zoe", "bob"].map { ["id": .string("of-\($0)"), "owner": .string($0), "title": .string(title)] })
    }

    func show(_ title: String) { upstream.answer { _ in .json(Self.items(title)) } }

    func leaderAndOther() throws -> (leader: ServiceProcess, other: ServiceProcess) {
      var leader: Int?
      try awaited("a replica that asks the sources") {
        leader = try replicas.firstIndex { try $0.metric("replica_leading") == 1 }
        return leader != nil
      }
      let index = try required(leader, "a leader")
      return (replicas[index], replicas[1 - index])
    }

    func ready(_ table: String, at replica: ServiceProcess, _ headers: [String: String]) throws -> TableMirror {
      var mirror: TableMirror?
      try awaited("\(table) is ready") {
        let reply = try replica.request("GET", "/v1/tables/\(table)", headers)
        guard reply.status != 503 else { return false }
        mirror = try TableMirror(reply.json)
        return mirror?.state == "ready"
      }
      return try required(mirror, "a mirror")
    }

    func fetches(_ path: String) -> Int { upstream.requests.current.count { $0.target == path } }

    func stored() throws -> [String] {
      try server.ask("SELECT convert_from(name, 'UTF8') FROM tablecast.feed ORDER BY 1", in: address)
        .split(separator: "\n").map(String.init).filter { $0.contains(";") }
    }
  }

  @Test(arguments: ["en-US", "de-DE"]) func aCallersCursorIsReadByEveryReplica(_ language: String) throws {
    let pair = try Pair()
    let (leader, other) = try pair.leaderAndOther()
    // Each with a token of its own: what else stands in it is nobody's concern.
    for (user, here, there) in [("zoe", leader, other), ("bob", other, leader)] {
      let headers = ["Accept-Language": language]
      let first = headers.merging(pair.issuer.token(user, ["jti": "1"])) { $1 }
      let second = headers.merging(pair.issuer.token(user, ["jti": "2"])) { $1 }
      let mirror = try pair.ready("shown", at: here, first)
      #expect(mirror.rows == ["of-\(user)"])
      let poll = try there.request("GET", "/v1/tables/shown/changes?after=\(mirror.cursor)&wait=0", second)
      #expect(
        try poll.status == 200 && poll.json["to"]?.text == mirror.cursor && poll.json["reset"] == nil,
        "\(poll.text)"
      )
      #expect(
        try here.request("GET", "/v1/tables/shown", first).text == there.request("GET", "/v1/tables/shown", second).text
      )
      _ = try pair.ready("own", at: here, first)
      _ = try pair.ready("own", at: there, second)
      #expect(pair.fetches("/once/\(user)") == 1, "one fetch for all replicas, with the caller's claim")
    }
    // Another's cursor is nobody's.
    let zoe = try pair.ready("shown", at: other, pair.issuer.token("zoe")).cursor
    let stolen = try other.request("GET", "/v1/tables/shown/changes?after=\(zoe)&wait=0", pair.issuer.token("bob"))
    #expect(!stolen.text.contains("zoe"), "\(stolen.text)")
    // Names tell nobody apart, and what depends on header fields is in no store.
    for replica in pair.replicas {
      let field = pair.issuer.token("zoe").merging(["X-User": "bob"]) { $1 }
      #expect(try pair.ready("header", at: replica, field).rows == ["of-bob"])
    }
    let names = try pair.stored()
    #expect(names.count == 8, "two tables, two users, two languages: \(names)")
    #expect(names.allSatisfy { $0.contains(";$caller=") && !$0.contains("zoe") && !$0.hasPrefix("header") })
    // Clients can't name one so.
    let name = String(try required(names.first, "a name").prefix { $0 != "@" })
    #expect(try leader.request("GET", "/v1/tables/\(name)", pair.issuer.token("bob")).status == 400)
  }

  /// A row that a tap opens for everyone stays open when the tap is repeated, here or elsewhere.
  @Test func aRepeatedTapOpensOnce() throws {
    let pair = try Pair()
    let (leader, other) = try pair.leaderAndOther()
    let zoe = pair.issuer.token("zoe")
    for replica in [leader, other] { _ = try pair.ready("opened", at: replica, zoe) }
    let headers = zoe.merging(["Idempotency-Key": "tap"]) { $1 }
    for replica in [leader, leader, other] {
      let tap = try replica.request("POST", "/v1/tables/opened/rows/of-zoe/tap", headers)
      #expect(try tap.status == 200 && tap.json["row"]?["payload"]?["isOpen"] == true, "\(tap.text)")
    }
  }

  @Test func whenTheLeaderDiesCallersGoOn() throws {
    let pair = try Pair()
    let (leader, other) = try pair.leaderAndOther()
    let zoe = pair.issuer.token("zoe")
    let mirror = try pair.ready("shown", at: leader, zoe)
    _ = try pair.ready("shown", at: other, zoe)
    leader.signal(SIGKILL)
    pair.show("after")
    let after = try other.follow("shown", zoe, from: mirror, until: "goes on") {
      $0.row("of-zoe")?["payload"]?["title"] == "zoe after"
    }
    #expect(after.resets == [])
  }

  @Test func anEditAtAFollowerIsShownByAllAndItsKeyOutlivesTheToken() throws {
    let pair = try Pair()
    let (leader, other) = try pair.leaderAndOther()
    let zoe = pair.issuer.token("zoe", ["roles": ["a"]])
    let before = try pair.ready("own", at: other, zoe)
    pair.upstream.answer { request in
      guard request.method == "PATCH" else { return .json(Pair.items("first")) }
      return .json(["id": "of-zoe", "owner": "zoe", "title": "patched"])
    }
    let key = ["Idempotency-Key": "1"]
    let patch = try other.request(
      "PATCH",
      "/v1/tables/own/items/of-zoe",
      zoe.merging(key) { $1 },
      body: ["title": "patched"]
    )
    #expect(patch.status == 200, "\(patch.text)")
    // Another token, with other claims, at another replica.
    let next = pair.issuer.token("zoe", ["roles": ["b"]]).merging(key) { $1 }
    let again = try leader.request("PATCH", "/v1/tables/own/items/of-zoe", next, body: ["title": "patched"])
    #expect(again.status == 200, "\(again.text)")
    #expect(pair.upstream.requests.current.count { $0.method == "PATCH" } == 1)
    #expect(before.rows == ["of-zoe", "of-bob"])
  }

  /// A replica that doesn't ask the sources has nothing of others' items: the leader says what is taken.
  @Test func anothersItemCantBeReplacedByItsName() throws {
    let pair = try Pair()
    let (leader, other) = try pair.leaderAndOther()
    let zoe = pair.issuer.token("zoe")
    for replica in [other, leader] {
      _ = try pair.ready("named", at: replica, zoe)
      for (id, status) in [("of-bob", 404), ("new-at-\(replica === leader ? "leader" : "other")", 201)] {
        pair.upstream.answer { request in
          let item: JSONValue = ["id": .string(id), "owner": "zoe", "title": "x"]
          guard request.method == "GET" else { return .json(item) }
          return .json(.array(Pair.items("first").elements + (status == 201 ? [item] : [])))
        }
        let reply = try replica.request(
          "PUT",
          "/v1/tables/named/items/\(id)",
          zoe,
          body: ["owner": "zoe", "title": "x"]
        )
        #expect(reply.status == status, "\(id): \(reply.text)")
      }
    }
    let sent = pair.upstream.requests.current.filter { $0.method == "PUT" }.map(\.target)
    #expect(sent == ["/list/new-at-other", "/list/new-at-leader"])
  }
}
