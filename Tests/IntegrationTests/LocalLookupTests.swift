import Foundation
import JSON
import TestSupport
import Testing

/// Items of the service's own that a table looks up, or shows beside those of its source, and another table keeps.
@Suite struct LocalLookupTests {
  private static func configuration(_ url: String, people: Bool = true) -> String {
    """
    store: {path: "{folder}/store.sqlite"}
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources:
      people: {local: {items: [{key: a, name: Ada}, {key: b, name: Ben}]}}
      items: {url: "\(url)/items", every: 1h, retries: 0}
    tables:
    \(people ? "  people: {source: people, cell: Label, payload: {title: \"${name}\"}}" : "")
      todo:
        source: {local: {items: [{title: one, who: a}, {title: two, who: b}, {title: three}]}}
        lookups: {person: {source: people, key: key, on: who}}
        cell: Label
        payload: {title: "${title} ${$person.name ?? '-'}"}
      issues:
        source: items
        row: {id: "${id}"}
        lookups: {person: {source: people, key: key, on: who}}
        cell: Label
        payload: {title: "${title} ${$person.name ?? '-'}"}
        edits:
          insert: {url: "\(url)/items", body: "${$edit}"}
          patch: {url: "\(url)/items/${$id}", body: "${$edit}"}
      both:
        source: items
        row: {id: "${id}"}
        sections: [{id: main}, {id: people, source: people, row: {id: "p${key}"}}]
        cell: Label
        payload: {title: "${title ?? name}"}
        edits: {patch: {url: "\(url)/items/${$id}", body: "${$edit}"}}
    """
  }

  private static func upstream() throws -> (ScriptedUpstream, Monitor<[JSONValue]>) {
    let items = Monitor<[JSONValue]>([["id": 1, "title": "One", "who": "b"]])
    let upstream = try ScriptedUpstream { request in
      let body = (try? JSONValue(parsing: request.body)) ?? .null
      return items.change { items in
        switch request.method {
        case "POST":
          var item = body
          item["id"] = .integer(Int64(items.count + 1))
          items.append(item)
          return .reply(201, [:], item)
        case "PATCH":
          items[0]["title"] = body["title"] ?? .null
          return .json(items[0])
        default: return .json(.array(items))
        }
      }
    }
    return (upstream, items)
  }

  @Test func rowsShowWhatAnotherTableKeeps() throws {
    let (upstream, _) = try Self.upstream()
    let folder = try TemporaryFolder()
    var service = try ServiceProcess(Self.configuration(upstream.url), in: folder)
    #expect(try service.mirror("todo").titles == [["one Ada", "two Ben", "three -"]])
    var issues = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    #expect(issues.titles == [["One Ben"]])
    let todo = try service.mirror("todo")
    let poll = try service.poll("todo", after: todo.cursor)
    #expect(try service.request("PATCH", "/v1/tables/people/items/2", body: ["name": "Bea"]).status == 200)
    let changes = try poll.value().json
    #expect(changes["stages"]?.elements.count == 1 && "\(changes)".contains("two Bea") && !"\(changes)".contains("Ada"))
    issues = try service.follow("issues", from: issues, until: "has the new name") { $0.titles == [["One Bea"]] }
    // Edits are of the table's own source.
    #expect(try service.request("PATCH", "/v1/tables/issues/items/1", body: ["title": "Uno"]).status == 200)
    let added = try service.request("POST", "/v1/tables/issues/items", body: ["title": "Two", "who": "a"])
    #expect(added.status == 201 && added["Location"] == "/v1/tables/issues/items/2", "\(added.text)")
    #expect(try service.mirror("issues").titles == [["Uno Bea", "Two Ada"]])
    #expect(try service.request("POST", "/v1/tables/todo/items", body: ["title": "four", "who": "a"]).status == 201)
    #expect(try service.mirror("people").rows == ["1", "2"])
    // Nothing flashes at a restart.
    let before = try service.mirror("todo")
    try service.end(SIGKILL)
    service = try ServiceProcess(Self.configuration(upstream.url), in: folder)
    let after = try service.mirror("todo")
    #expect(after.cursor == before.cursor && after.titles == [["one Ada", "two Bea", "three -", "four Ada"]])
  }

  /// They can be read there, and edited where they are kept.
  @Test func whatIsBorrowedIsEditedByNobody() throws {
    let (upstream, _) = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let both = try service.follow("both", until: "has all rows") { $0.rows == ["1", "pa", "pb"] }
    #expect(both.row("1")?["can"]?["edit"] == true && both.row("pa")?["can"]?["edit"] == false)
    let refused = try service.request("PATCH", "/v1/tables/both/items/pa", body: ["name": "X"])
    #expect(refused.status == 403 && refused.text.contains("in a table of their own"), "\(refused.text)")
    #expect(try service.request("PATCH", "/v1/tables/both/items/1", body: ["title": "Uno"]).status == 200)
    #expect(try service.mirror("both").titles == [["Uno"], ["Ada", "Ben"]])
  }

  /// Where no table keeps them they are the configuration's.
  @Test func withoutAKeeper() throws {
    let (upstream, _) = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream.url, people: false))
    #expect(try service.mirror("todo").titles == [["one Ada", "two Ben", "three -"]])
    #expect(try service.request("POST", "/v1/tables/todo/items", body: ["title": "four", "who": "b"]).status == 201)
    #expect(try service.mirror("todo").titles.last?.last == "four Ben")
  }
}
