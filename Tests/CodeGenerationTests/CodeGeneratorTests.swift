import CodeGeneration
import Configuration
import Definitions
import Foundation
import Testing

/// What is generated is what stands beside this file: the Swift of it is compiled into these tests.
///
/// With `WRITE_GENERATED=1` in the environment, the files are written anew.
@Suite struct CodeGeneratorTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  func definition() throws -> ServiceDefinition {
    func text(_ name: String) throws -> String {
      try String(contentsOf: Self.folder.appending(path: "../Fixtures/\(name)").standardizedFileURL, encoding: .utf8)
    }
    let whole = try text("cells.yaml").replacingOccurrences(of: "tables: {}\n", with: text("tables.yaml"))
    let (definition, diagnostics) = ConfigurationReader.read(text: whole, file: "cells.yaml", environment: [:])
    return try #require(definition, "\(diagnostics)")
  }

  @Test(arguments: [
    (CodeGenerator.Language.swift, "Cells.swift"), (.typescript, "Cells.ts"), (.kotlin, "Cells.kt"),
  ])
  func generatesWhatStandsHere(language: CodeGenerator.Language, file: String) throws {
    let definition = try definition()
    let text = CodeGenerator.generate(language, of: definition)
    let url = Self.folder.appending(path: "Generated/\(file)")
    if ProcessInfo.processInfo.environment["WRITE_GENERATED"] != nil {
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: url, encoding: .utf8)
    #expect(text == expected)
    #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
  }

  /// The cells that README's code for apps stands on, which the adapters' tests compile.
  @Test func theConfigurationOfReadmeMakesItsAppsCells() throws {
    let root = Self.folder.appending(path: "../..").standardizedFileURL
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let yaml = try #require(readme.components(separatedBy: "```yaml\n").dropFirst().first)
    let (read, diagnostics) = ConfigurationReader.read(
      text: yaml.components(separatedBy: "```")[0],
      file: "README.md",
      environment: ["GITHUB_TOKEN": "token"]
    )
    let definition = try #require(read, "\(diagnostics)")
    let code = CodeGenerator.generate(.swift, cells: definition.cells, selections: definition.selections)
    let file = root.appending(path: "Tests/AdapterPackage/Tests/AdapterTests/ReadmeCells.swift")
    if ProcessInfo.processInfo.environment["WRITE_GENERATED"] != nil {
      try code.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == code)
  }

  /// The types of the app in Examples, which `make clients` compiles.
  @Test func theConfigurationOfTheExampleMakesItsTypes() throws {
    let folder = Self.folder.appending(path: "../../Examples/Tasks").standardizedFileURL
    let yaml = folder.appending(path: "tasks.yaml").path
    let (read, diagnostics) = ConfigurationReader.read(path: yaml, environment: [:])
    let code = CodeGenerator.generate(.swift, of: try #require(read, "\(diagnostics)"))
    let file = folder.appending(path: "Sources/Generated.swift")
    if ProcessInfo.processInfo.environment["WRITE_GENERATED"] != nil {
      try code.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == code)
  }

  /// Nothing tells these apart: an app decodes a type of its own.
  @Test(arguments: [
    "{url: x}}\n  b: {cell: C, payload: {}, select: {type: open}", "\"${url}\"", "{type: \"${kind}\"}",
  ])
  func whatHasNoKindHasNoType(_ select: String) throws {
    let text = """
      cells: {C: {fields: {}}}
      representations:
        a: {cell: C, payload: {}, select: \(select)}
        $default: {cell: C, payload: {}}
      tables: {}
      """
    let (read, diagnostics) = ConfigurationReader.read(text: text, file: "select.yaml", environment: [:])
    let definition = try #require(read, "\(diagnostics)")
    #expect(!definition.selections.isEmpty)
    let code = CodeGenerator.generate(.swift, cells: definition.cells, selections: definition.selections)
    #expect(code == CodeGenerator.generate(.swift, cells: definition.cells))
  }

  static let namesakes: [(hasTables: Bool, line: String)] = [
    (true, "struct Header2: Codable"), (true, "    public typealias Header = Header2"),
    (true, "struct Section2: Codable"), (true, "    public typealias Footer = Section2"),
    (true, "struct Tables2: Codable"), (true, "struct AnyName2: Codable"), (true, "struct TableItem2: Codable"),
    (true, "struct CaseIterable2: Codable"), (false, "struct CaseIterable2: Codable"),
    // A header of one kind only is named, and others stay what they are.
    (true, "struct Item: Codable"), (true, "  case accepted2(Accepted)"), (true, "public enum Tables: String"),
    (false, "struct Header: Codable"), (false, "struct Section: Codable"), (false, "struct Tables: Codable"),
    (false, "struct TableItem: Codable"), (false, "  case accepted2(Accepted)"),
  ]

  /// Cells with the names of what stands beside them in Swift: each line is in the code with tables, or without.
  @Test(arguments: namesakes) func cellsHaveNamesOfTheirOwn(_ test: (hasTables: Bool, line: String)) throws {
    let text = """
      cells:
        Header: {fields: {title: string}}
        Section: {fields: {title: string}}
        Item: {fields: {title: string, tables: {oneOf: [round, square]}}}
        Tables: {fields: {}}
        AnyName: {fields: {}}
        CaseIterable: {fields: {}}
        TableItem: {fields: {}}
        accepted: {fields: {}}
      tables:
        t:
          source: {local: {}}
          row: {type: task}
          cell: Item
          payload: {title: "${title}", tables: round}
          sections:
            - id: main
              header: {cell: Header, payload: {title: Above}}
              footer: {cell: Section, payload: {title: Below}}
      """
    let (read, diagnostics) = ConfigurationReader.read(text: text, file: "names.yaml", environment: [:])
    let definition = try #require(read, "\(diagnostics)")
    let code =
      test.hasTables
      ? CodeGenerator.generate(.swift, of: definition) : CodeGenerator.generate(.swift, cells: definition.cells)
    #expect(code.contains(test.line), "\(code)")
  }

  static let strange: [(language: CodeGenerator.Language, parts: [String])] = [
    (
      .swift,
      [
        "/// The payload of `Label/let x`.\n", "by its `kind/let y`.\n", #"= "Label*/\nlet x""#, #"= "ti\u{1b}tle$a""#,
        "public var hashValue2: String\n",
      ]
    ),
    (.typescript, ["by its `kind/let y`. */\n", #"cellIdentifier: "Label*/\nlet x";"#, #""ti\u001btle$a": string;"#]),
    (
      .kotlin,
      ["by its `kind/let y`. */\n", #"cellIdentifier: String = "Label*/\nlet x","#, #"@SerialName("ti\u001btle\$a")"#]
    ),
  ]

  /// A name may be any text: it ends neither a comment nor a literal, and a client finds it as the wire has it.
  @Test(arguments: strange) func namesEndNothing(_ test: (language: CodeGenerator.Language, parts: [String])) throws {
    let text = #"""
      cells: {C: {fields: {}}}
      representations: {a: {cell: C, payload: {}, select: {"kind*/\nlet y": open, hash_value: "${name}!"}}}
      tables: {}
      """#
    let (read, diagnostics) = ConfigurationReader.read(text: text, file: "strange.yaml", environment: [:])
    let definition = try #require(read, "\(diagnostics)")
    let cell = CellDefinition(
      identifier: "Label*/\nlet x",
      fields: [CellDefinition.Field(name: "ti\u{1b}tle$a", type: .string)]
    )
    let code = CodeGenerator.generate(test.language, cells: [cell], selections: definition.selections)
    for part in test.parts { #expect(code.contains(part), "\(part) is not in\n\(code)") }
  }

  @Test func withoutCellsThereIsStillCode() {
    for language in CodeGenerator.Language.allCases {
      #expect(CodeGenerator.generate(language, cells: []).contains("Cell"))
    }
  }
}
