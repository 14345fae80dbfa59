import Definitions
import Expressions
import Foundation
import JSON
import Testing

@testable import Configuration

/// docs/configuration.md: every configuration in it has nothing wrong, and fits the response that it names.
@Suite struct DocumentationTests {
  struct Example: CustomTestStringConvertible {
    var fixture: String
    var text: String
    var testDescription: String { fixture }
  }

  /// The YAML blocks; their first lines name the fixtures.
  static func examples() throws -> [Example] {
    let page = try String(contentsOf: repository.appending(path: "docs/configuration.md"), encoding: .utf8)
    return page.components(separatedBy: "```yaml\n").dropFirst().map { rest in
      let text = rest.components(separatedBy: "```")[0]
      return Example(fixture: String(text.prefix { $0 != "\n" }.dropFirst(2)), text: text)
    }
  }

  @Test func showsFiveAPIs() throws {
    #expect(Set(try Self.examples().map(\.fixture)).count == 5)
  }

  /// The blocks that show keys rather than an API are whole configurations, too.
  @Test func keysAreAsTheyAreShown() throws {
    let page = try String(contentsOf: repository.appending(path: "docs/configuration.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```yml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 3)
    for text in blocks {
      let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "configuration.md", environment: [:])
      #expect(diagnostics.isEmpty && definition != nil, "\(diagnostics)")
    }
  }

  /// What `tablecast demo` serves.
  static func demo() throws -> Example {
    let text = try String(contentsOf: repository.appending(path: "config/demo.yaml"), encoding: .utf8)
    return Example(fixture: "flights.json", text: text)
  }

  @Test(arguments: try examples() + [demo()])
  func fitsItsResponse(_ example: Example) throws {
    let (read, diagnostics) = ConfigurationReader.read(
      text: example.text,
      file: example.fixture,
      environment: ["GITHUB_TOKEN": "t"]
    )
    #expect(diagnostics.isEmpty, "\(diagnostics)")
    let definition = try #require(read)
    let table = try #require(definition.tables.first)
    let document = try Document(Array(try fixture(example.fixture).utf8))
    try document.withRoot { root in
      var scope = Scope(item: root)
      scope.response = Value(root)
      guard case .upstream(let upstream)? = definition.sources.first?.kind else {
        Issue.record("an upstream is expected")
        return
      }
      let list = try upstream.items?.evaluate(in: scope) ?? Value(root)
      guard case .json(let items) = list else {
        Issue.record("the items are no list")
        return
      }
      #expect(items.count >= 3)
      var identities: Set<String> = []
      var shown: [String] = []
      for item in items.elements {
        var scope = Scope(item: item)
        scope.response = Value(root)
        let identity = try table.rowID?.text(in: scope)
        #expect(identities.insert(try #require(identity)).inserted)
        let type = try table.rowType?.text(in: scope) ?? "$default"
        let look = definition.representations[type] ?? definition.representations["$default"]
        let mapping = try look.flatMap { try Self.mapping($0, scope) } ?? table.cell
        try Self.expectFit(mapping, scope, definition.cells)
        shown.append(try mapping?.payload.members?.first { $0.name == "title" }?.template.text(in: scope) ?? "")
      }
      if example.fixture == "flights.json" {
        #expect(
          shown == [
            "09:15  Lisbon  TC 102  gate B12", "10:05  Oslo  TC 104", "11:00  Hanoi  TC 106",
            "08:40  Rome  XY 7  gate A3",
          ]
        )
      }
    }
  }

  private static func mapping(_ look: RepresentationDefinition, _ scope: Scope) throws -> CellMapping? {
    switch look {
    case .cell(let mapping): return mapping
    case .use: return nil
    case .cases(let cases):
      for option in cases where try option.when?.isTrue(in: scope) ?? true {
        return try mapping(option.representation, scope)
      }
      return nil
    }
  }

  private static func expectFit(_ mapping: CellMapping?, _ scope: Scope, _ cells: [CellDefinition]) throws {
    let mapping = try #require(mapping)
    let cell = try #require(cells.first { $0.identifier == mapping.cell })
    let members = try #require(mapping.payload.members)
    for field in cell.fields {
      let value = try members.first { $0.name == field.name }?.template.evaluate(in: scope) ?? .null
      #expect(
        value.isNull ? field.isOptional : field.type.admits(value),
        "\(cell.identifier).\(field.name): \(value.json)"
      )
    }
  }
}
