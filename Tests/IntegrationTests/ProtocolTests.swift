import Foundation
import JSON
import TestSupport
import Testing

@Suite struct ProtocolTests {
  @Test func everyReset() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(issues(upstream, every: "20ms", extra: "history: 2"))
    var mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let first = mirror.cursor
    let start = try service.request("GET", "/v1/tables/issues/changes?wait=5").json
    #expect(start["reset"] == "start" && start["from"] == .null)
    #expect(try service.changes("issues", after: "0011223344aa.9")["reset"] == "epoch")
    let epoch = first.split(separator: ".")[0]
    #expect(try service.changes("issues", after: "\(epoch).900")["reset"] == "ahead")
    for number in 2..<7 {
      upstream.answer([issue(1), issue(number)])
      mirror = try service.follow("issues", from: mirror, until: "has \(number)") { $0.rows.contains("\(number)") }
    }
    #expect(try service.changes("issues", after: first)["reset"] == "expired")
    // Everything is another: the deletions beside the new rows make the changeset larger than the snapshot.
    upstream.answer(.array((0..<40).map { issue(100 + $0) }))
    mirror = try service.follow("issues", from: mirror, until: "has 40 rows") { $0.rows.count == 40 }
    upstream.answer(.array((0..<40).map { issue(200 + $0) }))
    mirror = try service.follow("issues", from: mirror, until: "has other rows") { $0.rows.contains("200") }
    #expect(mirror.resets.last == "large")
    try mirror.check(equals: service.snapshot("issues"))
  }

  @Test func aCursorThatIsNoneIs400() throws {
    let service = try ServiceProcess(todo)
    for target in [
      "todo/changes?after=nonsense", "todo/changes?after=1.2.3&wait=0", "todo/changes?wait=-1", "todo/changes?wait=0x1",
      "todo/changes?wait=nan", "todo/changes?wait=", "todo/rows?at=0", "todo/rows?at=0,%2B1",
      "todo?view=a%20b",
    ] {
      let reply = try service.request("GET", "/v1/tables/\(target)")
      #expect(reply.status == 400, "\(target)")
      #expect(reply["Content-Type"] == "application/problem+json")
      #expect(try reply.json["field"] != nil, "\(target)")
    }
  }

  @Test func conditionalRequestsAndContentCodings() throws {
    let upstream = try ScriptedUpstream(.array((0..<50).map { issue($0) }))
    let service = try ServiceProcess(issues(upstream))
    let mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let plain = try service.request("GET", "/v1/tables/issues")
    #expect(plain["ETag"] == "\"\(mirror.cursor)\"")
    #expect(plain["Cache-Control"] == "no-cache")
    #expect(plain["Vary"].contains("Accept-Encoding") && plain["Vary"].contains("Accept-Cells"))
    let codings = [
      ("gzip", "gzip"), ("deflate", "deflate"), ("zstd", "zstd"), ("gzip, deflate, br, zstd", "zstd"),
      ("gzip;q=0, deflate;q=0.1", "deflate"), ("identity", ""),
      ("gzip;q=0.5, identity", ""), ("deflate;q=0.9, gzip;q=0.8, identity;q=0.1", "deflate"), ("*", "gzip"),
      ("gzip;q=0, deflate;q=0", ""),
    ]
    var tags: [String: String] = [:]
    for (accepted, coding) in codings {
      let reply = try service.request("GET", "/v1/tables/issues", ["Accept-Encoding": accepted])
      #expect(reply["Content-Encoding"] == coding, "\(accepted)")
      #expect(try reply.content == plain.body, "\(accepted)")
      tags[coding] = reply["ETag"]
      for tag in [reply["ETag"], "W/\(reply["ETag"])", "\"other\", \(reply["ETag"])", "*"] {
        let again = try service.request(
          "GET",
          "/v1/tables/issues",
          ["Accept-Encoding": accepted, "If-None-Match": tag]
        )
        #expect(again.status == 304 && again.body.isEmpty, "\(accepted) \(tag)")
        #expect(again["ETag"] == reply["ETag"])
      }
    }
    #expect(Set(tags.values).count == 4)
    let none = try service.request("GET", "/v1/tables/issues", ["Accept-Encoding": "identity;q=0, *;q=0"])
    #expect(none.status == 406)
    let head = try service.request("HEAD", "/v1/tables/issues")
    #expect(head.status == 200 && head["Content-Length"] == "\(plain.body.count)" && head["ETag"] == plain["ETag"])
  }

  @Test func whoTakesNothingOfWhatThereIsIsTold() throws {
    let service = try ServiceProcess(todo)
    let path = "/v1/tables/todo"
    for accepted in ["text/html", "application/json;q=0, */*", "application/xml, text/*;q=0.5"] {
      let reply = try service.request("GET", path, ["Accept": accepted])
      #expect(reply.status == 406 && reply["Content-Type"] == "application/problem+json", "\(accepted)")
      #expect(try reply.json["field"] == "Accept")
    }
    for accepted in ["*/*", "application/*", "text/html, */*;q=0.1", "Application/JSON; charset=utf-8", ""] {
      #expect(try service.request("GET", path, ["Accept": accepted]).status == 200, "\(accepted)")
    }
  }

  @Test func aMisspeltParameterIsNamed() throws {
    let service = try ServiceProcess(todo)
    for (query, meant) in [("rowz=3", "rows"), ("veiw=a", "view")] {
      let reply = try service.request("GET", "/v1/tables/todo?\(query)")
      #expect(reply.status == 400)
      #expect(try reply.json["detail"]?.text?.contains("did you mean `\(meant)`?") ?? false, "\(reply.text)")
    }
  }

  /// A client that sends all before it reads anything gets its refusal all the same.
  @Test func aRefusalOfALargeBodyIsRead() throws {
    let service = try ServiceProcess(todo)
    let item: JSONValue = ["title": .string(String(repeating: "x", count: 12 << 20))]
    let reply = try service.request("POST", "/v1/tables/todo/items", body: item)
    #expect(reply.status == 413 && reply["Content-Type"] == "application/problem+json")
  }

  @Test func waitsAreClampedAndPreferred() throws {
    let service = try ServiceProcess(todo)
    let cursor = try service.mirror("todo").cursor
    let target = "/v1/tables/todo/changes?after=\(cursor)"
    let preferred = try service.client().request("GET", target, ["Prefer": "wait=0"], seconds: 25)
    #expect(try preferred.json["stages"] == [] && preferred.json["to"]?.text == cursor)
    #expect(preferred["Link"] == "<\(target)&wait=0>; rel=\"next\"")
    for value in ["wait=\"0\"", "respond-async, Wait=0; strict", "wait = 0"] {
      let other = try service.client().request("GET", target, ["Prefer": value], seconds: 25)
      #expect(other["Link"].hasSuffix("&wait=0>; rel=\"next\""), "\(value)")
    }
    let query = try service.client().request("GET", target + "&wait=0", ["Prefer": "wait=30"], seconds: 25)
    #expect(query.status == 200)
    let clamped = try service.poll("todo", after: cursor, wait: 600)
    let added = try service.request("POST", "/v1/tables/todo/items", body: [:])
    #expect(added.status == 201)
    #expect(try clamped.value()["Link"].hasSuffix("&wait=55>; rel=\"next\""))
  }

  /// A member's first readers wait for its upstream no longer than they say, in either way.
  @Test func aPreferenceCountsForTheFirstFetch() throws {
    let upstream = try ScriptedUpstream { _ in .silence }
    let service = try ServiceProcess(
      """
      store: memory
      sources: {list: {url: "\(upstream.url)/${$params.q}", every: 0s, retries: 0}}
      tables: {list: {source: list, row: {id: "${number}"}, parameters: {q: {}}}}
      """
    )
    let target = "/v1/tables/list;q=a/changes"
    let expected = try service.request("GET", target + "?wait=0").status
    let begun = ContinuousClock.now
    #expect(try service.request("GET", target, ["Prefer": "wait=0"]).status == expected)
    // Without a word of theirs it is five seconds.
    #expect(begun.duration(to: .now) < .seconds(4.5))
  }

  @Test func severalTablesInOnePoll() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(
      issues(upstream)
        + "\n  todo: {source: {local: {items: []}}, cell: Label, payload: {title: \"${title}\"}, can: {edit: true}}\n"
    )
    let issues = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let todo = try service.mirror("todo")
    let client = try service.client()
    let target = "/v1/changes?after=issues:\(issues.cursor)&after=todo:\(todo.cursor)&wait=50"
    try client.send("GET", target)
    let added = try service.request("POST", "/v1/tables/todo/items", body: ["title": "One"]).json
    let changes = try client.receive(target).json["changes"]?.elements ?? []
    #expect(changes.map { $0["table"] } == ["todo"])
    var mirror = todo
    try mirror.apply(required(changes.first, "changes of todo"))
    #expect(mirror.cursor == added["cursor"]?.text)
    try mirror.check(equals: service.snapshot("todo"))
    let unchanged = try service.request("GET", "/v1/changes?after=todo:\(mirror.cursor)&wait=0").json
    #expect(unchanged == ["changes": []])
    #expect(try service.request("GET", "/v1/changes?wait=0").status == 400)
    // What can't be followed is said at once, and the others are followed all the same.
    let mixed = try service.request(
      "GET",
      "/v1/changes?after=none:\(mirror.cursor)&after=todo:\(mirror.cursor)&wait=50"
    )
    let trouble = try mixed.json["changes"]?.elements ?? []
    #expect(trouble.map { $0["table"] } == ["none"] && trouble.first?["problem"]?["status"] == 404)
    #expect(mixed["Link"].contains("after=todo:\(mirror.cursor)") && !mixed["Link"].contains("none"))
    #expect(
      try service.request("GET", "/v1/changes?after=todo:\(mirror.cursor)&after=todo:\(mirror.cursor)").status == 400
    )
  }

  @Test func aStreamOfEvents() throws {
    let service = try ServiceProcess(todo)
    var mirror = try service.mirror("todo")
    let before = mirror.cursor
    let client = try service.client()
    try client.send("GET", "/v1/tables/todo/stream?after=\(before)")
    let head = try client.receiveHead("the stream's head")
    #expect(head["Content-Type"].hasPrefix("text/event-stream"))
    _ = try service.request("POST", "/v1/tables/todo/items", body: ["title": "Streamed"])
    try mirror.apply(event(client.receiveChunk("an event")))
    #expect(mirror.cursor != before)
    try mirror.check(equals: service.snapshot("todo"))

    let again = try service.client()
    try again.send("GET", "/v1/tables/todo/stream?after=nonsense", ["Last-Event-ID": before])
    _ = try again.receiveHead("the second stream's head")
    #expect(try event(again.receiveChunk("the missed event"))["to"]?.text == mirror.cursor)
    let fresh = try service.client()
    try fresh.send("GET", "/v1/tables/todo/stream")
    _ = try fresh.receiveHead("the third stream's head")
    #expect(try event(fresh.receiveChunk("the first event"))["reset"] == "start")
  }

  /// The data of an event, which must be of the right kind and have the cursor as its identity.
  private func event(_ text: String) throws -> JSONValue {
    let lines = text.split(separator: "\n")
    let data = try required(lines.first { $0.hasPrefix("data: ") }, "an event without data: \(text)")
    let json = try JSONValue(parsing: String(data.dropFirst(6)))
    #expect(lines.contains("event: changes"))
    #expect(lines.contains("id: \(json["to"]?.text ?? "")"))
    return json
  }

  @Test func rowsItemsAndCells() throws {
    let upstream = try ScriptedUpstream { _ in
      .json([["number": 7, "state": "open", "title": "Seven", "extra": ["z": 1.50, "a": nil, "ü": "\u{1F600}"]]])
    }
    let service = try ServiceProcess(issues(upstream))
    let mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let byID = try service.request("GET", "/v1/tables/issues/rows/7").json
    #expect(byID["row"] == mirror.row("7") && byID["at"] == [0, 0] && byID["section"] == "open")
    #expect(try service.request("GET", "/v1/tables/issues/rows?at=0,0").json == byID)
    #expect(try service.request("GET", "/v1/tables/issues/rows?at=0,1").status == 404)
    #expect(try service.request("GET", "/v1/tables/issues/rows/8").status == 404)
    let item = try service.request("GET", "/v1/tables/issues/items/7")
    #expect(
      item.text
        == "{\"number\":7,\"state\":\"open\",\"title\":\"Seven\",\"extra\":{\"z\":1.5,\"a\":null,\"ü\":\"\u{1F600}\"}}"
    )
    let cells = try service.request("GET", "/v1/cells").json["cells"]?.elements ?? []
    let label = try required(cells.first { $0["cellIdentifier"] == "Label" }, "the cell Label")
    #expect(label["nib"] == "Label" && label["version"] == 1)
    #expect(label["schema"]?["properties"]?["title"]?["type"] == "string")
  }

  @Test func whatIsNotThere() throws {
    let service = try ServiceProcess(todo + "\ncors: {origins: [\"https://app.example.com\"]}")
    for target in ["/v1/tables/none", "/v1/nothing", "/v1/tables/todo/items/none", "/v1/tables/none/changes"] {
      let reply = try service.request("GET", target)
      #expect(reply.status == 404 && reply["Content-Type"] == "application/problem+json", "\(target)")
      #expect(try reply.json["status"] == 404 && reply.json["detail"]?.text?.isEmpty == false, "\(target)")
    }
    let method = try service.request("DELETE", "/v1/tables/todo")
    #expect(method.status == 405 && method["Allow"].contains("GET") && !method["Allow"].contains("DELETE"))
    let options = try service.request("OPTIONS", "/v1/tables/todo")
    #expect(options.status == 204 || options.status == 200)
    #expect(options["Allow"].contains("GET"))
    let origin = ["Origin": "https://app.example.com"]
    let shared = try service.request("GET", "/v1/tables/todo", origin)
    #expect(shared["Access-Control-Allow-Origin"] == "https://app.example.com")
    #expect(shared["Access-Control-Expose-Headers"].contains("Link"))
    let other = try service.request("GET", "/v1/tables/todo", ["Origin": "https://evil.example.com"])
    #expect(other["Access-Control-Allow-Origin"].isEmpty)
    for target in ["/healthz", "/readyz", "/metrics", "/v1/openapi.json", "/"] {
      #expect(try service.request("GET", target).status == 200, "\(target)")
    }
  }
}
