import Foundation
import Testing

/// The generated TypeScript: checked by `tsc` where the machine has it, and run by `node` without its types.
@Suite struct GeneratedTypeScriptTests {
  static let file = CodeGeneratorTests.folder.appending(path: "Generated/Cells.ts")

  @Test(.enabled(if: find("tsc") != nil, "no tsc on this machine"))
  func compiles() throws {
    let result = try run("tsc", ["--noEmit", "--strict", "--target", "es2015", Self.file.path])
    #expect(result.status == 0, "\(result.output)")
  }

  @Test(.enabled(if: find("node") != nil, "no node on this machine"))
  func runs() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let script =
      withoutTypes(text) + """

        console.log(acceptedCells);
        console.log(isKnown({cellIdentifier: "product-cell"}), isKnown({cellIdentifier: "toString"}));
        """
    let result = try run("node", ["--input-type=module", "--eval", script])
    #expect(
      result.output == """
        SectionTitle, TableViewCellWithImageAndLabel, TableViewExpandableCell;v=2, product-cell, Cell
        true false

        """
    )
    #expect(result.status == 0)
  }

  /// Every member of every interface is `name: type;`, and every interface is closed.
  @Test func interfacesAreWellFormed() throws {
    let member = try Regex(#"^ {4}("[^"]*"|[A-Za-z_][A-Za-z0-9_]*)\??: [^;]+;$"#)
    let lines = try String(contentsOf: Self.file, encoding: .utf8).components(separatedBy: "\n")
    let members = lines.filter { $0.hasPrefix("    ") && !$0.hasPrefix("    /**") && !$0.contains("=>") }
    #expect(members.count > 15)
    for line in members { #expect(line.wholeMatch(of: member) != nil, "\(line)") }
  }

  /// Types stand in blocks of their own, and in two annotations.
  private func withoutTypes(_ text: String) -> String {
    var lines: [String] = []
    var (isType, isAlias) = (false, false)
    for line in text.components(separatedBy: "\n") {
      if isAlias || line.hasPrefix("export type ") {
        isAlias = !line.hasSuffix(";")
        continue
      }
      if line.hasPrefix("export interface ") { isType = true }
      if !isType { lines.append(line) }
      if line == "}" { isType = false }
    }
    return lines.joined(separator: "\n")
      .replacingOccurrences(of: ": { readonly [cellIdentifier: string]: number }", with: "")
      .replacingOccurrences(of: "(cell: Cell | AnyCell): cell is Cell", with: "(cell)")
  }
}

/// Where a program is, by PATH.
private func find(_ program: String) -> URL? {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(filePath: String($0)).appending(path: program) }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}

private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
  let process = Process()
  let executable: URL = try #require(find(program))
  process.executableURL = executable
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
