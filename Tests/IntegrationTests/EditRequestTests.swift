import Foundation
import JSON
import TestSupport
import Testing

/// What upstreams are sent for an edit, and what their answers then stand for.
@Suite struct EditRequestTests {
  private static func configuration(_ url: String) -> String {
    """
    store: memory
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources:
      items: {url: "\(url)/items", every: 1h, retries: 0}
      alerts: {url: "\(url)/alerts", every: 1h, retries: 0}
    tables:
      t:
        source: items
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: main}, {id: alerts, source: alerts, row: {id: "${print}"}}]
        edits:
          insert: {url: "\(url)/${$edit.section ?? 'items'}", body: "${$edit}"}
          delete: {url: "\(url)/items/${uuid}?why=${$edit.why}"}
        actions: {ping: {request: {url: "\(url)/items/${$id}/ping"}}}
    """
  }

  private static func upstream() throws -> (ScriptedUpstream, Monitor<[String: [JSONValue]]>) {
    let lists = Monitor<[String: [JSONValue]]>([
      "/items": [["id": 1, "title": "One", "uuid": "u1"], ["id": 2, "title": "Two"]], "/alerts": [],
    ])
    let upstream = try ScriptedUpstream { request in
      guard request.method != "GET" else { return .json(.array(lists.current[request.target] ?? [])) }
      guard let list = lists.current[request.target] else { return .json(["ok": true]) }
      let body = (try? JSONValue(parsing: request.body)) ?? .null
      let known = list.firstIndex { $0["id"] != nil && $0["id"] == body["id"] }
      lists.change { lists in
        if let known { lists[request.target]?[known] = body } else { lists[request.target]?.append(body) }
      }
      return .reply(201, [:], body)
    }
    return (upstream, lists)
  }

  private static func service(_ upstream: ScriptedUpstream) throws -> ServiceProcess {
    let service = try ServiceProcess(configuration(upstream.url))
    try service.follow("t", until: "is ready") { $0.state == "ready" && $0.rows == ["1", "2"] }
    return service
  }

  /// `/items/` is all of them.
  @Test func aPathThatNamesNothingIsSentNowhere() throws {
    let (upstream, _) = try Self.upstream()
    let service = try Self.service(upstream)
    let reply = try service.request("DELETE", "/v1/tables/t/items/2")
    #expect(reply.status == 422 && reply.text.contains("uuid"), "\(reply.text)")
    #expect(upstream.requests.current.allSatisfy { $0.method == "GET" })
    #expect(try service.request("DELETE", "/v1/tables/t/items/1").status == 200, "the query may have nothing in it")
    #expect(upstream.requests.current.contains { $0.target.hasPrefix("/items/u1") })
  }

  @Test func aRequestWithoutABodyHasNoContentType() throws {
    let (upstream, _) = try Self.upstream()
    let service = try Self.service(upstream)
    #expect(try service.request("POST", "/v1/tables/t/rows/1/actions/ping").status == 200)
    let ping = try required(upstream.requests.current.first { $0.method == "POST" }, "the request")
    #expect(ping.headers["content-type"] == nil && ping.headers["content-length"] == "0")
  }

  /// An upstream that had the item already has changed it.
  @Test func anInsertOfWhatIsThere() throws {
    let (upstream, _) = try Self.upstream()
    let service = try Self.service(upstream)
    let before = try service.mirror("t")
    let poll = try service.poll("t", after: before.cursor)
    let reply = try service.request("POST", "/v1/tables/t/items", body: ["id": 2, "title": "Deux"])
    #expect(try reply.status == 201 && reply.json["id"] == "2", "\(reply.text)")
    var mirror = before
    try mirror.apply(poll.value().json)
    #expect(mirror.titles == [["One", "Deux"]])
    #expect(try reply.json["cursor"]?.text == mirror.cursor)
  }

  /// The answer to what is added to a section of another source is that source's item.
  @Test func anInsertIntoASectionOfAnotherSource() throws {
    let (upstream, _) = try Self.upstream()
    let service = try Self.service(upstream)
    let item: JSONValue = ["print": "abc", "title": "Disk"]
    let reply = try service.request("POST", "/v1/tables/t/items?section=alerts", body: item)
    #expect(try reply.status == 201 && reply.json["id"] == "abc", "\(reply.text)")
    #expect(reply["Location"] == "/v1/tables/t/items/abc")
    let mirror = try service.mirror("t")
    #expect(mirror.rows == ["1", "2", "abc"])
  }
}
