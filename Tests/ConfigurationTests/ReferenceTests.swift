import Definitions
import Foundation
import JSON
import Testing

@testable import Configuration

/// config/ is what it says it is.
@Suite struct ReferenceTests {
  static let environment = [
    "HOOK_SECRET": "h", "APP_TOKEN_SHA256": String(repeating: "0a", count: 32), "ORDERS_CLIENT": "c",
    "ORDERS_SECRET": "s", "ORDERS_REFRESH": "r",
  ]

  func text(_ path: String) throws -> String {
    try String(contentsOf: repository.appending(path: path), encoding: .utf8)
  }

  @Test(arguments: ["config/reference.yaml", "config/demo.yaml"])
  func hasNoDiagnostics(path: String) throws {
    let (definition, diagnostics) = ConfigurationReader.read(
      text: try text(path),
      file: path,
      environment: Self.environment
    )
    #expect(diagnostics.isEmpty, "\(diagnostics)")
    #expect(definition != nil)
  }

  /// Every key that the decoder knows stands in the reference.
  @Test func referenceHasEveryKey() throws {
    var yaml = YAMLReader(text: try text("config/reference.yaml"))
    let reading = Reading(file: "reference.yaml", environment: Environment(Self.environment))
    let node = yaml.read()
    let root = try #require(node)
    _ = ValueReader<ServiceDefinition>.object(ServiceKeys.self).read(root, reading)
    var known: Set<String> = []
    guard case .object(let definitions)? = ConfigurationSchema.json["$defs"] else {
      Issue.record("the schema has definitions")
      return
    }
    for definition in definitions {
      guard case .object(let properties)? = definition.value["properties"] else { continue }
      for property in properties { known.insert("\(definition.name).\(property.name)") }
    }
    #expect(known.count > 100)
    // In comments: the other store, and the other place for the record of edits.
    let commented = known.filter { $0 == "Store.postgres" || $0 == "Audit.stderr" }
    #expect(known.subtracting(reading.keysInUse).subtracting(commented).sorted() == [])
    let comments = try text("config/reference.yaml").split(separator: "\n").filter { $0.contains("#") }
    for key in commented.map({ $0.split(separator: ".")[1] }) {
      #expect(comments.contains { $0.contains("\(key): ") }, "\(key)")
    }
    #expect(reading.keysInUse.subtracting(known).sorted() == [])
  }

  /// The schema says the values that the code uses; what the reference calls a default is one of them.
  @Test func theReferencesDefaultsAreTheCodes() throws {
    var descriptions: [String: [String]] = [:]
    guard case .object(let definitions)? = ConfigurationSchema.json["$defs"] else {
      Issue.record("the schema has definitions")
      return
    }
    for case .object(let properties)? in definitions.map({ $0.value["properties"] }) {
      for property in properties {
        guard case .string(let text)? = property.value["description"] else { continue }
        descriptions[property.name, default: []].append(text)
      }
    }
    var checked = 0
    for line in try text("config/reference.yaml").split(separator: "\n") {
      guard let match = line.wholeMatch(of: #/[ -]*(\w+): (\S+) #(.*)/#) else { continue }
      let comment = match.3
      let said: Substring
      if let named = comment.firstMatch(of: #/[Dd]efault: ([^ .)]+)/#) {
        said = named.1
      } else if comment.hasSuffix("(the default)") {
        said = match.2
      } else {
        continue
      }
      guard said.first?.isNumber == true || said == "true" || said == "false" else { continue }
      checked += 1
      let known = descriptions[String(match.1)] ?? []
      #expect(known.contains { $0.contains("Default: \(said).") }, "\(line): \(known)")
    }
    #expect(checked > 20)
  }

  /// `config/schema.json` is the decoder's: `tablecast schema > config/schema.json` writes it anew.
  @Test func schemaIsUpToDate() throws {
    #expect(try text("config/schema.json") == ConfigurationSchema.text)
  }

  @Test(arguments: ["config/reference.yaml", "config/demo.yaml", "Tests/Fixtures/config-by-example.yaml"])
  func schemaTakesWhatTheDecoderTakes(path: String) throws {
    var yaml = YAMLReader(text: try text(path))
    let node = yaml.read()
    let root = try #require(node)
    #expect(SchemaValidator(ConfigurationSchema.json).problems(of: JSONValue(root)) == [])
  }

  /// Mistakes of form are mistakes to both.
  @Test(arguments: [
    "listne: 8080\ntables: {}",
    "sources: {}",
    "tables: []",
    "tables: {}\nlocales: []",
    "tables: {}\nlocales: [de, en, de]",
    "tables: {}\nlocales: [en-US-US]",
    "tables: {}\ncells: {A: {fields: {a: {oneOf: [b, b]}}}}",
    "tables: {}\nhistory: many",
    "tables: {}\nhistory: 0",
    "tables: {}\nstore: disk",
    "tables: {}\nsources: {a: {url: ftp://x}}",
    "tables: {}\nsources: {a: {url: https://x.example, every: soon}}",
    "tables: {}\nsources: {a: {url: https://x.example, emptyMeans: gone}}",
    "tables: {}\nsources: {a: {url: https://x.example, paging: {offset: {}}}}",
    "tables: {}\ncells: {A: {fields: {a: strin}}}",
    "tables: {a: {source: {local: {items: [1]}}}}",
    "tables: {a: {source: {local: {}}, sections: []}}",
    "tables: {a: {source: {local: {}}, animation: {insert: slow}}}",
  ])
  func schemaRefusesWhatTheDecoderRefuses(text: String) throws {
    #expect(diagnostics(text).contains { !$0.contains("warning:") })
    var yaml = YAMLReader(text: text)
    let node = yaml.read()
    let root = try #require(node)
    #expect(SchemaValidator(ConfigurationSchema.json).problems(of: JSONValue(root)) != [])
  }
}
