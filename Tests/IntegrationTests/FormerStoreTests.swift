import Foundation
import JSON
import TestSupport
import Testing

/// Stores that releases have left, served by this one. A new schema gets a fixture of the release before it.
@Suite struct FormerStoreTests {
  struct Case: CustomTestStringConvertible, Sendable {
    /// A file in `Tests/Fixtures/stores`.
    let fixture: String
    let sources: String
    let tables: String
    /// Titles of the rows of each table, in order.
    let titles: [String: [String]]
    var testDescription: String { fixture }
  }

  static let cases = [
    Case(
      fixture: "schema-5.db",
      sources: "",
      tables: "todo: {source: {local: {}}}",
      titles: ["todo": ["E", "C", "A", "B"]]
    ),
    Case(
      fixture: "schema-6.db",
      sources: "sources: {notes: {local: {}}, other: {local: {}}}",
      tables: "{open: {source: notes}, all: {source: other}, todo: {source: {local: {}}}}",
      titles: ["open": ["G", "D", "A", "C", "E", "F"], "all": ["O", "P"], "todo": ["U"]]
    ),
    // Written by 1.0.0.
    Case(
      fixture: "schema-7.db",
      sources: "sources: {notes: {local: {}}, other: {local: {}}}",
      tables: "{open: {source: notes}, all: {source: other}, todo: {source: {local: {}}}}",
      titles: ["open": ["D", "C", "A", "E"], "all": ["O", "P"], "todo": ["U"]]
    ),
  ]

  @Test(arguments: cases) func aStoreOfAFormerReleaseIsServed(_ former: Case) throws {
    let folder = try TemporaryFolder()
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/stores")
    try FileManager.default.copyItem(at: fixtures.appending(path: former.fixture), to: folder.file("data.sqlite"))
    let tables = former.tables.hasPrefix("{") ? former.tables : "{\(former.tables)}"
    let configuration = """
      store: {path: "{folder}/data.sqlite"}
      \(former.sources)
      tables: \(tables)
      """
    // The second run reads the store that the first one has migrated.
    for run in 0..<2 {
      let service = try ServiceProcess(configuration, in: folder)
      for (table, titles) in former.titles {
        let added = run == 0 ? [] : ["New"]
        let mirror = try service.follow(table, until: "has its rows") { $0.rows.count == titles.count + added.count }
        #expect(try self.titles(of: table, service) == titles + added, "\(table)")
        if run > 0 { continue }
        let answer = try service.request("POST", "/v1/tables/\(table)/items", body: ["title": "New"])
        #expect(answer.status == 201, "\(answer.text)")
        #expect(try !mirror.rows.contains(#require(answer.json["id"]?.text)), "no identity is given twice")
      }
      #expect(try service.end() == 0)
    }
  }

  private func titles(of table: String, _ service: ServiceProcess) throws -> [String] {
    let sections = try service.snapshot(table)["sections"]?.elements ?? []
    return sections.flatMap { $0["rows"]?.elements ?? [] }.compactMap { $0["payload"]?["title"]?.text }
  }
}
