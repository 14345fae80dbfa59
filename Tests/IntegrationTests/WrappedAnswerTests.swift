import Foundation
import JSON
import TestSupport
import Testing

/// Servers that wrap what they answer: the list under `data`, an edit's item in a list, refusals with 200.
@Suite struct WrappedAnswerTests {
  private static func configuration(_ url: String, list: String = "rows", id: String = "${id}", edits: String) -> String
  {
    """
    store: memory
    sources:
      items: {url: "\(url)/items", every: 1h, items: "${\(list)}", retries: 0}
    cells:
      Label: {nib: Label, fields: {title: string, subtitle: string}}
    tables:
      t:
        source: items
        row: {id: "\(id)"}
        cell: Label
        payload: {title: "${title}", subtitle: "${$response.label}"}
        sections: [{id: main, header: {cell: Label, payload: {title: "${$response.label}", subtitle: ""}}}]
        edits:
          \(edits)
    """
  }

  private static func item(_ id: Int, _ title: String, _ tag: Int = 0) -> JSONValue {
    ["id": .integer(Int64(id)), "title": .string(title), "tag": .integer(Int64(tag))]
  }

  /// Datasette: `{"ok": true, "rows": [{…}]}`. Each of three parallel inserts is answered with its own row.
  @Test func parallelInsertsEachGetTheirOwnRow() throws {
    let items = Monitor([Self.item(749, "old")])
    let upstream = try ScriptedUpstream([])
    upstream.answer { request in
      guard request.method == "POST" else { return .json(["label": "L", "rows": .array(items.current)]) }
      let body = (try? JSONValue(parsing: request.body)) ?? .null
      return items.change { items in
        let item = Self.item(749 + items.count, body["title"]?.text ?? "")
        items.append(item)
        // None is answered before all are there: the refresh after the first one has them all.
        return .late(0.5, ["ok": true, "rows": [item]])
      }
    }
    let edits = "insert: {url: \"\(upstream.url)/insert\", body: \"${$edit}\", item: \"${rows[0]}\"}"
    let service = try ServiceProcess(Self.configuration(upstream.url, edits: edits))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let inserts = ["a", "b", "c"].map { title in
      (
        title,
        Background("the insert of \(title)") {
          try service.request("POST", "/v1/tables/t/items", body: ["title": .string(title)])
        }
      )
    }
    for (title, insert) in inserts {
      let reply = try insert.value()
      let id = try required(try reply.json["id"]?.text, "an id in \(reply.text)")
      #expect(items.current.first { $0["title"]?.text == title }?["id"]?.number == Int(id), "\(title)")
      #expect(reply["Location"] == "/v1/tables/t/items/\(id)")
    }
    let mirror = try service.follow("t", until: "has all") { $0.rows.count == 4 }
    #expect(Set(mirror.rows) == ["749", "750", "751", "752"])
  }

  /// A detail that leaves out what the list has, without a word about where the item stands: it is the row's all the same,
  /// and what stands around an item is not.
  @Test(arguments: ["${id}", "row-${id}", "${type ?? 'item'}-${id}", "${'row-' + (id | string)}"])
  func answersAreTheItemByItsIdentity(id: String)
    throws
  {
    let record = Monitor(Self.item(1, "One", 100))
    let upstream = try ScriptedUpstream([])
    let fetches = Monitor(0)
    upstream.answer { request in
      switch request.method {
      case "POST": return .json(["ok": true, "rows": [["id": 9]]])
      case "PATCH":
        return record.change { record in
          guard request.headers["if-match"] == "\"\(record["tag"]?.number ?? 0)\"" else { return .status(412, "{}") }
          record["tag"] = .integer(Int64((record["tag"]?.number ?? 0) + 1))
          return .json(["id": record["id"] ?? .null, "tag": record["tag"] ?? .null])
        }
      default:
        let count = fetches.change { count in
          count += 1
          return count
        }
        return count == 1
          ? .json(["label": "L", "rows": [record.current]]) : .late(2, ["label": "L", "rows": [record.current]])
      }
    }
    let edits = [
      #"patch: {url: "\#(upstream.url)/items/${$id}", headers: {If-Match: '"${tag}"'}, body: "${$edit}"}"#,
      #"insert: {url: "\#(upstream.url)/items", body: "${$edit}"}"#,
    ].joined(separator: "\n      ")
    let service = try ServiceProcess(Self.configuration(upstream.url, id: id, edits: edits))
    let before = try service.follow("t", until: "is ready") { $0.state == "ready" }
    let row = before.rows[0]
    for title in ["a", "b"] {
      let reply = try service.request("PATCH", "/v1/tables/t/items/\(row)", body: ["title": .string(title)])
      #expect(reply.status == 200, "\(title): \(reply.text)")
    }
    #expect(try service.request("GET", "/v1/tables/t/items/\(row)").json["tag"] == 102)
    #expect(try service.mirror("t").titles == [["b"]], "what the answer leaves out is as it was sent")
    let insert = try service.request("POST", "/v1/tables/t/items", body: ["title": "x"])
    #expect(try insert.status == 201 && insert["Location"].isEmpty && insert.json["id"] == nil, "\(insert.text)")
    #expect(try service.mirror("t").rows == [row])
  }

