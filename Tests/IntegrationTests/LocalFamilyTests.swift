import Foundation
import JSON
import TestSupport
import Testing

/// A family over the configuration's own items: to be read by parameters, at once.
@Suite struct LocalFamilyTests {
  @Test func membersReadTheItemsByTheirParameters() throws {
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables:
        list:
          source: {local: {items: [{n: "1", title: B, kind: x}, {n: "2", title: A, kind: x}, {n: "3", title: C, kind: y}]}}
          row: {id: "${n}"}
          cell: Label
          payload: {title: "${title}"}
          parameters: {kind: {pattern: "[a-z]"}}
          sections: [{id: main, where: kind == $params.kind, sort: title}]
      """
    )
    #expect(try service.mirror("list;kind=x").rows == ["2", "1"])
    #expect(try service.mirror("list;kind=y").rows == ["3"])
    // A member keeps nothing, so it takes nothing.
    let reply = try service.request("PATCH", "/v1/tables/list;kind=x/items/1", body: ["title": "Z"])
    #expect(reply.status == 403, "\(reply.text)")
    #expect(try service.request("GET", "/v1/tables/list;kind=x").text.contains(#""can":{"edit":false,"move":false"#))
  }

  /// Beside a source that is sent the caller's credentials the service's own items are shown to each caller, and say that
  /// they can't be edited: a good token changes nothing in that.
  @Test func itemsBesideAForwardingSourceCanOnlyBeRead() throws {
    let upstream = try ScriptedUpstream { _ in .json([["id": "u", "title": "Theirs"]]) }
    let service = try ServiceProcess(
      """
      store: memory
      auth: {tokens: [{name: editor, sha256: "\(try sha256("good"))", allow: [read, edit]}]}
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources:
        mine: {local: {items: [{title: Own}]}}
        theirs: {url: "\(upstream.url)", forward: [Authorization]}
      tables:
        mixed:
          source: mine
          cell: Label
          payload: {title: "${title}"}
          sections: [{id: own}, {id: theirs, source: theirs, row: {id: "${id}"}}]
      """
    )
    let headers = ["Authorization": "Bearer good"]
    let table = try service.request("GET", "/v1/tables/mixed", headers).text
    #expect(table.contains(#""payload":{"title":"Own"},"can":{"edit":false,"move":false,"select":true}"#), "\(table)")
    let reply = try service.request(
      "PATCH",
      "/v1/tables/mixed/items/1",
      headers,
      body: ["title": "Z"]
    )
    #expect(reply.status == 403 && reply.text.contains("in a table of their own"), "\(reply.text)")
  }
}
