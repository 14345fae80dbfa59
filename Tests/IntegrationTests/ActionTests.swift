import Foundation
import JSON
import TestSupport
import Testing

/// What a swipe or a context menu offers, and what comes of it.
@Suite struct ActionTests {
  private static func configuration(_ url: String) -> String {
    """
    store: memory
    auth:
      tokens: [{name: editor, sha256: "\(editorDigest)", allow: [edit]}]
    sources:
      items: {url: "\(url)/items", every: 1h, retries: 0, timeout: 5s}
    cells:
      Label: {nib: Label, fields: {title: string, subtitle: string}}
    tables:
      remote:
        source: items
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}", subtitle: "${state}"}
        actions:
          archive:
            title: "Archive ${title}"
            style: destructive
            when: state == 'open'
            request: {method: POST, url: "\(url)/items/${$id}/archive", body: {was: "${title}", why: "${$edit.why}"}}
      todo:
        source: {local: {items: [{title: A, done: false}, {title: B, done: true}]}}
        cell: Label
        payload: {title: "${title}", subtitle: "is ${done}"}
        actions:
          done: {title: Done, when: "!done", patch: {done: "${!done}", by: "${$edit.by}"}}
    """
  }

  /// Of the token `editor`.
  private static let editorDigest = "1553cc62ff246044c683a61e203e65541990e7fcd4af9443d22b9557ecc9ac54"
  private static let editor = ["Authorization": "Bearer editor"]

  private static func upstream(answer: JSONValue = ["ok": true]) throws -> (ScriptedUpstream, Monitor<[JSONValue]>) {
    let items = Monitor([issue(1, "open", "One"), issue(2, "closed", "Two")])
    let upstream = try ScriptedUpstream([])
    upstream.answer { request in
      guard request.method == "POST" else { return .json(.array(items.current)) }
      return items.change { items in
        items[0]["state"] = "archived"
        return .reply(200, [:], answer)
      }
    }
    return (upstream, items)
  }

  @Test func rowsOfferWhatTheyMay() throws {
    let (upstream, _) = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let mirror = try service.follow("remote", until: "is ready") { $0.state == "ready" }
    #expect(
      mirror.row("1")?["actions"] == [["id": "archive", "title": "Archive One", "style": "destructive"]]
    )
    #expect(mirror.row("2")?["actions"] == nil)
    let todo = try service.mirror("todo")
    #expect(todo.row(try todo.id("A"))?["actions"] == [["id": "done", "title": "Done", "style": "normal"]])
  }

  /// The answer says nothing of the item, or nothing new and not all.
  @Test(arguments: [["ok": true], ["number": 1], ["number": 1, "title": "One"]] as [JSONValue])
  func anActionIsForwarded(answer: JSONValue) throws {
    let (upstream, _) = try Self.upstream(answer: answer)
    let service = try ServiceProcess(Self.configuration(upstream.url))
    var mirror = try service.follow("remote", until: "is ready") { $0.state == "ready" }
    let path = "/v1/tables/remote/rows/1/actions/archive"
    #expect(try service.request("POST", path, body: ["why": "old"]).status == 401)
    var headers = Self.editor
    headers["If-Match"] = "\"\(mirror.cursor)\""
    headers["Idempotency-Key"] = "k"
    let reply = try service.request("POST", path, headers, body: ["why": "old"])
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try reply.json["id"] == "1")
    let sent = try required(upstream.requests.current.first { $0.method == "POST" }, "a request")
    #expect(sent.target == "/items/1/archive" && sent.headers["idempotency-key"] == "k")
    #expect(try JSONValue(parsing: sent.body) == ["was": "One", "why": "old"])
    // What became of the item is what the refresh finds.
    try mirror.apply(service.changes("remote", after: mirror.cursor))
    #expect(try mirror.cursor == reply.json["cursor"]?.text, "one version: \(mirror.cursor) \(reply.text)")
    #expect(mirror.row("1")?["actions"] == nil)
    // A repeat is answered as the first, and nothing is sent.
    let again = try service.request("POST", path, headers, body: ["why": "old"])
    #expect(again.status == 200 && again.body == reply.body)
    // What the row no longer offers is not there.
    headers["Idempotency-Key"] = "l"
    headers["If-Match"] = nil
    #expect(try service.request("POST", path, headers).status == 404)
    #expect(upstream.requests.current.count { $0.method == "POST" } == 1)
  }

  @Test func whatCanNotBeDoneSaysSo() throws {
    let (upstream, _) = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let mirror = try service.follow("remote", until: "is ready") { $0.state == "ready" }
    let refusals = [("1/actions/none", 404), ("2/actions/archive", 404), ("9/actions/archive", 404)]
    for (target, status) in refusals {
      let reply = try service.request("POST", "/v1/tables/remote/rows/\(target)", Self.editor)
      #expect(reply.status == status, "\(target): \(reply.text)")
    }
    var headers = Self.editor
    headers["If-Match"] = "\"\(mirror.cursor)0\""
    #expect(try service.request("POST", "/v1/tables/remote/rows/1/actions/archive", headers).status == 412)
    #expect(!upstream.requests.current.contains { $0.method == "POST" })
    upstream.answer { request in request.method == "POST" ? .silence : .json([issue(1), issue(2)]) }
    let reply = try service.request("POST", "/v1/tables/remote/rows/1/actions/archive", Self.editor)
    #expect(reply.status == 504 && reply.text.contains("is not known"))
  }

  @Test func anActionPatchesALocalItem() throws {
    let service = try ServiceProcess(Self.configuration("http://127.0.0.1:1"))
    var mirror = try service.mirror("todo", Self.editor)
    let id = try mirror.id("A")
    let poll = try service.poll("todo", after: mirror.cursor, Self.editor)
    try service.awaitPolls(1)
    let path = "/v1/tables/todo/rows/\(id)/actions/done"
    let reply = try service.request("POST", path, Self.editor, body: ["by": "me"])
    #expect(reply.status == 200, "\(reply.text)")
    try mirror.apply(poll.value().json)
    #expect(try reply.json == ["cursor": .string(mirror.cursor), "id": .string(id)])
    #expect(mirror.row(id)?["payload"]?["subtitle"] == "is true" && mirror.row(id)?["actions"] == nil)
    #expect(try service.request("GET", "/v1/tables/todo/items/\(id)").json["by"] == "me")
    #expect(try service.request("POST", path, Self.editor).status == 404)
  }
}
