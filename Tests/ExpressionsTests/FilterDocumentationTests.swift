import Expressions
import Foundation
import Testing

/// docs/expressions.md says about filters what the table in the code says.
@Suite struct FilterDocumentationTests {
  /// The table as the documentation has it; printed by a failure, to be pasted.
  static var table: String {
    let rows = Filter.all.map { filter in
      let examples = filter.examples.map { "`\($0.expression)` → `\($0.value)`" }.joined(separator: "<br>")
      return "| `\(filter.signature)` | \(filter.summary) | \(escaped(examples)) |"
    }
    return (["| filter | gives | for example |", "| --- | --- | --- |"] + rows).joined(separator: "\n")
  }

  /// A bar would end the cell.
  private static func escaped(_ text: String) -> String { text.replacingOccurrences(of: "|", with: "\\|") }

  @Test func tableIsDocumented() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/expressions.md")
    let documentation = try String(contentsOf: file, encoding: .utf8)
    #expect(documentation.contains(Self.table), "docs/expressions.md should have:\n\(Self.table)")
  }

  @Test func everyFilterIsComplete() {
    for filter in Filter.all {
      #expect(!filter.summary.isEmpty && filter.summary.hasSuffix("."), "\(filter.name)")
      #expect(!filter.examples.isEmpty, "\(filter.name)")
    }
    #expect(Set(Filter.all.map(\.name)).count == Filter.all.count)
  }
}
