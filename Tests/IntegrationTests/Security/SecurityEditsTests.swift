import Foundation
import JSON
import TestSupport
import Testing

/// Who may change what: nobody edits by credentials that are not sent to the upstream which is to judge them.
@Suite struct SecurityEditsTests {
  /// Tables that forward credentials to one source, and edit by another: the service's own, or an upstream that has the
  /// service's secret. `mine` is the only one whose edits are sent with the caller's credentials.
  private static func tables(_ upstream: ScriptedUpstream) throws -> String {
    """
    store: memory
    auth:
      tokens:
        - {name: one, sha256: "\(try sha256("token-one"))", allow: [read, edit]}
        - {name: other, sha256: "\(try sha256("token-other"))", allow: [read, edit]}
        - {name: reader, sha256: "\(try sha256("token-reader"))", allow: [read]}
    sources:
      mine: {url: "\(upstream.url)/mine", every: 0s, forward: [Authorization]}
      keyed: {url: "\(upstream.url)/keyed", every: 0s, headers: {Authorization: Bearer the-services-secret}}
    tables:
      plain: {source: {local: {items: [{title: A}, {title: B}]}}, can: {edit: true}}
      local:
        source: {local: {items: [{title: A}, {title: B}]}}
        cell: TableViewCellWithLabel
        payload: {title: "${title}"}
        sharedTaps: true
        can: {edit: true, move: true}
        sections:
          - id: own
          - {id: theirs, source: mine, row: {id: "their-${number}"}}
      keyed:
        source: keyed
        row: {id: "${number}"}
        can: {edit: true}
        edits: \(edits(upstream, "keyed"))
        sections:
          - id: keyed
          - {id: mine, source: mine, row: {id: "mine-${number}"}}
      mine:
        source: mine
        row: {id: "${number}"}
        can: {edit: true}
        edits: \(edits(upstream, "mine"))
    """
  }

  private static func edits(_ upstream: ScriptedUpstream, _ path: String) -> String {
    let url = "\(upstream.url)/\(path)"
    return """
      {insert: {url: "\(url)", body: "${$edit}"}, patch: {url: "\(url)/${$id}", body: "${$edit}"}, \
      delete: {url: "\(url)/${$id}"}}
      """
  }

  /// Every way of changing something.
  private static let writes: [(method: String, path: String, body: JSONValue?)] = [
    ("POST", "items", ["title": "X"]), ("PATCH", "items/1", ["title": "X"]), ("DELETE", "items/1", nil),
    ("POST", "items/1/move", ["after": "2"]), ("POST", "edits", ["edits": [["op": "delete", "id": "2"]]]),
    ("POST", "rows/1/tap", nil), ("POST", "refresh", nil),
  ]

