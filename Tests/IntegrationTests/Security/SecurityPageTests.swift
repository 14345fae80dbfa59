import Foundation
import TestSupport
import Testing

/// `docs/security.md` says which test holds what: each that it names is there.
@Suite struct SecurityPageTests {
  @Test func everyTestThatThePageNamesIsThere() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appendingPathComponent("docs/security.md"), encoding: .utf8)
    var sources = ""
    let files = try required(
      FileManager.default.enumerator(at: root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil),
      "the tests"
    )
    for case let file as URL in files where file.pathExtension == "swift" {
      sources += try String(contentsOf: file, encoding: .utf8)
    }
    let declared = Set(sources.matches(of: /\b(?:func|struct|class) (\w+)/).map { String($0.1) })
    // In tables, the last column of each row; of the rows of no test, none is in code.
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
    let named = rows.flatMap { row in
      (row.split(separator: "|").dropLast(row.hasSuffix("|") ? 0 : 1).last ?? "").matches(of: /`(\w+)`/).map {
        String($0.1)
      }
    }
    #expect(named.count > 80, "the page has its tables")
    for name in named { #expect(declared.contains(name), "\(name)") }
  }
}