  /// GraphQL says no with 200: `errors` is where it says why, as the list is under `data`.
  @Test(
    arguments: [
      ["data": nil, "errors": [["message": "the name is taken"]]],
      ["data": ["add": nil], "errors": [["message": "the name is taken"], ["message": "and too long"]]],
    ] as [JSONValue]
  )
  func refusalsWithStatus200(answer: JSONValue) throws {
    let upstream = try ScriptedUpstream([])
    upstream.answer { request in
      request.method == "POST"
        ? .reply(200, [:], answer) : .json(["label": "L", "data": ["nodes": [Self.item(1, "One")]]])
    }
    let edits = "insert: {url: \"\(upstream.url)/graphql\", body: \"${$edit}\", item: \"${data.add}\"}"
    let service = try ServiceProcess(Self.configuration(upstream.url, list: "data.nodes", edits: edits))
    let mirror = try service.follow("t", until: "is ready") { $0.state == "ready" }
    let reply = try service.request("POST", "/v1/tables/t/items", body: ["title": "x"])
    #expect(reply.status == 422 && reply.text.contains("the name is taken"), "\(reply.text)")
    try mirror.check(equals: service.snapshot("t"))
  }

  /// `refused` of its own, over the answer and `$status`.
  @Test func refusalsInOtherWords() throws {
    let upstream = try ScriptedUpstream([])
    upstream.answer { request in
      request.method == "PATCH"
        ? .reply(202, [:], ["result": ["reason": "not on Sundays"]])
        : .json(["label": "L", "rows": [Self.item(1, "One")]])
    }
    let edits =
      "patch: {url: \"\(upstream.url)/${$id}\", body: \"${$edit}\", refused: \"${$status == 202 ? result.reason : null}\"}"
    let service = try ServiceProcess(Self.configuration(upstream.url, edits: edits))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let reply = try service.request("PATCH", "/v1/tables/t/items/1", body: ["title": "x"])
    #expect(reply.status == 422 && reply.text.contains("not on Sundays"), "\(reply.text)")
  }

  /// A forwarded edit's version is made of the last whole response: what shows `$response` goes on showing it.
  @Test func theResponseStaysWhereAnEditIsLaidOverIt() throws {
    let items = Monitor([Self.item(1, "One"), Self.item(2, "Two")])
    let upstream = try ScriptedUpstream([])
    upstream.answer { request in
      guard request.method == "PATCH" else { return .json(["label": "L", "rows": .array(items.current)]) }
      return items.change { items in
        items[0]["title"] = "1"
        return .json(["item": items[0]])
      }
    }
    let edits = "patch: {url: \"\(upstream.url)/items/${$id}\", body: \"${$edit}\", item: \"${item}\"}"
    let service = try ServiceProcess(Self.configuration(upstream.url, edits: edits))
    let before = try service.follow("t", until: "is ready") { $0.state == "ready" }
    let poll = try service.poll("t", after: before.cursor)
    try service.awaitPolls(1)
    #expect(try service.request("PATCH", "/v1/tables/t/items/1", body: ["title": "1"]).status == 200)
    var mirror = before
    try mirror.apply(poll.value().json)
    #expect(mirror.titles == [["1", "Two"]])
    #expect(mirror.sections[0].header["payload"]?["title"] == "L")
    #expect(mirror.rows.allSatisfy { mirror.row($0)?["payload"]?["subtitle"] == "L" })
    #expect(mirror.attributes["counts"] == before.attributes["counts"], "no item is skipped")
  }

  /// Kinto: each PATCH names the record's version. The second one goes out with what the first one was answered.
  @Test func anEditAfterAnEditKnowsWhatTheUpstreamAnswered() throws {
    let record = Monitor(Self.item(1, "One", 100))
    let upstream = try ScriptedUpstream([])
    // No fetch after the first is ever answered: what is known is from the edits alone.
    let fetches = Monitor(0)
    upstream.answer { request in
      guard request.method == "PATCH" else {
        let count = fetches.change { count in
          count += 1
          return count
        }
        return count == 1 ? .json(["label": "L", "rows": [record.current]]) : .late(5, ["rows": []])
      }
      return record.change { record in
        guard request.headers["if-match"] == "\"\(record["tag"]?.number ?? 0)\"" else {
          return .status(412, "{\"message\":\"modified meanwhile\"}")
        }
        let body = (try? JSONValue(parsing: request.body)) ?? .null
        record["title"] = body["title"] ?? .null
        record["tag"] = .integer(Int64((record["tag"]?.number ?? 0) + 7))
        return .json(["data": record])
      }
    }
    let edits = """
      patch: {url: "\(upstream.url)/items/${$id}", headers: {If-Match: '"${tag}"'}, body: "${$edit}", item: "${data}"}
      """
    let service = try ServiceProcess(Self.configuration(upstream.url, edits: edits))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    for title in ["a", "b", "c"] {
      let reply = try service.request("PATCH", "/v1/tables/t/items/1", body: ["title": .string(title)])
      #expect(reply.status == 200, "\(title): \(reply.text)")
    }
    #expect(record.current["title"] == "c")
    #expect(try service.request("GET", "/v1/tables/t/items/1").json["tag"] == 121)
  }
}
