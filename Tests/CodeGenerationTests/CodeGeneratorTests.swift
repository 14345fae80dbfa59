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

  func cells() throws -> [CellDefinition] {
    let file = Self.folder.appending(path: "../Fixtures/cells.yaml").standardizedFileURL
    let (definition, diagnostics) = ConfigurationReader.read(path: file.path, environment: [:])
    return try #require(definition, "\(diagnostics)").cells
  }

  @Test(arguments: [
    (CodeGenerator.Language.swift, "Cells.swift"), (.typescript, "Cells.ts"), (.kotlin, "Cells.kt"),
  ])
  func generatesWhatStandsHere(language: CodeGenerator.Language, file: String) throws {
    let text = CodeGenerator.generate(language, cells: try cells())
    let url = Self.folder.appending(path: "Generated/\(file)")
    if ProcessInfo.processInfo.environment["WRITE_GENERATED"] != nil {
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: url, encoding: .utf8)
    #expect(text == expected)
    #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
  }

  @Test func withoutCellsThereIsStillCode() {
    for language in CodeGenerator.Language.allCases {
      #expect(CodeGenerator.generate(language, cells: []).contains("Cell"))
    }
  }
}
