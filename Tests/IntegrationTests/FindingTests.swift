import Foundation
import JSON
import TestSupport
import Testing

/// Whoever looks at a table searches, filters and sorts it: each rule of the protocol's *Finding*, over sockets.
@Suite struct FindingTests {
  static let tables = """
    cells:
      Title: {fields: {title: string}}
      Label: {fields: {title: string}}
    tables:
      todo:
        source:
          local:
            items:
              - {title: Learn Swift, state: open, labels: [a, b], size: 3, group: today, secret: apple}
              - {title: Buy Straße map, state: closed, labels: [a], size: 1, group: today}
              - {title: Swing by the café, state: open, labels: [], size: 2, group: later}
              - {title: 東京都 trip, state: null, labels: [b], group: later}
            default: {title: New, state: open, group: today}
        cell: Label
        payload: {title: "${title}"}
        can: {edit: true, move: true}
        sections:
          groupBy: group
          header: {cell: Title, payload: {title: "${$key}: ${$count}, ${$items | map(size ?? 0) | sum}"}}
        find:
          prompt: Search all
          search: [title, secret]
          filters:
            state: {title: State, by: state, titles: {open: Open, gone: Gone}}
            label: {title: Label, by: labels}
          sorts:
            size: {title: By size, by: size, order: descending}
            flat: {title: All by name, by: title, sections: false}
      plain:
        edges: true
        source: {local: {items: [{title: A}]}}
        cell: Label
        payload: {title: "${title}"}
    """
  static let configuration = "store: memory\nhistory: 5\n" + tables

  static func titles(_ table: JSONValue) -> [[String]] {
    (table["sections"] ?? .null).elements.map { section in
      (section["rows"] ?? .null).elements.compactMap { $0["payload"]?["title"]?.text }
    }
  }

  static func headers(_ table: JSONValue) -> [String] {
    (table["sections"] ?? .null).elements.map { $0["header"]?["payload"]?["title"]?.text ?? "-" }
  }

