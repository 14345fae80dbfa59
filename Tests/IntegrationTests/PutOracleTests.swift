import Foundation
import JSON
import TestSupport
import Testing

/// Random edits, puts among them, against a model; followed through the table itself, another table of the same items, and
/// another language.
@Suite struct PutOracleTests {
  private static let configuration = """
    store: {path: "{folder}/store.sqlite"}
    locales: [en, de]
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources: {notes: {local: {items: [{title: A, kind: x}], default: {title: New, kind: x}}}}
    tables:
      all:
        source: notes
        cell: Label
        payload: {title: "${title}"}
        actions: {mark: {title: Mark, patch: {kind: y, title: "${title}!"}}}
      kinds: {source: notes, cell: Label, payload: {title: "${title}"}, sections: {groupBy: kind, order: [x, y]}}
      some:
        source: notes
        cell: Label
        payload: {title: "${title} ${$locale}"}
        sections: [{id: y, where: kind == 'y', sort: title}]
    """

  private struct Item: Equatable {
    var id: String
    var title: String
    var kind: String
  }

  private static func isSame(_ first: String, _ second: String) -> Bool { Array(first.utf8) == Array(second.utf8) }

  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func agreesWithAModel(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    var service = try ServiceProcess(Self.configuration, in: folder)
    let german = ["Accept-Language": "de"]
    var mirrors = try [service.mirror("all"), service.mirror("kinds"), service.mirror("some", german)]
    var model = [Item(id: "1", title: "A", kind: "x")]
    let ids = ["a", "b", "c/d", "\u{200F}e", "f g"]
    for step in 0..<150 {
      let id = ids.randomElement(using: &generator) ?? ""
      let place = model.firstIndex { Self.isSame($0.id, id) }
      let item = Item(id: id, title: "t\(step)", kind: Bool.random(using: &generator) ? "x" : "y")
      let body: JSONValue = ["title": .string(item.title), "kind": .string(item.kind)]
      let table = ["all", "kinds"].randomElement(using: &generator) ?? ""
      let path = "/v1/tables/\(table)/items"
      let others = model.filter { !Self.isSame($0.id, id) }
      switch Int.random(in: 0..<9, using: &generator) {
      case 0:
        let reply = try service.request("POST", path, body: body)
        model.append(Item(id: try required(reply.json["id"]?.text, "an identity"), title: item.title, kind: item.kind))
      case 1:
        let reply = try service.request("DELETE", "\(path)/\(encoded(id))")
        #expect(reply.status == (place == nil ? 404 : 200), "seed \(seed), step \(step): \(reply.text)")
        model = others
      case 2:
        let reply = try service.request("PUT", "\(path)/\(encoded(id))", ["If-None-Match": "*"], body: body)
        #expect(reply.status == (place == nil ? 201 : 412), "seed \(seed), step \(step): \(reply.text)")
        if place == nil { model.append(item) }
      case 3:
        let at = Int.random(in: 0...others.count, using: &generator)
        let target = "/v1/tables/all/items/\(encoded(id))?at=\(at)"
        #expect(try service.request("PUT", target, body: body).status == (place == nil ? 201 : 200))
        model = others
        model.insert(item, at: at)
      case 4:
        let neighbor = try required(model.first, "a row").id
        guard !Self.isSame(neighbor, id) else { continue }
        // Among the rows of the section in which the neighbour is, whose kind it takes.
        let target = "/v1/tables/kinds/items/\(encoded(id))?before=\(encoded(neighbor))"
        #expect(try service.request("PUT", target, body: body).status == (place == nil ? 201 : 200))
        model = others
        let at = try required(model.firstIndex { Self.isSame($0.id, neighbor) }, "the neighbour")
        model.insert(Item(id: id, title: item.title, kind: model[at].kind), at: at)
      case 5:
        let edits: JSONValue = ["edits": [["op": "add", "id": .string(id), "item": body], ["op": "add", "id": "0"]]]
        let reply = try service.request("POST", "/v1/tables/\(table)/edits", body: edits)
        #expect(try reply.status == 422 && reply.json["at"] == 1)
      case 6:
        let reply = try service.request("POST", "/v1/tables/all/rows/\(encoded(id))/actions/mark")
        #expect(reply.status == (place == nil ? 404 : 200), "seed \(seed), step \(step): \(reply.text)")
        if let place { (model[place].kind, model[place].title) = ("y", model[place].title + "!") }
      default:
        let reply = try service.request("PUT", "\(path)/\(encoded(id))", body: body)
        #expect(reply.status == (place == nil ? 201 : 200), "seed \(seed), step \(step): \(reply.text)")
        if let place { model[place] = item } else { model.append(item) }
      }
      if step % 50 == 49 {
        service.signal(SIGKILL)
        service = try ServiceProcess(Self.configuration, in: folder)
      }
      let all = model.map { "\($0.id) \($0.title)" }
      let kinds = ["x", "y"].map { kind in model.filter { $0.kind == kind }.map { "\($0.id) \($0.title)" } }
      let some = model.filter { $0.kind == "y" }.sorted { $0.title < $1.title }.map { "\($0.id) \($0.title) de" }
      for (number, expected) in [[all], kinds, [some]].enumerated() {
        let (table, headers) = [("all", [:]), ("kinds", [:]), ("some", german)][number]
        // Other tables of the items follow the one that was edited.
        mirrors[number] = try service.follow(
          table,
          headers,
          from: mirrors[number],
          until: "step \(step) of seed \(seed)"
        ) { mirror in
          mirror.sections.map { $0.rows.map { "\($0["id"]?.text ?? "") \($0["payload"]?["title"]?.text ?? "")" } }
            == expected.filter { !$0.isEmpty }
        }
      }
    }
  }
}
