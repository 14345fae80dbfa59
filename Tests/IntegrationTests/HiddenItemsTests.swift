import Foundation
import JSON
import TestSupport
import Testing

/// Items of a local table that have no row in sight: they can be edited all the same, or nobody could bring them back.
@Suite struct HiddenItemsTests {
  private static let tables = """
    store: memory
    cells:
      Label: {fields: {title: string}}
    tables:
      notes:
        source:
          local:
            items: [{title: A, key: a}, {title: B, key: b, hidden: true}, {title: C, key: c, hidden: true, fixed: true}]
            default: {title: New}
        row: {id: "${key}"}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: main, where: "!hidden"}]
        can: {edit: "!fixed", move: "!fixed"}
      top:
        source: {local: {items: [{title: A}, {title: B, fixed: true}]}}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: main, limit: 1}]
        can: {edit: "!fixed"}
      twice:
        source: {local: {items: [{title: A, starred: true}]}}
        cell: Label
        payload: {title: "${title}"}
        sections: {match: all, list: [{id: starred, where: starred}, {id: all}]}
    """

  @Test func whatNoSectionShowsIsEdited() throws {
    let service = try ServiceProcess(Self.tables)
    let items = "/v1/tables/notes/items"
    func titles() throws -> [String] { try service.mirror("notes").titles.flatMap { $0 } }
    let steps: [(String, String, JSONValue?, Int, [String])] = [
      ("GET", "\(items)/b", nil, 200, ["A"]),
      ("GET", "/v1/tables/notes/rows/b", nil, 404, ["A"]),
      ("PATCH", "\(items)/b", ["title": "B2"], 200, ["A"]),
      ("PATCH", "\(items)/b", ["hidden": nil], 200, ["A", "B2"]),
      ("PATCH", "\(items)/a", ["hidden": true], 200, ["B2"]),
      ("PATCH", "\(items)/a", ["key": "a2"], 200, ["B2"]),
      ("GET", "\(items)/a", nil, 404, ["B2"]),
      ("POST", "\(items)/a2/move", ["section": "main", "at": 1], 200, ["B2", "A"]),
      ("POST", items, ["key": "d", "hidden": true], 201, ["B2", "A"]),
      ("POST", items, ["key": "d", "title": "Another"], 409, ["B2", "A"]),
      ("PATCH", "\(items)/a2", ["key": "d"], 409, ["B2", "A"]),
      ("DELETE", "\(items)/d", nil, 200, ["B2", "A"]),
      ("GET", "\(items)/d", nil, 404, ["B2", "A"]),
      ("PATCH", "\(items)/c", ["hidden": false], 403, ["B2", "A"]),
      ("POST", "\(items)/c/move", ["section": "main", "at": 0], 403, ["B2", "A"]),
      ("DELETE", "\(items)/c", nil, 403, ["B2", "A"]),
    ]
    for (method, target, body, status, shown) in steps {
      let reply = try service.request(method, target, body: body)
      #expect(reply.status == status, "\(method) \(target): \(reply.text)")
      #expect(try titles() == shown, "\(method) \(target)")
      if status == 201 { #expect(try service.request("GET", reply["Location"]).status == 200) }
    }
  }

  @Test func whatALimitHidesKeepsItsPermissions() throws {
    let service = try ServiceProcess(Self.tables)
    let refused = try service.request("DELETE", "/v1/tables/top/items/2")
    #expect(refused.status == 403, "\(refused.text)")
    #expect(try service.request("DELETE", "/v1/tables/top/items/1").status == 200)
    #expect(try service.mirror("top").titles == [["B"]])
  }

  /// Sections may hide what readers are not to see.
  @Test func whatNoSectionShowsIsReadByEditorsAlone() throws {
    // Of the tokens `reader` and `editor`.
    let service = try ServiceProcess(
      Self.tables + """

        auth:
          tokens:
            - name: reader
              sha256: 3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30
              allow: [read]
            - name: editor
              sha256: 1553cc62ff246044c683a61e203e65541990e7fcd4af9443d22b9557ecc9ac54
              allow: [edit]
        """
    )
    let target = "/v1/tables/notes/items/b"
    #expect(try service.request("GET", target).status == 404)
    #expect(try service.request("GET", target, ["Authorization": "Bearer reader"]).status == 404)
    let reply = try service.request("GET", target, ["Authorization": "Bearer editor"])
    #expect(reply.status == 200 && reply["Cache-Control"] == "private, no-cache")
    #expect(try service.request("GET", "/v1/tables/notes/items/a").status == 200)
  }

  @Test func anItemInSeveralSectionsIsEditedByEachOfItsRows() throws {
    let service = try ServiceProcess(Self.tables)
    for (row, title) in [("1", "B"), ("1@all", "C")] {
      let reply = try service.request("PATCH", "/v1/tables/twice/items/\(row)", body: ["title": .string(title)])
      #expect(reply.status == 200, "\(row): \(reply.text)")
      #expect(try reply.json["id"]?.text == row)
      #expect(try service.mirror("twice").titles == [[title], [title]])
    }
    // The row that was named is there no longer; the item is found by the other one.
    let reply = try service.request("PATCH", "/v1/tables/twice/items/1@all", body: ["starred": false])
    #expect(try reply.json["id"] == "1")
  }
}
