import Foundation
import JSON
import TestSupport
import Testing

/// `If-Match` and `Idempotency-Key`, on edits and on taps.
@Suite struct EditTermsTests {
  private static let tables = todo + "\n    sharedTaps: true\n"

  /// Whatever a client calls its state of the table by, an edit may depend on it.
  @Test func everyETagIsACondition() throws {
    let service = try ServiceProcess(Self.tables)
    #expect(try service.request("POST", "/v1/tables/todo/rows/1/tap?view=v").status == 200)
    let forms: [(String, [String: String])] = [
      ("", [:]), ("", ["Accept-Cells": "Label"]), ("", ["Accept-Encoding": "gzip"]), ("?view=v", [:]),
      ("?view=v", ["Accept-Cells": "Label, Expandable;v=1"]), ("?view=w", [:]),
      ("/rows/1", [:]), ("/rows/1?view=v", [:]), ("/rows?at=0,0", ["Accept-Cells": "Label"]),
    ]
    for (query, headers) in forms {
      let tag = try service.request("GET", "/v1/tables/todo\(query)", headers)["ETag"]
      let matched = try service.request("POST", "/v1/tables/todo/items", ["If-Match": tag], body: [:])
      #expect(matched.status == 201, "\(query) \(headers): \(matched.text)")
      let late = try service.request("POST", "/v1/tables/todo/items", ["If-Match": tag], body: [:])
      #expect(late.status == 412, "\(query) \(headers): \(late.text)")
    }
  }

  /// The versions of a table don't tell one item's: its tag says that no edit can depend on it.
  @Test func anItemsTagIsWeak() throws {
    let service = try ServiceProcess(Self.tables)
    let path = "/v1/tables/todo/items/1"
    let tag = try service.request("GET", path)["ETag"]
    #expect(tag.hasPrefix("W/\""), "\(tag)")
    #expect(try service.request("GET", path, ["If-None-Match": tag]).status == 304)
    #expect(try service.request("PATCH", path, ["If-Match": tag], body: ["title": "late"]).status == 412)
    #expect(try service.request("PATCH", path, body: ["title": "new"]).status == 200)
    #expect(try service.request("GET", path, ["If-None-Match": tag]).status == 200)
  }

  @Test func aTapHasConditionsToo() throws {
    let service = try ServiceProcess(Self.tables)
    let old = try service.request("GET", "/v1/tables/todo")["ETag"]
    #expect(try service.request("POST", "/v1/tables/todo/items", body: [:]).status == 201)
    for query in ["", "?view=v"] {
      let before = try service.request("GET", "/v1/tables/todo\(query)")
      let late = try service.request("POST", "/v1/tables/todo/rows/1/tap\(query)", ["If-Match": old])
      #expect(late.status == 412, "\(query)")
      #expect(try service.request("GET", "/v1/tables/todo\(query)").body == before.body)
      let tap = try service.request("POST", "/v1/tables/todo/rows/1/tap\(query)", ["If-Match": before["ETag"]])
      #expect(tap.status == 200, "\(query)")
    }
  }

  @Test func aRepeatedTapTogglesOnce() throws {
    let folder = try TemporaryFolder()
    let stored = Self.tables.replacingOccurrences(of: "store: memory", with: "store: {path: \"{folder}/store.sqlite\"}")
    var service = try ServiceProcess(stored, in: folder)
    func tap(_ query: String, key: String) throws -> Reply {
      try service.request("POST", "/v1/tables/todo/rows/1/tap\(query)", ["Idempotency-Key": key])
    }
    for query in ["", "?view=v"] {
      let first = try tap(query, key: "k\(query)")
      let again = try tap(query, key: "k\(query)")
      #expect(first.status == 200 && again.body == first.body, "\(query): \(again.text)")
      let next = try tap(query, key: "l\(query)")
      #expect(try next.json["row"]?["payload"]?["isExpanded"] != first.json["row"]?["payload"]?["isExpanded"])
    }
    #expect(try tap("?view=w", key: "k").status == 422, "the key of another request")
    // What everyone sees outlives a restart, and so does the answer.
    let last = try tap("", key: "m")
    try service.end()
    service = try ServiceProcess(stored, in: folder)
    let again = try tap("", key: "m")
    #expect(again.body == last.body)
  }

