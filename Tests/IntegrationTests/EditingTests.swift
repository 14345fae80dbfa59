import Foundation
import JSON
import TestSupport
import Testing

/// A table of the service's own, in sections by a member of its items.
let todo = """
  store: memory
  \(todoTables)
  """

let todoTables = """
  cells:
    Label: {nib: Label, fields: {title: string}}
    Expandable:
      class: Expandable
      version: 2
      fields: {title: string, isExpanded: boolean}
      expands: isExpanded
      fallback: Label
  representations:
    task: {cell: Expandable, payload: {title: "${title}", isExpanded: false}}
  tables:
    todo:
      source:
        local:
          items:
            - {title: A, done: false, section: today}
            - {title: B, done: false, section: today}
            - {title: C, done: true, section: later}
          default: {title: New, done: false, section: today}
      row: {type: task}
      sections: {groupBy: section, order: [today, later]}
      can: {edit: "title != 'fixed'", move: "!done"}
  """

extension TableMirror {
  /// The titles of the rows, section by section.
  var titles: [[String]] { sections.map { $0.rows.map { $0["payload"]?["title"]?.text ?? "?" } } }

  func id(_ title: String) throws -> String {
    let row = sections.flatMap(\.rows).first { $0["payload"]?["title"]?.text == title }
    return try required(row?["id"]?.text, "a row `\(title)`")
  }
}

@Suite struct EditingTests {
  @Test func editsReachThePollThatWaits() throws {
    let service = try ServiceProcess(todo)
    var mirror = try service.mirror("todo")
    #expect(mirror.titles == [["A", "B"], ["C"]])
    let (a, b, c) = (try mirror.id("A"), try mirror.id("B"), try mirror.id("C"))
    let path = "/v1/tables/todo/items"
    let edits: [(String, String, JSONValue?, [[String]])] = [
      ("POST", path, [:], [["A", "B", "New"], ["C"]]),
      ("POST", path + "?section=today&at=0", ["title": "D"], [["D", "A", "B", "New"], ["C"]]),
      ("POST", path + "?before=\(c)", ["title": "E"], [["D", "A", "B", "New"], ["E", "C"]]),
      ("POST", path + "?after=\(a)", ["title": "F"], [["D", "A", "F", "B", "New"], ["E", "C"]]),
      ("PATCH", "\(path)/\(b)", ["title": "B2"], [["D", "A", "F", "B2", "New"], ["E", "C"]]),
      ("POST", "\(path)/\(a)/move", ["section": "today", "at": 3], [["D", "F", "B2", "A", "New"], ["E", "C"]]),
      ("POST", "\(path)/\(b)/move", ["section": "later", "at": 2], [["D", "F", "A", "New"], ["E", "C", "B2"]]),
      ("POST", "\(path)/\(a)/move", ["after": .string(b)], [["D", "F", "New"], ["E", "C", "B2", "A"]]),
      ("POST", "\(path)/\(a)/move", ["before": .string(c)], [["D", "F", "New"], ["E", "A", "C", "B2"]]),
      ("DELETE", "\(path)/\(b)", nil, [["D", "F", "New"], ["E", "A", "C"]]),
    ]
    for (method, target, body, titles) in edits {
      let poll = try service.poll("todo", after: mirror.cursor)
      let reply = try service.request(method, target, body: body)
      #expect(reply.status == (target.contains("/items/") ? 200 : 201), "\(method) \(target): \(reply.text)")
      let changes = try poll.value().json
      try mirror.apply(changes)
      #expect(mirror.titles == titles, "\(method) \(target)")
      #expect(try reply.json["cursor"]?.text == mirror.cursor)
      if target.hasSuffix("/move") {
        let rows = changes["stages"]?.elements.first?["rows"]
        #expect(rows?["move"]?.elements.count == 1 && rows?["delete"] == nil, "one move is one move")
      }
      if reply.status == 201 {
        let item = try service.request("GET", reply["Location"])
        #expect(item.status == 200)
      }
    }
    try mirror.check(equals: service.snapshot("todo"))
  }

