import Foundation
import JSON
import TestSupport
import Testing

/// Why a table is as it is: items without rows, the rule of a section, a family's members, the last fetch.
@Suite struct ExplainingTests {
  private static func configuration(_ url: String, auth: String = "") -> String {
    """
    store: memory
    \(auth)
    sources:
      items: {url: "\(url)/items", every: 50ms}
      found: {url: "\(url)/found?q=${$params.q}", every: 1s}
      more: {local: {items: [{title: A, done: true}, {title: B, done: false}]}}
      own: {url: "\(url)/own", every: 1s, forward: [X-User]}
    cells:
      Label: {fields: {title: string}}
    tables:
      t:
        source: items
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: urgent, where: "number > 90"}, {id: first, where: "number < 3"}, {id: rest}]
      all:
        source: items
        row: {id: "${number}"}
        cell: Label
        payload: {title: "#${number}"}
        sections: {match: all, list: [{id: every}, {id: first, where: "number < 3"}]}
      grouped:
        source: items
        row: {id: "${number}"}
        cell: Label
        payload: {title: "#${number}"}
        sections: {groupBy: "number % 2"}
      few: {source: items, row: {id: "${number}"}, cell: Label, payload: {title: "a"}, sections: [{id: big, where: "number > 5"}]}
      done:
        source: more
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: done, where: done}]
      one: {source: items, row: {id: "${number}"}, cell: Label, payload: {title: "#${number}"}}
      notes: {source: {local: {items: [{title: A}]}}, cell: Label, payload: {title: "${title}"}}
      search:
        source: found
        row: {id: "${number}"}
        parameters: {q: {}}
        cell: Label
        payload: {title: "${title}"}
      own: {source: own, row: {id: "${number}"}, cell: Label, payload: {title: "${title}"}}
    """
  }

  /// SHA-256 of the tokens `reader`, `editor` and `admin`.
  private static let auth = """
    auth:
      tokens:
        - {name: r, sha256: "3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30", allow: [read]}
        - {name: e, sha256: "1553cc62ff246044c683a61e203e65541990e7fcd4af9443d22b9557ecc9ac54", allow: [edit]}
        - {name: a, sha256: "8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918", allow: [admin]}
    """