  @Test func `a snapshot has what is found, in its sections and order`() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let cases: [(String, [[String]])] = [
      ("q=SWI", [["Learn Swift"], ["Swing by the café"]]), ("q=strasse", [["Buy Straße map"]]),
      ("q=cafe+sw", [["Swing by the café"]]), ("q=wift", []), ("q=%E4%BA%AC", [["東京都 trip"]]),
      ("q=app", [["Learn Swift"]]),
      ("q=%21%21", [["Learn Swift", "Buy Straße map"], ["Swing by the café", "東京都 trip"]]),
      ("filter=state:open", [["Learn Swift"], ["Swing by the café"]]), ("filter=state:none", [["東京都 trip"]]),
      ("filter=state:open&filter=state:closed&filter=label:a", [["Learn Swift", "Buy Straße map"]]),
      ("filter=label:nobody", []), ("q=swi&filter=label:b", [["Learn Swift"]]),
      ("sort=size", [["Learn Swift", "Buy Straße map"], ["Swing by the café", "東京都 trip"]]),
      ("sort=flat", [["Buy Straße map", "Learn Swift", "Swing by the café", "東京都 trip"]]),
      ("sort=flat&rows=2", [["Buy Straße map", "Learn Swift"]]), ("q=swi&rows=1", [["Learn Swift"]]),
    ]
    for (query, expected) in cases {
      let table = try service.snapshot("todo", query: "?\(query)")
      #expect(Self.titles(table) == expected, "\(query): \(table)")
      #expect(table["state"]?.text == "ready" && table["counts"]?["omittedSections"] == 0)
      let rows = expected.flatMap(\.self).count
      #expect(table["counts"]?["rows"] == .integer(Int64(rows)), "\(query)")
    }
    #expect(Self.headers(try service.snapshot("todo", query: "?q=swi")) == ["today: 1, 3", "later: 1, 2"])
    let flat = try service.snapshot("todo", query: "?sort=flat&rows=2")
    #expect(flat["sections"]?.elements.first?["id"] == "flat" && flat["sections"]?.elements.first?["header"] == .null)
    #expect(flat["window"] == ["rows": 2, "of": 4])
  }

  @Test func `a search without anything shows the plain table, with its empty sections`() throws {
    let service = try ServiceProcess(
      """
      store: memory
      cells:
        Title: {fields: {title: string}}
        Label: {fields: {title: string}}
      tables:
        t:
          source: {local: {items: [{title: one, state: open}]}}
          cell: Label
          payload: {title: "${title}"}
          sections:
            - id: closed
              where: state == 'closed'
              hideEmpty: false
              header: {cell: Title, payload: {title: "Closed: ${$count}"}}
            - {id: open, where: state == 'open'}
          find: {search: [title]}
      """,
      arguments: ["--insecure"]
    )
    for window in ["rows=all", "rows=1"] {
      let plain = try service.snapshot("t", query: "?\(window)")
      #expect(Self.headers(plain) == ["Closed: 0", "-"])
      for query in ["find=1", "q=", "q=%21%21"] {
        let found = try service.snapshot("t", query: "?\(query)&\(window)")
        #expect(found["sections"] == plain["sections"] && found["counts"] == plain["counts"], "\(query)&\(window)")
        #expect(found["find"] != nil && found["window"] == plain["window"], "\(query)&\(window)")
      }
    }
    let row = try service.request("GET", "/v1/tables/t/rows?at=1,0&find=1").json
    #expect(row["row"]?["payload"]?["title"] == "one", "\(row)")
    #expect(Self.headers(try service.snapshot("t", query: "?q=one")) == ["-"])
  }

  @Test func `menus say what there is and how often`() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    #expect(try service.snapshot("todo")["find"] == nil)
    let menus = try service.snapshot("todo", query: "?find=1")["find"]
    let expected: JSONValue = [
      "prompt": "Search all",
      "sorts": [["id": "size", "title": "By size"], ["id": "flat", "title": "All by name"]],
      "filters": [
        [
          "id": "state", "title": "State",
          "values": [
            ["value": "open", "title": "Open", "count": 2, "selected": false],
            ["value": "gone", "title": "Gone", "count": 0, "selected": false],
            ["value": "closed", "title": "closed", "count": 1, "selected": false],
            ["value": "none", "title": "none", "count": 1, "selected": false],
          ],
        ],
        [
          "id": "label", "title": "Label",
          "values": [
            ["value": "a", "title": "a", "count": 2, "selected": false],
            ["value": "b", "title": "b", "count": 2, "selected": false],
          ],
        ],
      ],
    ]
    #expect(menus == expected, "\(menus ?? .null)")
    let chosen = try service.snapshot("todo", query: "?q=swi&filter=state:open&filter=label:b&sort=flat")["find"]
    #expect(chosen?["sort"] == "flat")
    let states = (chosen?["filters"]?.elements.first?["values"] ?? .null).elements
    #expect(states.map { $0["count"] } == [1, 0], "\(states)")
    #expect(states.map { $0["selected"] } == [true, false])
    // The filter itself doesn't count for its own values.
    let labels = (chosen?["filters"]?.elements.last?["values"] ?? .null).elements
    #expect(labels.map { $0["value"] } == ["a", "b"] && labels.map { $0["count"] } == [1, 1], "\(labels)")
    // Where nothing is offered there is nothing to say.
    let plain = try service.snapshot("plain", query: "?find=1")
    let own = try service.snapshot("plain")
    #expect(plain["find"] == nil && plain["cursor"] == own["cursor"])
  }

  @Test(arguments: [
    ("todo?filter=stat:open", "filter", ["state", "label"]), ("todo?sort=newest", "sort", ["size", "flat"]),
    ("todo?filter=open", "filter", ["ID:VALUE"]), ("todo?find=2", "find", ["find=1"]),
    ("plain?q=a", "q", ["plain"]), ("plain?sort=a", "sort", ["no sort"]), ("plain?filter=a:b", "filter", ["no filter"]),
    ("todo?q=\(String(repeating: "a", count: 201))", "q", ["200"]),
    ("todo?\(String(repeating: "filter=state:open&", count: 33))", "filter", ["32"]),
    ("todo?q=a&q=b", "q", ["twice"]), ("plain/changes?after=CURSOR&slot=0&find=1", "slot", ["search"]),
    ("todo/changes?sort=odd", "sort", ["size"]), ("todo/stream?sort=odd", "sort", ["size"]),
    ("todo/rows?at=0,0&sort=odd", "sort", ["size"]),
  ])
  func `what there isn't is refused in words`(target: String, field: String, words: [String]) throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let cursor = try service.snapshot("plain")["cursor"]?.text ?? ""
    let reply = try service.request("GET", "/v1/tables/\(target.replacing("CURSOR", with: cursor))")
    #expect(reply.status == 400, "\(reply.text)")
    #expect(try reply.json["field"]?.text == field, "\(reply.text)")
    for word in words { #expect(reply.text.contains(word), "\(reply.text)") }
  }

  @Test func `stages lead from any search to any other, through edits`() throws {
    let service = try ServiceProcess(
      Self.configuration.replacing("history: 5", with: "history: 100"),
      arguments: ["--insecure"]
    )
    let client = try service.client()
    var random = SeededGenerator(seed: 7)
    let queries = [
      "", "find=1", "q=s", "q=sw", "q=swi", "q=swift", "q=%E6%9D%B1", "filter=state:open", "filter=state:none&q=t",
      "sort=size", "sort=flat", "sort=flat&q=s", "sort=size&filter=label:a&filter=label:b", "q=s&rows=2",
      "sort=flat&rows=3", "sort=flat&rows=1-2", "q=s&rows=1-3", "filter=state:closed&rows=1&find=1", "q=nothing",
      "q=\(String(repeating: "swift%20", count: 2))&filter=label:\(String(repeating: "x", count: 180))",
    ]
    var held: [TableMirror] = []
    var (changesets, resets): (Int, Set<String>) = (0, [])
    for _ in 0..<150 {
      if Int.random(in: 0..<3, using: &random) == 0 {
        let id = Int.random(in: 1...8, using: &random)
        let item: JSONValue = [
          "title": .string(["Swift", "swing", "東", "Straße", "other"].pick(using: &random)),
          "state": [JSONValue.null, "open", "closed"].pick(using: &random),
          "labels": [JSONValue.array([]), ["a"], ["a", "b"]].pick(using: &random),
          "size": .integer(Int64.random(in: 0..<4, using: &random)),
          "group": ["today", "later", "never"].pick(using: &random),
        ]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: #expect(try client.request("POST", "/v1/tables/todo/items", body: item).status == 201)
        case 1: _ = try client.request("DELETE", "/v1/tables/todo/items/\(id)")
        default: _ = try client.request("PATCH", "/v1/tables/todo/items/\(id)", body: item)
        }
      }
      let query = queries.pick(using: &random)
      // A window that isn't named is the cursor's.
      let whole = query.contains("rows=") ? query : query + (query.isEmpty ? "" : "&") + "rows=all"
      let fresh = try service.snapshot("todo", query: "?" + query)
      if var mirror = held.randomElement(using: &random) {
        let changes = try service.changes("todo", after: mirror.cursor, query: "&" + whole)
        try mirror.apply(changes)
        try mirror.check(equals: fresh)
        if let reset = changes["reset"]?.text { resets.insert(reset) } else { changesets += 1 }
        held.append(mirror)
      } else {
        held.append(try TableMirror(fresh))
      }
      if held.count > 10 { held.removeFirst() }
    }
    #expect(changesets > 20, "\(changesets)")
    #expect(resets.isSubset(of: ["large", "lens"]), "\(resets)")
  }

  @Test func `what alters nothing that is found wakes nobody`() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let (editor, waiter) = (try service.client(), try service.client())
    var table = try service.mirror("todo", query: "?q=swift")
    let first = table.cursor
    try waiter.send("GET", "/v1/tables/todo/changes?after=\(first)&wait=50&q=swift")
    try service.awaitPolls(1)
    // More than versions are held.
    for number in 0..<20 {
      let item: JSONValue = ["title": .string("other \(number)"), "state": "open", "group": "later"]
      #expect(try editor.request("POST", "/v1/tables/todo/items", body: item).status == 201)
      // Behind what is noted of the version: on a busy machine versions would be forgotten before.
      #expect(try editor.request("GET", "/v1/tables/todo?q=swift").status == 200)
    }
    // When the wait is over, counts are told.
    let late = try editor.request("GET", "/v1/tables/todo/changes?after=\(first)&wait=1&q=swift").json
    #expect(late["reset"] == nil && late["to"]?.text != first, "\(late)")
    #expect(late["stages"]?.elements.allSatisfy { $0["rows"] == nil && $0["sections"] == nil } == true, "\(late)")
    // What it is found by alone brings it in.
    #expect(try editor.request("PATCH", "/v1/tables/todo/items/2", body: ["secret": "swifter"]).status == 200)
    let woken = try waiter.receive("what is found now").json
    #expect(woken["reset"] == nil, "\(woken)")
    try table.apply(woken)
    try table.check(equals: service.snapshot("todo", query: "?q=swift"))
    #expect(table.rows.count == 2)
    // Nobody else is told of that.
    let plain = try service.snapshot("todo")["cursor"]?.text ?? ""
    #expect(try editor.request("PATCH", "/v1/tables/todo/items/2", body: ["secret": "none"]).status == 200)
    let changes = try service.changes("todo", after: plain)
    #expect(changes["stages"] == [], "\(changes)")
  }

  @Test func `a cursor holds its search, and Link repeats it`() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let snapshot = try service.snapshot("todo", query: "?q=swi&filter=state:open&sort=size")
    let cursor = snapshot["cursor"]?.text ?? ""
    #expect(cursor.hasSuffix("~fswi_state-open_-size"), "\(cursor)")
    // Order, case and repetition make no other lens.
    let same = try service.snapshot("todo", query: "?sort=size&filter=state:open&filter=state:open&q=SWI%20swi")
    #expect(same["cursor"]?.text == cursor)
    let reply = try service.request(
      "GET",
      "/v1/tables/todo/changes?after=\(cursor)&q=SWI&filter=state%3Aopen&sort=size&wait=0"
    )
    #expect(reply["Link"].contains("&q=SWI&filter=state%3Aopen&sort=size>"), "\(reply["Link"])")
    let long = String(repeating: "x", count: 190)
    let longer = try service.snapshot("todo", query: "?q=\(long)")["cursor"]?.text ?? ""
    #expect(longer.contains("~g") && longer.utf8.count <= 200, "\(longer)")
    // Known here, and led back to the plain table.
    let back = try service.changes("todo", after: longer)
    #expect(back["reset"] == nil && back["to"]?.text?.contains("~") == false, "\(back)")
    let parts = longer.split(separator: "~g")
    let unknown = try service.changes("todo", after: "\(parts[0])~g0123456789abcdef")
    #expect(unknown["reset"]?.text == "lens", "\(unknown)")
    // Typed on: one changeset.
    let next = try service.changes("todo", after: cursor, query: "&q=swing")
    #expect(next["stages"]?.elements.count == 1 && next["from"]?.text == cursor, "\(next)")
  }

  @Test func `places count in what is found, and a row is there whether it is found or not`() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let found = try service.request("GET", "/v1/tables/todo/rows?at=0,0&sort=flat").json
    #expect(found["row"]?["payload"]?["title"] == "Buy Straße map" && found["section"] == "flat", "\(found)")
    #expect(try service.request("GET", "/v1/tables/todo/rows?at=0,1&q=swift").status == 404)
    let row = try service.request("GET", "/v1/tables/todo/rows/2?q=swift").json
    #expect(row["at"] == [0, 1], "\(row)")
    // An edit of a row that isn't found is answered.
    let edit = try service.request("PATCH", "/v1/tables/todo/items/2", body: ["title": "Swift, too"])
    #expect(edit.status == 200)
    #expect(try service.snapshot("todo", query: "?q=swift")["counts"]?["rows"] == 2)
  }
}

extension Array {
  fileprivate func pick(using random: inout SeededGenerator) -> Element {
    self[Int.random(in: indices, using: &random)]
  }
}
