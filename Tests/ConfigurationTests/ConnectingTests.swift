import Definitions
import Foundation
import Testing

@testable import Configuration

/// docs/connecting.md: every configuration in it has nothing wrong.
@Suite struct ConnectingTests {
  /// The YAML blocks, by the headings that they stand under.
  static func examples() throws -> [(heading: String, text: String)] {
    let page = try String(contentsOf: repository.appending(path: "docs/connecting.md"), encoding: .utf8)
    return page.components(separatedBy: "\n## ").dropFirst().flatMap { part in
      let heading = String(part.prefix { $0 != "\n" })
      return part.components(separatedBy: "```yaml\n").dropFirst().map { rest in
        (heading, rest.components(separatedBy: "```")[0])
      }
    }
  }

  @Test func goesThroughFiveKindsOfAPI() throws {
    let headings = Set(try Self.examples().map(\.heading))
    #expect(headings.isSuperset(of: ["REST", "GraphQL", "JSON:API", "OData", "A paged API of the old school"]))
  }

  @Test func everyConfigurationIsRight() throws {
    for example in try Self.examples() {
      let (read, diagnostics) = ConfigurationReader.read(text: example.text, file: example.heading, environment: [:])
      #expect(diagnostics.isEmpty, "\(example.heading): \(diagnostics)")
      let definition = try #require(read, "\(example.heading)")
      let table = try #require(definition.tables.first)
      #expect(example.heading == "In several languages" || table.edits.patch != nil || table.edits.delete != nil)
    }
  }
}
