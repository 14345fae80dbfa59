import Foundation
import JSON
import TestSupport
import Testing

private let caller = ["Authorization": "Bearer someone"]

@Suite struct ForwardedEditTests {
  @Test func acceptedEditsAreAppliedAtOnceAndReconciled() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration)
    var mirror = try service.mirror("t", caller)
    let path = "/v1/tables/t/items"
    let edits: [(String, String, JSONValue?, [String], [String])] = [
      // What is shown at once, and when the refresh has brought what the upstream has made of it.
      ("POST", path, ["title": "Four"], ["One", "Two", "Three", "Four"], ["One", "Two", "Three", "Four"]),
      ("PATCH", path + "/2", ["title": "2"], ["One", "2!", "Three", "Four"], ["One", "2!", "Three", "Four"]),
      ("DELETE", path + "/3", nil, ["One", "2!", "Four"], ["One", "2!", "Four"]),
      ("POST", path + "/1/move", ["section": "main", "at": 2], ["2!", "Four", "One"], ["2!", "Four", "One"]),
      // The upstream's own idea of a place wins in the end.
      ("POST", path + "/1/move", ["before": "2"], ["One", "2!", "Four"], ["One", "2!", "Four"]),
    ]
    for (number, (method, target, body, atOnce, atLast)) in edits.enumerated() {
      let poll = try service.poll("t", after: mirror.cursor, caller)
      try service.awaitPolls(1)
      var headers = caller
      headers["Idempotency-Key"] = "edit-\(number)"
      let reply = try service.request(method, target, headers, body: body)
      #expect(reply.status == (number == 0 ? 201 : 200), "\(reply.text)")
      if number == 0 {
        #expect(try reply.json["id"] == "4")
        #expect(reply["Location"] == path + "/4")
      }
      try mirror.apply(poll.value().json)
      #expect(mirror.titles == [atOnce], "\(method) \(target)")
      #expect(try reply.json["cursor"]?.text == mirror.cursor)
      mirror = try service.follow("t", caller, from: mirror, until: "is as upstream") { $0.titles == [atLast] }
      let sent = try required(upstream.edits.last, "a request")
      #expect(upstream.edits.count == number + 1, "sent once")
      #expect(sent.headers["authorization"] == "Bearer someone")
      #expect(sent.headers["idempotency-key"] == "edit-\(number)")
    }
    #expect(
      upstream.edits.map { "\($0.method) \($0.target)" } == [
        "POST /items", "PATCH /items/2", "DELETE /items/3", "PUT /items/1/position", "PUT /items/1/position",
      ]
    )
    #expect(upstream.edits[0].headers["x-kind"] == "insert")
    #expect(try JSONValue(parsing: upstream.edits[1].body) == ["title": "2", "was": "Two"])
    #expect(try JSONValue(parsing: upstream.edits[4].body) == ["before": "2"])
    #expect(mirror.resets.isEmpty)
  }

  /// An addition that was carried out before: what its answer says of the item is older than what the list has by now.
  @Test func anAnswerToAnAdditionIsNotLaidOverTheItem() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration)
    var mirror = try service.mirror("t", caller)
    upstream.server.answer { [items = upstream.items] request in
      request.method == "POST" ? .reply(201, [:], issue(2, "open", "Former")) : .json(.array(items.current))
    }
    upstream.items.change { $0.append(issue(4, "open", "Four")) }
    let poll = try service.poll("t", after: mirror.cursor, caller)
    try service.awaitPolls(1)
    let reply = try service.request("POST", "/v1/tables/t/items", caller, body: ["title": "Former"])
    #expect(try reply.status == 201 && reply.json["id"] == "2", "\(reply.text)")
    try mirror.apply(poll.value().json)
    #expect(mirror.titles == [["One", "Two", "Three", "Four"]])
    #expect(try reply.json["cursor"]?.text == mirror.cursor)
  }

  /// Accepted, and then the upstream has something else all the same: the refresh makes good.
  @Test func whatTheUpstreamMakesOfAnEditWins() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration)
    var mirror = try service.mirror("t", caller)
    // It says yes and changes nothing, so that its list and its entity tag are the same as before.
    upstream.refusal.change { $0 = .reply(200, [:], [:]) }
    let reply = try service.request("PATCH", "/v1/tables/t/items/2", caller, body: ["title": "2"])
    #expect(reply.status == 200)
    let applied = try reply.json["cursor"]?.text
    #expect(applied != mirror.cursor, "it was shown")
    mirror = try service.follow("t", caller, until: "is as upstream again") {
      $0.cursor != applied && $0.titles == [["One", "Two", "Three"]]
    }
    // It does not say what the new item is: the answer waits for the refresh, and guesses nothing.
    upstream.refusal.change { $0 = nil }
    upstream.server.answer { [items = upstream.items] request in
      if request.method == "POST" { items.change { $0.append(issue(9, "open", "Nine")) } }
      return request.method == "POST" ? .reply(201, [:], ["ok": true]) : .json(.array(items.current))
    }
    let added = try service.request("POST", "/v1/tables/t/items", caller, body: ["title": "Nine"])
    #expect(try added.status == 201 && added.json["id"] == nil && added["Location"].isEmpty, "\(added.text)")
    mirror = try service.follow("t", caller, from: mirror, until: "has the new one") { $0.rows.contains("9") }
    #expect(mirror.cursor == (try added.json["cursor"]?.text))
  }

  /// What a form shows beside its fields, and words for a person that say nothing of where the upstream is.
  @Test func refusedFieldsAreNamed() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration)
    _ = try service.mirror("t", caller)
    var headers = caller
    headers["Idempotency-Key"] = "one"
    let refusal =
      "{\"title\":[\"too short\",\"no capital\"],\"due\":{\"day\":[\"is past\"]},\"non_field_errors\":[\"no\"]}"
    upstream.refusal.change { $0 = .status(422, refusal) }
    let first = try service.request("PATCH", "/v1/tables/t/items/1", headers, body: ["title": "x"])
    upstream.refusal.change { $0 = nil }
    let repeated = try service.request("PATCH", "/v1/tables/t/items/1", headers, body: ["title": "x"])
    for reply in [first, repeated] {
      #expect(reply.status == 422)
      #expect(try reply.json["fields"] == ["title": ["too short", "no capital"], "due.day": ["is past"]])
      #expect(try reply.json["detail"] == "no — title: too short no capital; due.day: is past")
      #expect(try reply.json["field"] == nil && !reply.text.contains("http") && !reply.text.contains("items/1"))
    }
    #expect(upstream.edits.count == 1)
    upstream.refusal.change { $0 = .status(400, "{\"detail\":[{\"loc\":[\"body\",\"title\"],\"msg\":\"required\"}]}") }
    let one = try service.request("POST", "/v1/tables/t/items", caller, body: [:])
    #expect(try one.json["field"] == "title" && one.json["fields"] == ["title": ["required"]], "\(one.text)")
  }

  @Test func refusedEditsChangeNothingAndSayWhy() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration)
    let mirror = try service.mirror("t", caller)
    let refusals: [(ScriptedUpstream.Answer, Int, String)] = [
      (.status(409, "{\"detail\":\"taken by someone else\"}"), 409, "taken by someone else"),
      (.status(422, "{\"errors\":[{\"message\":\"too short\"}]}"), 422, "too short"),
      (.status(401, "{\"message\":\"log in first\"}"), 401, "log in first"),
      (.status(403, "{\"message\":\"read only for you\"}"), 403, "read only for you"),
      (.status(404, "{\"error\":\"gone\"}"), 404, "gone"), (.status(429, "{}"), 429, "429"),
      (.status(500, "{\"message\":\"disk full\"}"), 502, "disk full"),
      (.reply(503, ["Retry-After": "1"], ["message": "later"]), 502, "later"),
      // These speak of the request that this service has made.
      (.status(405, "{\"message\":\"no such method\"}"), 502, "no such method"),
      (.status(413, "{\"message\":\"shorter\"}"), 502, "shorter"), (.status(431, "{}"), 502, "431"),
      (.reply(307, ["Location": "/elsewhere"], [:]), 502, "307"),
    ]
    let edits: [(String, String, JSONValue?)] = [
      ("POST", "items", ["title": "x"]), ("PATCH", "items/1", ["title": "x"]), ("DELETE", "items/1", nil),
      ("POST", "items/1/move", ["section": "main", "at": 1]),
    ]
    for (answer, status, reason) in refusals {
      upstream.refusal.change { $0 = answer }
      for (method, target, body) in edits {
        let reply = try service.request(method, "/v1/tables/t/\(target)", caller, body: body)
        #expect(reply.status == status, "\(answer) \(method) \(target)")
        #expect(reply["Content-Type"] == "application/problem+json" && reply.text.contains(reason), "\(reply.text)")
        if status == 429 { #expect(!reply["Retry-After"].isEmpty) }
      }
    }
    #expect(upstream.edits.count == refusals.count * edits.count, "each was sent once")
    try mirror.check(equals: service.snapshot("t", caller))
    let batch = try service.request(
      "POST",
      "/v1/tables/t/edits",
      caller,
      body: ["edits": [["op": "delete", "id": "1"], ["op": "delete", "id": "2"]]]
    )
    #expect(batch.status == 422)
    #expect(try service.request("PATCH", "/v1/tables/t/items/none", caller, body: ["title": "x"]).status == 404)
    #expect(upstream.edits.count == refusals.count * edits.count)
  }

  /// A gateway that has waited for the upstream in vain knows no more than this service.
  @Test func aGatewaysTimeOutIsNoRefusal() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration)
    let mirror = try service.mirror("t", caller)
    upstream.refusal.change { $0 = .status(504, "{\"message\":\"too slow\"}") }
    let reply = try service.request("PATCH", "/v1/tables/t/items/1", caller, body: ["title": "x"])
    #expect(reply.status == 504 && reply.text.contains("not known"), "\(reply.text)")
    try mirror.check(equals: service.snapshot("t", caller))
  }

  /// Of two members with one name this service would take one and the upstream perhaps the other: nothing is sent.
  @Test func bodiesWithDoubledMembersAreSentNowhere() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(
      upstream.configuration
        + "\n    actions: {mark: {title: Mark, request: {url: \"\(upstream.server.url)/mark\", body: \"${$edit}\"}}}"
    )
    let mirror = try service.mirror("t", caller)
    let many = (0..<40).map { "\"m\($0)\":0" }.joined(separator: ",")
    for (method, target, body, field) in [
      ("POST", "items", "{\"title\":\"a\",\"title\":\"b\"}", "title"),
      ("POST", "items", "{\"t\":{\"a\":[0,{\"x\":1,\"y\":2,\"x\":1}]}}", "t.a[1].x"),
      ("POST", "items", "{\"title\":\"a\",\"t\\u0069tle\":\"b\"}", "title"),
      ("POST", "items", "{\(many),\"m7\":0}", "m7"), ("PATCH", "items/1", "{\"title\":\"a\",\"title\":null}", "title"),
      ("POST", "items/1/move", "{\"after\":\"2\",\"after\":\"3\"}", "after"),
      ("POST", "edits", "{\"edits\":[{\"op\":\"delete\",\"id\":\"1\",\"id\":\"2\"}]}", "edits[0].id"),
      ("POST", "rows/1/actions/mark", "[[{\"a\":1,\"a\":2}]]", "[0][0].a"),
    ] {
      let client = try service.client()
      try client.send(
        raw: "\(method) /v1/tables/t/\(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Authorization: Bearer someone\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      let reply = try client.receive("\(method) \(target)")
      #expect(try reply.status == 400 && reply.json["field"]?.text == field, "\(body): \(reply.text)")
    }
    #expect(upstream.edits.isEmpty)
    #expect(try service.mirror("t", caller).cursor == mirror.cursor)
    // Names that differ in bytes are two.
    let both: JSONValue = ["caf\u{e9}": 1, "cafe\u{301}": 2, "title": "T"]
    #expect(try service.request("POST", "/v1/tables/t/items", caller, body: both).status == 201)
  }

  /// What can't be put into the upstream's URL or a header is the value's fault, and not the upstream's.
  @Test func valuesThatMakeNoRequestAreTheCallers() throws {
    let upstream = try ListUpstream()
    let url = upstream.server.url
    let service = try ServiceProcess(
      upstream.configuration.replacingOccurrences(
        of: "insert: {url: \"\(url)/items\", body: \"${$edit}\", headers: {X-Kind: \"insert\"}}",
        with: "insert: {url: \"\(url)/${$edit.kind}/items\", body: \"${$edit}\", headers: {X-Kind: \"${$edit.title}\"}}"
      )
    )
    _ = try service.mirror("t", caller)
    for body in [["kind": "..", "title": "a"], ["kind": ".", "title": "a"], ["kind": "k", "title": "a\r\nX: b"]]
      as [JSONValue]
    {
      let reply = try service.request("POST", "/v1/tables/t/items", caller, body: body)
      #expect(reply.status == 422 && reply["Content-Type"] == "application/problem+json", "\(body): \(reply.text)")
    }
    #expect(upstream.edits.isEmpty)
    _ = try service.request("POST", "/v1/tables/t/items", caller, body: ["kind": "a/b", "title": "a"])
    #expect(upstream.edits.map(\.target) == ["/a%2Fb/items"])
  }

  /// As in a table of the service's own: an index alone says nothing where there are several sections.
  @Test func anIndexWithoutItsSectionIsSentNowhere() throws {
    let upstream = try ListUpstream()
    upstream.items.change { $0 = [issue(1, "open"), issue(2, "closed")] }
    let sections = """

          sections:
            - {id: open, where: state == 'open'}
            - {id: closed, where: state == 'closed'}
      """
    let service = try ServiceProcess(upstream.configuration + sections)
    _ = try service.mirror("t", caller)
    let path = "/v1/tables/t/items"
    let unnamed = try service.request("POST", path + "?at=0", caller, body: ["title": "x"])
    #expect(try unnamed.status == 400 && unnamed.json["field"] == "section", "\(unnamed.text)")
    #expect(upstream.edits.isEmpty)
    #expect(try service.request("POST", path + "?at=0&section=open", caller, body: ["title": "x"]).status == 201)
    // A row that moves has one already.
    #expect(try service.request("POST", path + "/1/move", caller, body: ["at": 0]).status == 200)
    #expect(upstream.edits.count == 2)
  }

  /// Nobody knows whether it was carried out: 504, and the refresh that follows tells.
  @Test(arguments: [true, false]) func editsWithoutAnAnswer(isCarriedOut: Bool) throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration)
    var mirror = try service.mirror("t", caller)
    upstream.server.answer { [items = upstream.items] request in
      guard request.method != "GET" else { return .json(.array(items.current)) }
      if isCarriedOut, items.current.count == 3 { items.change { _ = $0.remove(at: 0) } }
      return isCarriedOut ? .silence : .cutOff
    }
    var headers = caller
    headers["Idempotency-Key"] = "once"
    let reply = try service.request("DELETE", "/v1/tables/t/items/1", headers)
    #expect(reply.status == 504, "\(reply.text)")
    #expect(reply.text.contains("is not known"))
    let fetches = upstream.server.requests.current.count { $0.method == "GET" }
    try upstream.server.requests.wait(for: "the refresh") { $0.count { $0.method == "GET" } > 1 ? true : nil }
    #expect(fetches >= 1)
    if isCarriedOut {
      mirror = try service.follow("t", caller, from: mirror, until: "is without it") { $0.rows == ["2", "3"] }
    } else {
      try mirror.check(equals: service.snapshot("t", caller))
    }
    #expect(upstream.edits.count == 1, "sent once")
    // The caller's own repeat is a new try, under the same key.
    upstream.server.answer { [items = upstream.items] request in
      request.method == "GET" ? .json(.array(items.current)) : .status(404, "{\"message\":\"no such item\"}")
    }
    let again = try service.request("DELETE", "/v1/tables/t/items/\(isCarriedOut ? "2" : "1")", headers)
    #expect(again.status == 404)
    #expect(upstream.edits.map { $0.headers["idempotency-key"] } == ["once", "once"])
  }

  @Test(arguments: [caller, [:]]) func repeatsGetTheFirstAnswer(headers: [String: String]) throws {
    let upstream = try ListUpstream()
    // Without `forward` the table always lives, and is in the store.
    let configuration = upstream.configuration.replacingOccurrences(
      of: headers.isEmpty ? ", forward: [Authorization]" : "\u{0}",
      with: ""
    )
    let service = try ServiceProcess(configuration)
    try service.follow("t", headers, until: "is ready") { $0.state == "ready" }
    var keyed = headers
    keyed["Idempotency-Key"] = "k"
    let first = try service.request("POST", "/v1/tables/t/items", keyed, body: ["title": "Four"])
    let again = try service.request("POST", "/v1/tables/t/items", keyed, body: ["title": "Four"])
    let other = try service.request("POST", "/v1/tables/t/items", keyed, body: ["title": "Five"])
    #expect(first.status == 201 && again.status == 201 && again.body == first.body, "\(again.text)")
    #expect(first["Location"] == again["Location"])
    #expect(other.status == 422)
    #expect(upstream.edits.count == 1)
  }

  /// A fetch that was under way when an edit was accepted has the list from before it: nobody sees that.
  @Test func aFetchFromBeforeTheEditIsNotShown() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration)
    var mirror = try service.mirror("t", caller)
    let old = upstream.items.current
    // The next fetch is answered when the edit is through, with the list as it was.
    let isHeld = Monitor(true)
    upstream.server.answer { [items = upstream.items] request in
      if request.method == "DELETE" {
        items.change { $0.removeFirst() }
        return .reply(200, [:], [:])
      }
      return isHeld.change { isHeld in
        defer { isHeld = false }
        return isHeld ? .late(0.4, .array(old)) : .json(.array(items.current))
      }
    }
    let before = upstream.server.requests.current.count
    let refresh = try service.client()
    try refresh.send("POST", "/v1/tables/t/refresh", caller)
    try upstream.server.requests.wait(for: "the slow fetch") { $0.count > before ? true : nil }
    #expect(try service.request("DELETE", "/v1/tables/t/items/1", caller).status == 200)
    _ = try refresh.receive("the refresh")
    var seen: [[String]] = []
    mirror = try service.follow("t", caller, from: mirror, until: "is without it") { mirror in
      seen.append(mirror.rows)
      return mirror.rows == ["2", "3"]
    }
    // Another fetch, and nothing of the one before it is left.
    #expect(try service.request("POST", "/v1/tables/t/refresh", caller).status == 200)
    try mirror.check(equals: service.snapshot("t", caller))
    #expect(seen == [["1", "2", "3"], ["2", "3"]])
  }
}