  @Test(arguments: ["local", "keyed"]) func garbageEditsNothing(table: String) throws {
    let upstream = try ScriptedUpstream { $0.method == "GET" ? .json([issue(1), issue(2)]) : .json(issue(1)) }
    let service = try ServiceProcess(Self.tables(upstream))
    for token in ["garbage", "token-reader"] {
      let headers = ["Authorization": "Bearer \(token)"]
      let before = try service.request("GET", "/v1/tables/\(table)", headers)
      #expect(before.status == 200)
      for write in Self.writes {
        let target = "/v1/tables/\(table)/\(write.path)"
        let reply = try service.request(write.method, target, headers, body: write.body)
        #expect(
          reply.status == 403 || token == "garbage" && reply.status == 401,
          "\(token): \(write.method) \(target): \(reply.status) \(reply.text)"
        )
      }
      let after = try service.snapshot(table, headers)
      #expect(after["sections"] == (try before.json["sections"]))
    }
    #expect(upstream.requests.current.allSatisfy { $0.method == "GET" }, "nothing was sent with the service's secret")
  }

  /// Where the edit is sent with them, the caller's credentials are for the upstream to judge; the others are not.
  @Test func onlyWhatTheUpstreamJudgesIsSentOn() throws {
    let upstream = try ScriptedUpstream { $0.method == "GET" ? .json([issue(1), issue(2)]) : .json(issue(1)) }
    let service = try ServiceProcess(Self.tables(upstream))
    let headers = ["Authorization": "Bearer theirs"]
    for write in Self.writes {
      let reply = try service.request(write.method, "/v1/tables/mine/\(write.path)", headers, body: write.body)
      let isJudgedThere = ["items", "items/1", "edits"].contains(write.path)
      #expect((reply.status < 300) == isJudgedThere, "\(write.path): \(reply.status) \(reply.text)")
    }
    let sent = upstream.requests.current.filter { $0.method != "GET" }
    #expect(sent.count == 4 && sent.allSatisfy { $0.headers["authorization"] == "Bearer theirs" })
  }

  /// The same key by two callers stands for two edits; in two tables too.
  @Test func keysBelongToCallersAndRoutes() throws {
    let upstream = try ScriptedUpstream { $0.method == "GET" ? .json([issue(1), issue(2)]) : .json(issue(3)) }
    let service = try ServiceProcess(Self.tables(upstream))
    func add(_ token: String, _ table: String = "plain", _ title: String = "N") throws -> Reply {
      let headers = ["Authorization": "Bearer \(token)", "Idempotency-Key": "the-key"]
      return try service.request("POST", "/v1/tables/\(table)/items", headers, body: ["title": .string(title)])
    }
    let first = try add("token-one")
    let other = try add("token-other", "plain", "of another")
    #expect(first.status == 201 && other.status == 201)
    #expect(try first.json["id"] != other.json["id"], "a neighbour's key swallows nothing")
    #expect(try add("token-one").json["id"] == first.json["id"], "one's own does")
    #expect(try add("token-one", "plain", "something else").status == 422)
    #expect(try add("garbage").status == 401, "and opens nothing")
    // The very same request to another route.
    for id in ["1", "2"] {
      let headers = ["Authorization": "Bearer token-one", "Idempotency-Key": "patch"]
      let reply = try service.request("PATCH", "/v1/tables/plain/items/\(id)", headers, body: ["title": "P"])
      #expect(try reply.status == 200 && reply.json["id"]?.text == id, "\(reply.text)")
    }
    // By an upstream's own callers: a digest of what is forwarded.
    for caller in ["theirs", "others"] { #expect(try add(caller, "mine").status == 201) }
    #expect(try add("theirs", "mine").status == 201)
    #expect(upstream.requests.current.filter { $0.method == "POST" }.count == 2)
  }

  /// A tap's answer is told anew: what was seen once is not for whoever may no longer see it.
  @Test func aRepeatedTapTellsWhatThereIsNow() throws {
    let upstream = try ScriptedUpstream { _ in .json([issue(1)]) }
    let service = try ServiceProcess(Self.tables(upstream))
    let headers = ["Authorization": "Bearer token-one"]
    let tap = headers.merging(["Idempotency-Key": "tap"]) { $1 }
    #expect(try service.request("POST", "/v1/tables/plain/rows/1/tap?view=v", tap).json["object"]?["title"] == "A")
    let patch: JSONValue = ["title": "changed"]
    #expect(try service.request("PATCH", "/v1/tables/plain/items/1", headers, body: patch).status == 200)
    let again = try service.request("POST", "/v1/tables/plain/rows/1/tap?view=v", tap).json
    #expect(again["object"]?["title"] == "changed")
    #expect(try service.request("DELETE", "/v1/tables/plain/items/1", headers).status == 200)
    #expect(try service.request("POST", "/v1/tables/plain/rows/1/tap?view=v", tap).status == 404)
  }

  /// Taps need only `read` with a view: however many tags they name, edits go through meanwhile.
  @Test func tapsWithManyConditionsHoldUpNoEdit() throws {
    let service = try ServiceProcess(todo)
    let tags = (0..<1400).map { "\"0123456789ab.\($0)\"" }.joined(separator: ",")
    let isOver = Monitor(false)
    let tapping = (0..<8).map { number in
      Background("taps of reader \(number)") {
        let client = try service.client()
        var count = 0
        while !isOver.current {
          let reply = try client.request("POST", "/v1/tables/todo/rows/1/tap?view=v\(number)", ["If-Match": tags])
          #expect(reply.status == 412)
          count += 1
        }
        return count
      }
    }
    let client = try service.client()
    for number in 0..<30 {
      let reply = try client.request("POST", "/v1/tables/todo/items", body: ["title": .string("\(number)")])
      #expect(reply.status == 201)
    }
    isOver.change { $0 = true }
    for reader in tapping { _ = try reader.value() }
  }
}
