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

  @Test func withoutCellsThereIsStillCode() {
    for language in CodeGenerator.Language.allCases {
      #expect(CodeGenerator.generate(language, cells: []).contains("Cell"))
    }
  }
}
