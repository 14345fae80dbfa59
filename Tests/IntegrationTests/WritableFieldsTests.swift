import Foundation
import JSON
import TestSupport
import Testing

/// `local.fields`: what edits may write, whichever way they come.
@Suite struct WritableFieldsTests {
  private static let fields = """
    {title: string, due: optional date, done: boolean, "address.street": optional string, link: optional url}
    """

  private static func file(_ fields: String?) -> String {
    """
    store: {path: "{folder}/store.sqlite"}
    cells: {Label: {nib: Label, fields: {title: string}}}
    tables:
      todo:
        source:
          local:
            default: {done: false, section: later}
            \(fields.map { "fields: \($0)" } ?? "items: []")
        cell: Label
        payload: {title: "# ${title ?? '?'}"}
        sections: {groupBy: section}
        can: {edit: true, move: true}
        actions:
          finish: {title: Done, patch: {done: true, due: null}}
          break: {title: Break, patch: {done: "${$edit.done}"}}
    """
  }

  @Test func whateverWritesIsChecked() throws {
    let service = try ServiceProcess(Self.file(Self.fields), in: try TemporaryFolder())
    func send(_ method: String, _ path: String, _ body: JSONValue) throws -> (status: Int, json: JSONValue) {
      let reply = try service.request(method, "/v1/tables/todo/\(path)", body: body)
      return (reply.status, try reply.json)
    }
    #expect(try send("POST", "items", ["title": "A"]).status == 201)
    let refused = try send("POST", "items", ["title": 1, "colour": "red", "address": ["street": 5]])
    #expect(refused.status == 422)
    #expect(refused.json["fields"]?["title"]?.elements.first?.text?.contains("a text") == true, "\(refused)")
    #expect(refused.json["fields"]?["colour"] != nil && refused.json["fields"]?["address.street"] != nil)
    #expect(try send("POST", "items", [:]).json["fields"]?["title"] == ["is missing"])
    #expect(try send("PATCH", "items/1", ["due": "tomorrow"]).json["field"] == "due")
    #expect(try send("PATCH", "items/1", ["due": "2026-12-24", "address": ["street": "B"]]).status == 200)
    #expect(try send("PATCH", "items/1", ["link": "javascript:alert(1)"]).status == 422)
    #expect(try send("PATCH", "items/1", ["done": nil]).status == 422)
    #expect(try send("PUT", "items/own", ["title": "P", "extra": 1]).status == 422)
    #expect(try send("PUT", "items/own", ["title": "P"]).status == 201)
    #expect(try send("PUT", "items/own", ["done": true]).json["fields"]?["title"] != nil)
    let batch = try send(
      "POST",
      "edits",
      ["edits": [["op": "add", "item": ["title": "B"]], ["op": "patch", "id": "1", "patch": ["x": 1]]]]
    )
    #expect(batch.status == 422 && batch.json["at"] == 1 && batch.json["fields"]?["x"] != nil, "\(batch)")
    #expect(try send("POST", "rows/1/actions/finish", nil).status == 200)
    #expect(try send("POST", "rows/1/actions/break", ["done": "yes"]).json["fields"]?["done"] != nil)
    // Where it stands is for the service to write: a section is no field here.
    #expect(try send("POST", "items/1/move", ["section": "today", "at": 0]).status == 200)
    #expect(try send("POST", "items?section=later&at=0", ["title": "C"]).status == 201)
    #expect(try send("POST", "items", ["title": "C", "section": "today"]).json["fields"]?["section"] != nil)
    let listed = try service.request("GET", "/v1/tables").json["tables"]?.elements.first?["itemSchema"]
    #expect(
      listed?["required"] == ["title", "done"] && listed?["additionalProperties"] == false,
      "\(String(describing: listed))"
    )
    #expect(listed?["properties"]?["address"]?["properties"]?["street"]?["type"] == ["string", "null"])
  }

  /// Items that were there before the declaration stay as they are.
  /// A client can't send what it may not write: neither whose a row is nor where it was moved to.
  @Test func whatNobodyMayWriteStaysWhereAnItemIsReplaced() throws {
    let service = try ServiceProcess(Self.file("{title: string, done: boolean}"))
    let items = "/v1/tables/todo/items"
    #expect(try service.request("PUT", "\(items)/own", body: ["title": "A", "done": true]).status == 201)
    #expect(try service.request("POST", "\(items)/own/move", body: ["section": "today"]).status == 200)
    #expect(try service.request("PUT", "\(items)/own", body: ["title": "B"]).status == 200)
    let item = try service.request("GET", "\(items)/own").json
    #expect(item == ["title": "B", "section": "today", "done": false], "\(item)")
    #expect(try service.request("PUT", "\(items)/own?section=later", body: ["title": "C"]).status == 200)
    #expect(try service.request("GET", "\(items)/own").json["section"] == "later")
    // Whatever it was stored with.
    let former = "items: [{title: Old, done: true, section: today, ext: {a: 1}}]\n        default:"
    let other = try ServiceProcess(Self.file("{title: string, done: boolean}").replacing("default:", with: former))
    #expect(try other.request("PUT", "\(items)/1", body: ["title": "New"]).status == 200)
    let replaced = try other.request("GET", "\(items)/1").json
    #expect(replaced == ["title": "New", "section": "today", "ext": ["a": 1], "done": false], "\(replaced)")
  }

  @Test func storedItemsAreTolerated() throws {
    let folder = try TemporaryFolder()
    let service = try ServiceProcess(Self.file(nil), in: folder)
    let item: JSONValue = ["title": 5, "colour": "red"]
    #expect(try service.request("POST", "/v1/tables/todo/items", body: item).status == 201)
    try folder.write(Self.file(Self.fields))
    service.signal(SIGHUP)
    try awaited("the configuration is read again") {
      try service.request("GET", "/v1/tables").text.contains("itemSchema")
    }
    func patch(_ body: JSONValue) throws -> Int {
      try service.request("PATCH", "/v1/tables/todo/items/1", body: body).status
    }
    #expect(try patch(["due": "2026-12-24"]) == 200)
    #expect(try patch(["colour": "blue"]) == 422)
    #expect(try patch(["title": 6]) == 422)
    #expect(try patch(["colour": nil, "title": "Six"]) == 200)
  }
}