  /// A proxy may write a path otherwise than the one that the first request went through.
  @Test func aRepeatIsKnownHoweverItsPathIsWritten() throws {
    let service = try ServiceProcess(todo)
    func add(_ path: String, _ title: String = "T") throws -> Reply {
      try service.request("POST", "/v1/tables/\(path)/items", ["Idempotency-Key": "k"], body: ["title": .string(title)])
    }
    let first = try add("todo")
    for path in ["todo", "%74odo", "t%6F%64o", "t%6fdo"] { #expect(try add(path).body == first.body, "\(path)") }
    #expect(try add("%74odo", "U").status == 422)
    let row = try required(first.json["id"]?.text, "an id")
    let rows = ["\(row)", row.utf8.map { "%" + String($0, radix: 16) }.joined()]
    let patches = try rows.map {
      try service.request("PATCH", "/v1/tables/todo/items/\($0)", ["Idempotency-Key": "p"], body: ["title": "V"])
    }
    #expect(patches[0].status == 200 && patches[0].body == patches[1].body)
    let twice = ["Idempotency-Key": "a", "idempotency-key": "b"]
    #expect(try service.request("POST", "/v1/tables/todo/items", twice, body: ["title": "W"]).status == 400)
  }

  /// After a restart a client's screen may have another view, and ask in another order.
  @Test func aRepeatIsKnownInAnotherView() throws {
    let service = try ServiceProcess(todo)
    let queries = ["section=today&at=0", "at=0&section=today&view=v", "view=w&section=today&at=0"]
    let replies = try (queries + ["section=today&at=1"]).map {
      try service.request("POST", "/v1/tables/todo/items?\($0)", ["Idempotency-Key": "k"], body: ["title": "T"])
    }
    let ids = try replies.dropLast().map { try $0.json["id"]?.text }
    #expect(ids[0] != nil && ids.allSatisfy { $0 == ids[0] }, "\(replies.map(\.text))")
    #expect(replies.last?.status == 422, "another place")
  }

  @Test func aRefusedBatchNamesTheEdit() throws {
    let service = try ServiceProcess(todo)
    let cases: [(JSONValue, Int, String)] = [
      (["op": "delete", "id": "none"], 404, "edits[1]"),
      (["op": "add", "item": ["title": 5]], 422, "edits[1].title"),
      (["op": "patch", "id": "3", "patch": ["title": nil]], 422, "edits[1].title"),
      (["op": "move", "id": "1"], 400, "edits[1]"),
      (["op": "zap"], 400, "edits[1].op"),
      (["op": "delete"], 400, "edits[1].id"),
      (["op": "patch", "id": "1"], 400, "edits[1].patch"),
      (["op": "add", "at": -1], 400, "edits[1].at"),
      (["op": "add", "after": "1", "before": "2"], 400, "edits[1].before"),
      (["op": "move", "id": "3", "after": "1"], 403, "edits[1]"),
      (["op": "add", "section": "today", "at": 9], 422, "edits[1].at"),
    ]
    for (edit, status, field) in cases {
      let reply = try service.request("POST", "/v1/tables/todo/edits", body: ["edits": [["op": "add"], edit]])
      #expect(reply.status == status, "\(reply.text)")
      #expect(try reply.json["field"]?.text == field, "\(reply.text)")
      #expect(try reply.json["at"] == 1, "\(reply.text)")
    }
    #expect(try service.mirror("todo").titles == [["A", "B"], ["C"]])
  }

  /// What can't be read as it is, too: a number beyond 64 bits, a name that stands twice, half of a surrogate pair.
  @Test(arguments: [
    (#"{"op": "patch", "id": "1", "patch": {"n": 123456789012345678901}}"#, "edits[1]"),
    (#"{"op": "add", "item": {"n": [1e400]}}"#, "edits[1]"),
    (#"{"op": "add", "item": {"n": "\ud83d"}}"#, "edits[1]"), (#"{"op": "add", "item": {"n": tru}}"#, "edits[1]"),
    (#"{"op": "add", "item": {"n": 1, "n": 2}}"#, "edits[1].item.n"),
    (
      #"{"op": "add", "item": {"n": \#(String(repeating: "[", count: 70) + String(repeating: "]", count: 70))}}"#,
      "edits[1]"
    ),
  ]) func aBatchNamesTheEditThatCantBeRead(edit: String, field: String) throws {
    let service = try ServiceProcess(todo)
    for list in ["[{\"op\": \"add\"}, \(edit), {\"op\": \"zap\"}]", "[{\"op\":\"add\"},\(edit)]"] {
      for body in [list, "{\"edits\": \(list)}"] {
        let client = try service.client()
        let fields = "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)"
        let reply = try client.request("POST", "/v1/tables/todo/edits", raw: fields, body: body)
        #expect(reply.status == 400, "\(reply.text)")
        #expect(try reply.json["at"] == 1 && reply.json["field"]?.text == field, "\(reply.text)")
      }
    }
    // What is wrong with all of it is wrong with none of them.
    for body in ["{\"edits\": [{\"op\": \"add\"}], \"n\": 1e400}", "{\"edits\": [{\"op\": \"add\"}, ", "nothing"] {
      let client = try service.client()
      let fields = "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)"
      let reply = try client.request("POST", "/v1/tables/todo/edits", raw: fields, body: body)
      #expect(try reply.status == 400 && reply.json["at"] == nil, "\(reply.text)")
    }
    #expect(try service.mirror("todo").titles == [["A", "B"], ["C"]])
  }

  /// A number that can't be kept would become null, and null in a patch removes.
  @Test func aNumberThatCantBeKeptIsRefused() throws {
    let service = try ServiceProcess(todo)
    for number in ["1e400", "123456789012345678901"] {
      let client = try service.client()
      let body = "{\"done\": \(number)}"
      let fields = "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)"
      let reply = try client.request("PATCH", "/v1/tables/todo/items/1", raw: fields, body: body)
      #expect(reply.status == 400, "\(number): \(reply.text)")
    }
    #expect(try service.request("GET", "/v1/tables/todo/items/1").json["done"] == false)
  }
}

extension HTTPClient {
  /// With a body that no `JSONValue` has.
  fileprivate func request(_ method: String, _ target: String, raw fields: String, body: String) throws -> Reply {
    try send(raw: "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n\(body)")
    return try receive("\(method) \(target)")
  }
}