  @Test func editsThatAreRefusedChangeNothing() throws {
    let service = try ServiceProcess(todo)
    let fixed = try service.request("POST", "/v1/tables/todo/items", body: ["title": "fixed"])
    let mirror = try service.mirror("todo")
    let path = "/v1/tables/todo/items"
    let (a, c, f) = (try mirror.id("A"), try mirror.id("C"), try mirror.id("fixed"))
    #expect(try fixed.json["id"]?.text == f)
    let refused: [(String, String, [String: String], JSONValue?, Int, String?)] = [
      ("PATCH", "\(path)/\(f)", [:], ["title": "G"], 403, nil),
      ("DELETE", "\(path)/\(f)", [:], nil, 403, nil),
      ("POST", "\(path)/\(c)/move", [:], ["section": "today", "at": 0], 403, nil),
      ("PATCH", "\(path)/none", [:], ["title": "G"], 404, nil),
      ("POST", "\(path)/none/move", [:], ["section": "today", "at": 0], 404, nil),
      ("PATCH", "\(path)/\(a)", ["If-Match": "\"0011223344aa.9\""], ["title": "G"], 412, "If-Match"),
      ("POST", path, ["Content-Type": "text/plain"], ["title": "G"], 415, "Content-Type"),
      ("POST", path, ["Content-Type": "application/json; charset=utf-16"], ["title": "G"], 415, "Content-Type"),
      (
        "PATCH", "\(path)/\(a)", ["Content-Type": "application/merge-patch+json;charset=\"ISO-8859-1\""],
        ["title": "G"], 415, "Content-Type"
      ),
      ("POST", path, [:], ["title": 5], 422, "title"),
      ("PATCH", "\(path)/\(a)", [:], ["title": nil], 422, "title"),
      ("POST", "\(path)?section=today&at=9", [:], [:], 422, "at"),
      ("POST", "\(path)?before=none", [:], [:], 422, "before"),
      ("POST", "\(path)?at=x", [:], [:], 400, "at"),
      ("POST", path, [:], ["a list"], 400, nil),
      ("POST", "\(path)/\(a)/move", [:], [:], 400, nil),
      (
        "POST", "/v1/tables/todo/edits", [:],
        ["edits": [["op": "add", "item": ["title": "H"]], ["op": "delete", "id": "none"]]], 404, "edits[1]"
      ),
    ]
    for (method, target, headers, body, status, field) in refused {
      let reply = try service.request(method, target, headers, body: body)
      #expect(reply.status == status, "\(method) \(target): \(reply.text)")
      #expect(try reply.json["field"]?.text == field, "\(method) \(target): \(reply.text)")
    }
    try mirror.check(equals: service.snapshot("todo"))
  }

  /// What is stored is what the group's items have: a number where those have numbers, nothing for the section `none`.
  @Test func aGroupsValueIsStoredAsItsItemsHaveIt() throws {
    let service = try ServiceProcess(
      """
      store: memory
      tables:
        t:
          source:
            local:
              items: [{title: A, rank: 1}, {title: B, rank: 2}, {title: C, rank: null}]
              default: {title: New, rank: 1}
          sections: {groupBy: rank}
      """,
      arguments: ["--insecure"]
    )
    let path = "/v1/tables/t/items"
    let rows = try service.mirror("t").rows
    for (section, stored) in [("2", 2), ("none", nil), ("3", 3)] as [(String, JSONValue?)] {
      let moved = try service.request("POST", "\(path)/\(rows[0])/move", body: ["section": .string(section)])
      #expect(moved.status == 200, "\(moved.text)")
      #expect(try service.request("GET", "\(path)/\(rows[0])").json["rank"] == stored, "\(section)")
    }
    // The default's own group does not keep it from the section that was asked for.
    let added = try service.request("POST", "\(path)?before=\(rows[2])", body: ["title": "D"])
    #expect(added.status == 201, "\(added.text)")
    #expect(try service.mirror("t").sections.first { $0.id == "none" }?.rows.count == 2)
  }

