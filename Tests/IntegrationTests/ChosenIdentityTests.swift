import Foundation
import JSON
import TestSupport
import Testing

/// `PUT …/items/{row}` in tables of the service's own: clients choose what an item is called.
@Suite struct ChosenIdentityTests {
  private static let path = "/v1/tables/todo/items"

  /// What is put, in this order, what is answered, and the rows that there are then.
  private static let puts:
    [(target: String, headers: [String: String], body: JSONValue, status: Int, rows: [[String]])] = [
      ("a", [:], ["title": "a"], 201, [["1", "2", "a"], ["3"]]),
      ("b?section=later&at=0", [:], ["title": "b"], 201, [["1", "2", "a"], ["b", "3"]]),
      ("c?before=1", [:], ["title": "c"], 201, [["c", "1", "2", "a"], ["b", "3"]]),
      ("c", ["If-None-Match": "*"], ["title": "d"], 412, [["c", "1", "2", "a"], ["b", "3"]]),
      ("1", ["If-None-Match": "*"], ["title": "d"], 412, [["c", "1", "2", "a"], ["b", "3"]]),
      // Replaced in its place, moved where one is given, and where it stands there already not moved.
      ("c", [:], ["title": "C"], 200, [["c", "1", "2", "a"], ["b", "3"]]),
      ("c?after=2", [:], ["title": "C"], 200, [["1", "2", "c", "a"], ["b", "3"]]),
      ("c?section=later&at=0", [:], ["title": "C"], 200, [["1", "2", "a"], ["c", "b", "3"]]),
      // Its members decide where it stands, as a patch of them does.
      ("c?section=later&at=0", [:], ["title": "C", "section": "today"], 200, [["1", "2", "a"], ["c", "b", "3"]]),
      ("c", [:], ["title": "C", "section": "today"], 200, [["1", "2", "c", "a"], ["b", "3"]]),
      ("1", [:], ["title": "One"], 200, [["1", "2", "c", "a"], ["b", "3"]]),
      ("7", [:], ["title": "seven"], 422, [["1", "2", "c", "a"], ["b", "3"]]),
      ("007", [:], ["title": "seven"], 422, [["1", "2", "c", "a"], ["b", "3"]]),
      (String(repeating: "x", count: 201), [:], [:], 422, [["1", "2", "c", "a"], ["b", "3"]]),
      // No path may have these.
      ("%2E%2E", [:], [:], 400, [["1", "2", "c", "a"], ["b", "3"]]),
      ("%2E", [:], [:], 400, [["1", "2", "c", "a"], ["b", "3"]]),
      ("a%00b", [:], [:], 400, [["1", "2", "c", "a"], ["b", "3"]]),
      ("a%0Ab", [:], [:], 400, [["1", "2", "c", "a"], ["b", "3"]]),
      ("a%C2%85b", [:], [:], 422, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e", [:], ["title": 5], 422, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e?section=later&at=9", [:], [:], 422, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e?before=none", [:], [:], 422, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e", [:], [], 400, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e", ["If-None-Match": "\"x\""], [:], 400, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e?at=x", [:], [:], 400, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e", ["If-Match": "\"0011223344aa.9\""], [:], 412, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e", ["Content-Type": "application/merge-patch+json"], [:], 415, [["1", "2", "c", "a"], ["b", "3"]]),
      ("e", [:], ["title": "fixed"], 201, [["1", "2", "c", "a", "e"], ["b", "3"]]),
      ("e", [:], ["title": "free"], 403, [["1", "2", "c", "a", "e"], ["b", "3"]]),
      ("3", [:], ["title": "C", "done": true, "section": "later"], 200, [["1", "2", "c", "a", "e"], ["b", "3"]]),
      // Done, so that it can't be moved: but it may stay where it is.
      ("3?section=later&at=0", [:], ["title": "C", "done": true], 403, [["1", "2", "c", "a", "e"], ["b", "3"]]),
      ("3?section=today&at=0", [:], ["title": "C", "done": true], 403, [["1", "2", "c", "a", "e"], ["b", "3"]]),
      ("3?section=later&at=1", [:], ["title": "C3", "done": true], 200, [["1", "2", "c", "a", "e"], ["b", "3"]]),
    ]

