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

  /// What a plain table keeps is what members show: as it is when they are made, and as it becomes.
  @Test func membersFollowTheItemsThatAPlainTableKeeps() throws {
    let folder = try TemporaryFolder()
    var service = try ServiceProcess(Self.notes(title: "${title}"), in: folder)
    var done = try service.mirror("by;done=yes")
    #expect(done.rows == ["2"])
    let poll = try service.poll("by;done=yes", after: done.cursor)
    #expect(try service.request("PATCH", "/v1/tables/all/items/1", body: ["done": "yes"]).status == 200)
    try done.apply(poll.value().json)
    #expect(done.rows == ["1", "2"])
    // One that is made afterwards.
    #expect(try service.mirror("by;done=no").rows == [])
    #expect(try service.request("POST", "/v1/tables/all/items", body: ["title": "C", "done": "no"]).status == 201)
    try service.follow("by;done=no", until: "has what was added") { $0.rows == ["3"] }
    let reply = try service.request("DELETE", "/v1/tables/by;done=no/items/3")
    #expect(reply.status == 403 && reply.text.contains("in a table of their own"), "\(reply.text)")
    // The family's cell becomes another one: members go on from what is kept.
    let before = try service.mirror("by;done=yes")
    try folder.write(Self.notes(title: "${title}!"))
    service.signal(SIGHUP)
    let after = try service.follow("by;done=yes", from: before, until: "has the new payload") {
      $0.row("1")?["payload"]?["title"] == "A!"
    }
    #expect(after.rows == ["1", "2"] && after.resets.isEmpty)
    try service.end(SIGKILL)
    service = try ServiceProcess(Self.notes(title: "${title}"), in: folder)
    #expect(try service.mirror("by;done=yes").rows == ["1", "2"])
  }

  private static func notes(title: String) -> String {
    """
    store: {path: "{folder}/store.sqlite"}
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources: {notes: {local: {items: [{title: A, done: "no"}, {title: B, done: "yes"}]}}}
    tables:
      by:
        source: notes
        parameters: {done: {pattern: "[a-z]+"}}
        cell: Label
        payload: {title: "\(title)"}
        sections: [{id: main, where: done == $params.done}]
      all: {source: notes, cell: Label, payload: {title: "${title}"}}
    """
  }

  /// Where no plain table keeps them they are the configuration's: another configuration is a change.
  @Test func membersFollowTheConfigurationsItems() throws {
    func file(_ items: String) -> String {
      """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources: {notes: {local: {items: [\(items)]}}}
      tables:
        list:
          source: notes
          parameters: {kind: {pattern: "[a-z]"}}
          cell: Label
          payload: {title: "${title}"}
          sections: [{id: main, where: kind == $params.kind}]
      """
    }
    let folder = try TemporaryFolder()
    let service = try ServiceProcess(file("{title: A, kind: x}, {title: B, kind: x}"), in: folder)
    var mirror = try service.mirror("list;kind=x")
    let poll = try service.poll("list;kind=x", after: mirror.cursor)
    try folder.write(file("{title: A, kind: x}, {title: B, kind: y}, {title: C, kind: x}"))
    service.signal(SIGHUP)
    try mirror.apply(poll.value().json)
    #expect(mirror.rows == ["1", "3"] && mirror.row("3")?["payload"]?["title"] == "C")
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
