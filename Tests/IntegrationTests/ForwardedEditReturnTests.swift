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
}
