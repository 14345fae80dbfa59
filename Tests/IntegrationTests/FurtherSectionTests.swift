import Foundation
import JSON
import TestSupport
import Testing

/// Items that stand in several sections: whichever of its rows is edited, the upstream knows the item by its own name.
@Suite struct FurtherSectionTests {
  @Test func editsNameTheItem() throws {
    let fetches = Monitor(0)
    let upstream = try ScriptedUpstream { request in
      let items: JSONValue = [["id": 1, "title": "One", "isOpen": true], ["id": 2, "title": "Two", "isOpen": true]]
      guard request.method == "GET" else { return .reply(200, [:], ["ok": true]) }
      // What follows an edit takes its time: until then it is shown as it was accepted.
      return fetches.change { count in
        count += 1
        return count == 1 ? .json(items) : .late(1, items)
      }
    }
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources: {items: {url: "\(upstream.url)/items", every: 1h, retries: 0}}
      tables:
        t:
          source: items
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          sections: {match: all, list: [{id: all}, {id: open, where: isOpen}]}
          edits:
            patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}
            delete: {url: "\(upstream.url)/items/${$id}"}
            move: {url: "\(upstream.url)/items/${$id}/move", body: {beside: "${$edit.after ?? $edit.before}"}}
          actions: {close: {title: Close, request: {url: "\(upstream.url)/items/${$id}/close"}}}
      """
    )
    let mirror = try service.follow("t", until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["1", "2", "1@open", "2@open"])
    let cases: [(String, String, JSONValue?, String, JSONValue?)] = [
      ("PATCH", "items/1@open", ["title": "x"], "/items/1", ["title": "x"]),
      ("POST", "rows/2@open/actions/close", nil, "/items/2/close", nil),
      ("POST", "items/1@open/move", ["after": "2@open"], "/items/1/move", ["beside": "2"]),
      ("POST", "items/2/move", ["before": "1@open"], "/items/2/move", ["beside": "1"]),
      ("DELETE", "items/2@open", nil, "/items/2", nil),
    ]
    for (method, path, body, target, sent) in cases {
      let reply = try service.request(method, "/v1/tables/t/\(path)", body: body)
      #expect((200..<300).contains(reply.status), "\(path): \(reply.text)")
      let last = try required(upstream.requests.current.last { $0.method != "GET" }, "an edit")
      #expect(last.target == target, "\(path)")
      let shown = Set(try service.mirror("t").rows)
      #expect(shown == (method == "DELETE" ? ["1", "1@open"] : ["1", "2", "1@open", "2@open"]), "\(path)")
      if let sent { #expect(try JSONValue(parsing: last.body) == sent, "\(path)") }
    }
    // The one edit of a batch is to blame for what is wrong with it.
    let batch = try service.request(
      "POST",
      "/v1/tables/t/edits",
      body: ["edits": [["op": "patch", "id": "9", "patch": ["title": "x"]]]]
    )
    #expect(
      try batch.status == 404 && batch.json["at"] == 0 && batch.json["field"]?.text == "edits[0]",
      "\(batch.text)"
    )
  }
}