  @Test func itemsWithoutRowsAreListedWithTheirReasons() throws {
    let untitled: JSONValue = ["number": 7, "title": ["not": "a text"]]
    let upstream = try ScriptedUpstream([issue(1), untitled, ["title": "no number"], issue(1)])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    for table in ["t", "one", "few", "done"] {
      try service.follow(table, until: "is ready") { $0.state == "ready" || $0.state == "empty" }
    }
    let reply = try service.request("GET", "/v1/tables/t/skipped")
    let json = try reply.json
    #expect(reply.status == 200 && reply["Cache-Control"] == "no-store", "\(reply.text)")
    #expect(json["table"] == "t" && json["skippedItems"] == 3)
    let items = json["items"]?.elements ?? []
    #expect(items.map { $0["index"] } == [1, 2, 3] && items.allSatisfy { $0["source"] == "items" })
    #expect(items.first?["id"] == "7" && items.first?["field"] == "title")
    let reasons = items.map { $0["reason"]?.text ?? "" }
    for (reason, part) in zip(reasons, ["title", "row.id", "identity “1”"]) {
      #expect(reason.contains(part), "\(reason)")
    }
    #expect(try service.request("GET", "/v1/tables/one/skipped").json["skippedItems"] == 2)
    #expect(try service.request("GET", "/v1/tables/none/skipped").status == 404)
    // Nothing is wrong with what no section takes; it has no row either.
    let few = try service.request("GET", "/v1/tables/few/skipped").json
    #expect(few["skippedItems"] == 0 && few["unplacedItems"] == 3 && json["unplacedItems"] == 0, "\(few)")
    #expect((few["unplaced"]?.elements ?? []).map { $0["index"] } == [0, 2, 3])
    let note = try service.request("GET", "/v1/tables/done/skipped").json
    #expect(
      note["unplaced"] == [["source": "more", "index": 1, "id": "2", "reason": "no section takes it"]],
      "\(note)"
    )
    #expect(try service.request("GET", "/v1/tables/t/skipped?all=1").status == 400)
  }

  /// Nobody fetches a local table's items, and nobody but the log tells of what is wrong with them.
  @Test func whatIsWrongWithLocalItemsIsLogged() throws {
    let folder = try TemporaryFolder()
    let configuration =
      """
      store: {path: "{folder}/t.sqlite"}
      tables:
        unfit:
          source: {local: {items: [{title: A, size: 1}, {title: B, size: x}]}}
          row: {id: "${size - 1}"}
        partial:
          source: {local: {items: [{title: A, size: 1}]}}
          actions: {mark: {when: size - 1 >= 0, title: Mark, patch: {marked: 1}}}
      """
    let service = try ServiceProcess(configuration, in: folder)
    // From the start,
    try service.logged("An item has no row")
    // and by an edit.
    #expect(!service.log.current.contains { $0.contains("A part of the table is missing") })
    #expect(try service.request("PATCH", "/v1/tables/partial/items/1", body: ["size": "x"]).status == 200)
    try service.logged("the action `mark`")
    #expect(try service.end() == 0)
    // And when what is stored is shown again as it is.
    let next = try ServiceProcess(configuration, in: folder)
    try next.logged("An item has no row")
    try next.logged("the action `mark`")
  }

  @Test func aRowsSectionIsExplained() throws {
    let upstream = try ScriptedUpstream([issue(1), issue(5)])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    for table in ["t", "all", "grouped", "one"] {
      try service.follow(table, until: "is ready") { $0.state == "ready" }
    }
    let urgent: JSONValue = ["section": "urgent", "expression": "number > 90"]
    let first: JSONValue = ["section": "first", "expression": "number < 3"]
    let cases: [(String, String, JSONValue, String, JSONValue, [JSONValue])] = [
      ("t", "1", "first", "first", "number < 3", [urgent]),
      ("t", "5", "rest", "first", nil, [urgent, first]),
      ("all", "1", "every", "every", nil, []),
      ("all", "1@first", "first", "every", "number < 3", []),
      ("grouped", "5", "1", "group", "number % 2", []),
      ("one", "5", "", "only", nil, []),
    ]
    for (table, row, section, kind, expression, passed) in cases {
      let reply = try service.request("GET", "/v1/tables/\(table)/rows/\(row)/placement")
      #expect(reply.status == 200, "\(table) \(row): \(reply.text)")
      let json = try reply.json
      let rule = json["rule"] ?? .null
      #expect(rule["kind"] == .string(kind) && rule["passed"] == .array(passed), "\(table) \(row): \(reply.text)")
      #expect(rule["expression"] == expression && json["row"] == .string(row), "\(table) \(row): \(reply.text)")
      if section != "" { #expect(json["section"] == section, "\(table) \(row): \(reply.text)") }
      let place = try service.request("GET", "/v1/tables/\(table)/rows/\(row)").json
      #expect(json["at"] == place["at"] && json["section"] == place["section"])
    }
    #expect(try service.request("GET", "/v1/tables/t/rows/99/placement").status == 404)
  }

  @Test func tablesSayWhenTheyWereFetched() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let tables = try service.request("GET", "/v1/tables").json["tables"]?.elements ?? []
    let fetched = tables.first { $0["id"] == "t" }?["fetched"]?.text ?? ""
    #expect(fetched.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z/) != nil, "\(fetched)")
    #expect(tables.first { $0["id"] == "notes" }.map { $0["fetched"] == nil } == true)
  }

  @Test func aFamilysMembersAreListed() throws {
    let upstream = try ScriptedUpstream([issue(1), issue(2)])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let path = "/v1/families/search/members"
    #expect(try service.request("GET", path).json["members"] == [])
    for member in ["search;q=swift", "search;q=ab"] {
      try service.follow(member, until: "is ready") { $0.state == "ready" }
    }
    let members = try service.request("GET", path).json["members"]?.elements ?? []
    #expect(members.map { $0["parameters"]?["q"] } == ["ab", "swift"])
    for member in members {
      #expect(member["rows"] == 2 && member["state"] == "ready" && member["polled"] == .bool(true), "\(member)")
      let url = try required(member["url"]?.text, "a path")
      #expect(try service.request("GET", url).json["table"] == member["id"])
    }
    for (family, status) in [("none", 404), ("t", 404), ("own", 403)] {
      let reply = try service.request("GET", "/v1/families/\(family)/members")
      #expect(reply.status == status, "\(family): \(reply.text)")
    }
  }

  @Test func whoMayNotEditIsNotTold() throws {
    let upstream = try ScriptedUpstream([issue(1), ["title": "secret"]])
    let service = try ServiceProcess(Self.configuration(upstream.url, auth: Self.auth))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let cases: [(String, [Int])] = [
      ("/v1/tables/t/skipped", [401, 403, 200, 200]),
      ("/v1/tables/t/rows/1/placement", [401, 403, 200, 200]),
      ("/v1/families/search/members", [401, 403, 403, 200]),
      ("/v1/families/own/members", [401, 403, 403, 403]),
    ]
    for (path, statuses) in cases {
      for (token, status) in zip([nil, "reader", "editor", "admin"], statuses) {
        let headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        #expect(try service.request("GET", path, headers).status == status, "\(path) as \(token ?? "nobody")")
      }
    }
  }
}