  /// Where no item tells the kind of the groups' values, their declaration does, else the item that is added.
  @Test func firstItemsOfGroupsOfNumbers() throws {
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Label: {fields: {title: string}}}
      tables:
        rank:
          source: {local: {items: [], fields: {title: string, rank: optional integer}}}
          cell: Label
          payload: {title: "${title}"}
          sections: {groupBy: rank, order: [1, 2]}
        done:
          source: {local: {items: [{title: A}], fields: {title: string, done: optional boolean}}}
          cell: Label
          payload: {title: "${title}"}
          sections: {groupBy: done, order: [true, false]}
        new:
          source: {local: {items: [{title: A}], default: {title: New, at: {done: false}}}}
          cell: Label
          payload: {title: "${title}"}
          sections: {groupBy: at.done}
        word:
          source: {local: {items: [{title: A, word: 1}], fields: {title: string, word: any}}}
          cell: Label
          payload: {title: "${title}"}
          sections: {groupBy: word}
        name:
          source: {local: {items: [{title: A}], fields: {title: string, name: optional string}}}
          cell: Label
          payload: {title: "${title}"}
          sections: {groupBy: name, order: ["1"]}
      """,
      arguments: ["--insecure"]
    )
    let added = try service.request("POST", "/v1/tables/rank/items?section=2", body: ["title": "A"])
    #expect(added.status == 201, "\(added.text)")
    let moves: [(String, String, [String], JSONValue)] = [
      ("rank", "1", ["rank"], 1), ("done", "true", ["done"], true), ("new", "true", ["at", "done"], true),
      ("word", "2", ["word"], 2), ("name", "1", ["name"], "1"),
    ]
    for (table, section, path, value) in moves {
      let row = try required(service.mirror(table).rows.first, "a row")
      let item = "/v1/tables/\(table)/items/\(row)"
      let moved = try service.request("POST", "\(item)/move", body: ["section": .string(section)])
      #expect(moved.status == 200, "\(table): \(moved.text)")
      let stored = try service.request("GET", item).json
      #expect(path.reduce(JSONValue?.some(stored)) { $0?[$1] } == value, "\(table)")
    }
  }

  @Test func repeatsAndBatches() throws {
    let service = try ServiceProcess(todo)
    let path = "/v1/tables/todo/items"
    let first = try service.request("POST", path, ["Idempotency-Key": "k1"], body: ["title": "Once"])
    let again = try service.request("POST", path, ["Idempotency-Key": "k1"], body: ["title": "Once"])
    #expect(first.status == 201 && again.status == 201 && first.body == again.body)
    #expect(first["Location"] == again["Location"])
    let other = try service.request("POST", path, ["Idempotency-Key": "k1"], body: ["title": "Other"])
    #expect(other.status == 422)
    #expect(try other.json["field"] == "Idempotency-Key")
    var mirror = try service.mirror("todo")
    #expect(mirror.titles == [["A", "B", "Once"], ["C"]])
    let matched = try service.request(
      "PATCH",
      "\(path)/\(mirror.id("B"))",
      ["If-Match": "\"\(mirror.cursor)\""],
      body: ["title": "B2"]
    )
    #expect(matched.status == 200)
    let batch: JSONValue = [
      "edits": [
        ["op": "add", "item": ["title": "X"], "section": "later", "at": 0],
        ["op": "patch", "id": .string(try mirror.id("A")), "patch": ["title": "A2"]],
        ["op": "delete", "id": .string(try mirror.id("Once"))],
      ]
    ]
    let reply = try service.request("POST", "/v1/tables/todo/edits", body: batch)
    #expect(reply.status == 200)
    try mirror.apply(service.changes("todo", after: mirror.cursor))
    #expect(mirror.titles == [["A2", "B2"], ["X", "C"]])
    #expect(try reply.json["cursor"]?.text == mirror.cursor)
  }

  @Test func anIdentityThatIsTakenIsRefused() throws {
    let service = try ServiceProcess(
      """
      store: memory
      tables:
        t:
          source: {local: {items: [{k: a, title: A}, {k: b, title: B}]}}
          row: {id: "${k}"}
          can: {edit: true}
      """
    )
    let mirror = try service.mirror("t")
    let refused = [
      try service.request("POST", "/v1/tables/t/items", body: ["k": "b"]),
      try service.request("PATCH", "/v1/tables/t/items/a", body: ["k": "b"]),
    ]
    for reply in refused { #expect(reply.status == 409, "\(reply.text)") }
    try mirror.check(equals: service.snapshot("t"))
    let renamed = try service.request("PATCH", "/v1/tables/t/items/a", body: ["k": "c"])
    #expect(try renamed.json["id"] == "c")
    #expect(try service.mirror("t").rows == ["c", "b"])
  }

  @Test
  func aTapIsOfItsView() throws {
    let service = try ServiceProcess(todo)
    let plain = try service.mirror("todo")
    let a = try plain.id("A")
    var mine = try service.mirror("todo", query: "?view=mine")
    let other = try service.mirror("todo", query: "?view=other")
    let poll = try service.poll("todo", after: mine.cursor, query: "&view=mine")
    let tap = try service.request("POST", "/v1/tables/todo/rows/\(a)/tap?view=mine")
    #expect(tap.status == 200, "\(tap.text)")
    #expect(try tap.json["object"]?["title"] == "A")
    #expect(try tap.json["row"]?["payload"]?["isExpanded"] == true)
    try mine.apply(poll.value().json)
    #expect(mine.row(a)?["payload"]?["isExpanded"] == true)
    try mine.check(equals: service.snapshot("todo", query: "?view=mine"))
    try other.check(equals: service.snapshot("todo", query: "?view=other"))
    try plain.check(equals: service.snapshot("todo"))
    _ = try service.request("POST", "/v1/tables/todo/items", body: ["title": "N"])
    try mine.apply(service.changes("todo", after: mine.cursor, query: "&view=mine"))
    #expect(mine.row(a)?["payload"]?["isExpanded"] == true && mine.titles[0].last == "N")
    #expect(try service.request("POST", "/v1/tables/todo/rows/\(a)/tap").status == 400)
    let unknown = try service.changes("todo", after: "0011223344aa.3", query: "&view=mine")
    #expect(unknown["reset"] == "epoch")
  }

  @Test func aSharedTapIsOfEveryone() throws {
    let service = try ServiceProcess(todo + "\n    sharedTaps: true")
    var mirror = try service.mirror("todo")
    let a = try mirror.id("A")
    #expect(try service.request("POST", "/v1/tables/todo/rows/\(a)/tap").status == 200)
    try mirror.apply(service.changes("todo", after: mirror.cursor))
    #expect(mirror.row(a)?["payload"]?["isExpanded"] == true)
  }

  @Test func cellsThatAClientCannotShowComeAsTheirFallback() throws {
    let service = try ServiceProcess(todo)
    let expectations = [
      ("Label, Expandable", "Expandable"), ("Label, Expandable;v=2", "Expandable"), ("Label, Expandable;v=1", "Label"),
      ("Label", "Label"),
    ]
    for (accepted, cell) in expectations {
      let mirror = try service.mirror("todo", ["Accept-Cells": accepted])
      #expect(mirror.sections.flatMap(\.rows).allSatisfy { $0["cellIdentifier"]?.text == cell }, "\(accepted)")
      #expect(mirror.titles == [["A", "B"], ["C"]])
    }
  }
}