  @Test func putsReachThePollThatWaits() throws {
    let service = try ServiceProcess(todo)
    var mirror = try service.mirror("todo")
    for (target, headers, body, status, rows) in Self.puts {
      let reply = try service.request("PUT", "\(Self.path)/\(target)", headers, body: body)
      #expect(reply.status == status, "\(target): \(reply.text)")
      let changes = try service.changes("todo", after: mirror.cursor)
      try mirror.apply(changes)
      #expect(mirror.sections.map { $0.rows.compactMap { $0["id"]?.text } } == rows, "\(target)")
      guard status < 300 else { continue }
      let id = String(target.prefix { $0 != "?" })
      #expect(try reply.json == ["cursor": .string(mirror.cursor), "id": .string(id)])
      #expect(reply["Location"] == (status == 201 ? "\(Self.path)/\(id)" : ""))
      #expect(mirror.row(id)?["payload"]?["title"] == body["title"])
    }
    try mirror.check(equals: service.snapshot("todo"))
    // Whole: what a body lacks comes from the table's default item alone.
    #expect(try service.request("PUT", "\(Self.path)/w", body: ["title": "W", "more": 1]).status == 201)
    #expect(try service.request("GET", "\(Self.path)/w").json["more"] == 1)
    #expect(try service.request("PUT", "\(Self.path)/w", body: [:]).status == 200)
    #expect(try service.request("GET", "\(Self.path)/w").json == ["title": "New", "done": false, "section": "today"])
  }

