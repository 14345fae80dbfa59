import Foundation
import JSON
import TestSupport
import Testing

/// Edits that are at the upstream while their table goes and is made anew, of what the upstream says meanwhile.
@Suite struct ForwardedEditReturnTests {
  private static func configuration(_ url: String, tables: String) -> String {
    """
    store: memory
    cells: {Label: {fields: {title: string}}}
    sources:
      up: {url: "\(url)/items", every: 0s, retries: 0}
    tables:
      other: {source: {local: {items: []}}, cell: Label, payload: {title: x}}
      \(tables)
    """
  }

  private static func table(_ url: String, _ more: String = "") -> String {
    """
    up: {source: up, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}, \
    edits: {patch: {url: "\(url)/items/${$id}", body: "${$edit}"}}\(more)}
    """
  }

  private static func upstream() throws -> ScriptedUpstream {
    try ScriptedUpstream { $0.method == "PATCH" ? .silence : .json([["id": 1, "title": "One"]]) }
  }

  private static func edit(_ service: ServiceProcess, _ upstream: ScriptedUpstream, meanwhile: () throws -> Void) throws
  {
    let edit = Background("the edit") {
      try service.request("PATCH", "/v1/tables/up/items/1", body: ["title": "Uno"])
    }
    try upstream.requests.wait(for: "the edit") { $0.contains { $0.method == "PATCH" } ? true : nil }
    try meanwhile()
    try service.follow("up", until: "is ready") { $0.state == "ready" }
    // Carried out now, and answered without the item.
    upstream.script { .json($0.method == "PATCH" ? ["ok": true] : [["id": 1, "title": "Uno"]]) }
    let reply = try edit.value()
    #expect(reply.status == 200, "\(reply.text)")
    let mirror = try service.mirror("up")
    #expect(mirror.titles == [["Uno"]])
    #expect(try reply.json["cursor"]?.text == mirror.cursor)
  }

  @Test func aTableThatAReloadTakesAwayAndAnotherBringsBack() throws {
    let upstream = try Self.upstream()
    let url = upstream.url
    let whole = Self.configuration(url, tables: Self.table(url))
    let service = try ServiceProcess(whole)
    try service.follow("up", until: "is ready") { $0.state == "ready" }
    try Self.edit(service, upstream) {
      for (configuration, status) in [(Self.configuration(url, tables: ""), 404), (whole, 200)] {
        try service.folder.write(configuration)
        service.signal(SIGHUP)
        try awaited("the table's \(status)") { try service.request("GET", "/v1/tables/up").status == status }
      }
    }
  }

  @Test func aMemberThatMakesRoomAndIsReadAgain() throws {
    let upstream = try Self.upstream()
    let url = upstream.url
    let more = ", parameters: {q: {default: a}}, instances: {max: 1}"
    let service = try ServiceProcess(Self.configuration(url, tables: Self.table(url, more)))
    try service.follow("up", until: "is ready") { $0.state == "ready" }
    try Self.edit(service, upstream) {
      _ = try service.mirror("up;q=b")
    }
  }

  /// What an answer leaves out stays as it was, wherever the item stands in it; what the edit has removed is gone.
  @Test func answersWithFewerMembers() throws {
    let item: JSONValue = ["id": 1, "title": "One", "note": "a", "group": "x"]
    let upstream = try ScriptedUpstream([])
    let url = upstream.url
    for (name, more) in [("outer", ""), ("inner", ", item: \"${rows[0]}\"")] {
      upstream.script { _ in .json([item]) }
      let service = try ServiceProcess(
        """
        store: memory
        cells: {Label: {fields: {title: string}}}
        sources: {up: {url: "\(url)/items", every: 0s, retries: 0}}
        tables:
          up:
            source: up
            row: {id: "${id}"}
            cell: Label
            payload: {title: "${title}"}
            sections: {groupBy: group}
            edits: {patch: {url: "\(url)/\(name)/${$id}", body: "${$edit}"\(more)}}
        """
      )
      try service.follow("up", until: "is ready") { $0.state == "ready" }
      // What the list has become is not told.
      let answer: JSONValue = ["id": 1, "title": "Uno"]
      upstream.script { $0.method == "GET" ? .silence : .json(name == "inner" ? ["rows": [answer]] : answer) }
      let path = "/v1/tables/up/items/1"
      let patched = try service.request("PATCH", path, body: ["title": "Uno", "note": nil])
      #expect(patched.status == 200, "\(patched.text)")
      let shown = try service.request("GET", path)
      #expect(shown.text == #"{"id":1,"title":"Uno","group":"x"}"#, "\(name)")
      #expect(try service.mirror("up").sections.map(\.id) == ["x"], "\(name)")
    }
  }

  /// Each edit has a connection of its own, as one that the upstream is about to close would leave it in doubt.
  @Test func connectionsOfEditsAreClosed() throws {
    let upstream = try ScriptedUpstream { .json($0.method == "PATCH" ? ["id": 1] : [["id": 1, "title": "One"]]) }
    let service = try ServiceProcess(Self.configuration(upstream.url, tables: Self.table(upstream.url)))
    try service.follow("up", until: "is ready") { $0.state == "ready" }
    for number in 0..<20 {
      let edited = try service.request("PATCH", "/v1/tables/up/items/1", body: ["title": .string("\(number)")])
      #expect(edited.status == 200, "\(edited.text)")
    }
    try upstream.connections.wait(for: "the connections to go", seconds: 20) { $0 <= 3 ? true : nil }
  }
}