  /// Texts are compared by their bytes, and come back as they were sent.
  @Test func whateverCanStandInAURLNamesARow() throws {
    let folder = try TemporaryFolder()
    let stored = todo.replacingOccurrences(of: "store: memory", with: "store: {path: \"{folder}/store.sqlite\"}")
    let ids = [
      "\u{E9}", "e\u{301}", "\u{200F}rtl", "\u{202E}override", "a/b", "a b", "a;b", "a%2Fb", "?q=1", "#x", "...", "😀",
      "٣", "-1",
      "1.5", "1@later", "+", "~", " ", "\u{FEFF}x", "nul", String(repeating: "é", count: 200),
      String(repeating: "😀", count: 200), "8b1a9953-c461-4296-a827-abf8c47804d7",
    ]
    var service = try ServiceProcess(stored, in: folder)
    for (number, id) in ids.enumerated() {
      let path = "\(Self.path)/\(encoded(id))"
      let reply = try service.request("PUT", path, body: ["title": .string("\(number)")])
      #expect(reply.status == 201 && reply["Location"] == path, "\(id): \(reply.text)")
      #expect(try Array((reply.json["id"]?.text ?? "").utf8) == Array(id.utf8))
    }
    for round in 0..<2 {
      for (number, id) in ids.enumerated() {
        let (item, row) = ("\(Self.path)/\(encoded(id))", "/v1/tables/todo/rows/\(encoded(id))")
        let title = JSONValue.string("\(number)" + (round == 0 ? "" : "!"))
        #expect(try service.request("GET", item).json["title"] == title, "\(id)")
        #expect(try service.request("GET", row).json["row"]?["payload"]?["title"] == title, "\(id)")
        #expect(try service.request("POST", "\(row)/tap?view=v").json["id"]?.text == id)
        #expect(try service.request("PUT", item, ["If-None-Match": "*"], body: [:]).status == 412, "\(id)")
        #expect(try service.request("PATCH", item, body: ["title": .string("\(number)!")]).status == 200, "\(id)")
        let place: JSONValue = ["section": "today", "at": 0]
        #expect(try service.request("POST", "\(item)/move", body: place).json["id"]?.text == id)
        if round == 1 { #expect(try service.request("DELETE", item).status == 200) }
      }
      guard round == 0 else { break }
      // As it was stored, after a crash.
      let before = try service.snapshot("todo")["sections"]
      service.signal(SIGKILL)
      service = try ServiceProcess(stored, in: folder)
      #expect(try service.snapshot("todo")["sections"]?.bytes == before?.bytes)
    }
    #expect(try service.mirror("todo").rows == ["1", "2", "3"])
    // Free again; and numbers go on where they were, whatever clients have chosen.
    #expect(try service.request("PUT", "\(Self.path)/a%20b", ["If-None-Match": "*"], body: [:]).status == 201)
    let added = try service.request("POST", Self.path, body: [:]).json["id"]?.text
    #expect(Int(added ?? "") ?? 0 > 3)
  }

  @Test func repeatsWithAKeyGetTheFirstAnswer() throws {
    let service = try ServiceProcess(todo)
    let key = ["Idempotency-Key": "k"]
    let first = try service.request("PUT", "\(Self.path)/a", key, body: ["title": "A"])
    #expect(first.status == 201)
    #expect(try service.request("PUT", "\(Self.path)/a", ["Idempotency-Key": "l"], body: ["title": "B"]).status == 200)
    for _ in 0..<2 {
      let again = try service.request("PUT", "\(Self.path)/a", key, body: ["title": "A"])
      #expect(again.status == 201 && again.text == first.text && again["Location"] == first["Location"])
    }
    let replaced = try service.request("PUT", "\(Self.path)/a", ["Idempotency-Key": "l"], body: ["title": "B"])
    #expect(replaced.status == 200 && replaced["Location"].isEmpty)
    #expect(try service.request("PUT", "\(Self.path)/a", key, body: ["title": "C"]).status == 422)
    #expect(try service.request("GET", "\(Self.path)/a").json["title"] == "B")
  }

  @Test func batchesAddUnderChosenIdentities() throws {
    let service = try ServiceProcess(todo)
    func send(_ edits: JSONValue, _ headers: [String: String] = [:]) throws -> Reply {
      try service.request("POST", "/v1/tables/todo/edits", headers, body: ["edits": edits])
    }
    let edits: JSONValue = [
      ["op": "add", "id": "a", "item": ["title": "a"]], ["op": "patch", "id": "a", "patch": ["title": "a2"]],
      ["op": "add", "item": ["title": "x"]], ["op": "add", "id": "b", "item": ["title": "b"], "before": "a"],
      ["op": "delete", "id": "1"], ["op": "add", "id": "b", "item": ["title": "b2"]], ["op": "delete", "id": "2"],
      ["op": "add", "id": "c", "section": "later", "at": 0], ["op": "delete", "id": "c"],
      ["op": "add", "id": "c", "item": ["title": "c2"]], ["op": "move", "id": "a", "before": "b"],
    ]
    let reply = try send(edits)
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try reply.json["ids"] == ["a", "a", "5", "b", "1", "b", "2", "c", "c", "c", "a"])
    let mirror = try service.mirror("todo")
    #expect(mirror.rows == ["a", "b", "5", "c", "3"])
    #expect(mirror.titles == [["a2", "b2", "x", "c2"], ["C"]])
    let refused: [(JSONValue, [String: String], Int, Int)] = [
      ([["op": "delete", "id": "3"], ["op": "add", "id": "7"]], [:], 422, 1),
      ([["op": "add", "id": ".."]], [:], 422, 0),
      ([["op": "add", "id": "a\nb"]], [:], 422, 0), ([["op": "add", "id": ""]], [:], 422, 0),
      ([["op": "add", "id": "n"], ["op": "add", "id": "a"]], ["If-None-Match": "*"], 412, 1),
      ([["op": "add", "id": "n"], ["op": "add", "id": "n"]], ["If-None-Match": "*"], 412, 1),
      ([["op": "add", "id": "f", "item": ["title": "fixed"]], ["op": "add", "id": "f"]], [:], 403, 1),
      ([["op": "add", "id": 5]], [:], 400, 0), ([["op": "add", "id": "n", "item": ["title": 5]]], [:], 422, 0),
    ]
    for (edits, headers, status, at) in refused {
      let reply = try send(edits, headers)
      #expect(try reply.status == status && reply.json["at"]?.number == at, "\(reply.text)")
      #expect(
        try reply.json["field"]?.text?.hasPrefix(status == 412 ? "edits[1].If-None-Match" : "edits[\(at)]") == true
      )
    }
    try mirror.check(equals: service.snapshot("todo"))
    #expect(try send([["op": "add", "id": "n"]], ["If-None-Match": "*"]).status == 200)
  }

  /// Many are laid out once, not one by one.
  @Test func aFullBatchOfChosenIdentities() throws {
    let service = try ServiceProcess(todo)
    let edits = (0..<1000).map { number -> JSONValue in ["op": "add", "id": .string("n\(number)")] }
    for status in [200, 200] {
      let reply = try service.request("POST", "/v1/tables/todo/edits", body: ["edits": .array(edits)])
      #expect(reply.status == status, "\(reply.text.prefix(300))")
    }
    #expect(try service.mirror("todo").rows.count == 1003)
  }

  /// Where items say themselves what they are called, and where nobody edits: `PUT` is none of the resource's methods.
  @Test func tablesThatNameTheirOwnRows() throws {
    let upstream = try ScriptedUpstream([["id": 1, "title": "One"]])
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources:
        notes: {local: {items: [{title: A, key: k}]}}
        list: {url: "\(upstream.url)/list", every: 1h}
      tables:
        named: {source: notes, row: {id: "${key}"}, cell: Label, payload: {title: "${title}"}}
        free: {source: notes, cell: Label, payload: {title: "${title}"}}
        family: {source: notes, parameters: {q: {default: ""}}, cell: Label, payload: {title: "${title}"}}
        read: {source: list, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}
        post:
          source: list
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          edits:
            insert: {url: "\(upstream.url)/list", body: "${$edit}"}
            replace: {url: "\(upstream.url)/list/${$id}", body: "${$edit}"}
      """
    )
    try service.follow("read", until: "is ready") { $0.state == "ready" }
    for table in ["named", "family", "read", "post"] {
      for row in ["new", "1", "k", "7"] {
        let reply = try service.request("PUT", "/v1/tables/\(table)/items/\(row)", body: ["title": "x"])
        #expect(reply.status == 405, "\(table) \(row): \(reply.text)")
        #expect(reply["Allow"].contains("PATCH") && !reply["Allow"].contains("PUT"))
      }
    }
    let batch = try service.request("POST", "/v1/tables/named/edits", body: ["edits": [["op": "add", "id": "x"]]])
    #expect(try batch.status == 422 && batch.json["at"] == 0, "\(batch.text)")
    // Another table of the same items gives them the identity: here it is one, there it is what `row.id` makes.
    #expect(try service.request("PUT", "/v1/tables/free/items/x", body: ["title": "X", "key": "kx"]).status == 201)
    try service.follow("named", until: "has it") { $0.rows == ["k", "kx"] }
    #expect(try service.request("PATCH", "/v1/tables/named/items/kx", body: ["title": "Y"]).status == 200)
    #expect(try service.request("GET", "/v1/tables/free/items/x").json["title"] == "Y")
    #expect(upstream.requests.current.allSatisfy { $0.method == "GET" })
  }
}

/// Percent-encoded for a path.
func encoded(_ segment: String) -> String {
  segment.utf8.map { byte in
    let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    return isPlain || "-._~".utf8.contains(byte)
      ? String(UnicodeScalar(byte)) : "%" + String(256 + Int(byte), radix: 16).dropFirst().uppercased()
  }
  .joined()
}
