import Testing

@testable import Configuration

/// One mistake each: where it is said to be, what is said, what would be right.
@Suite struct DiagnosticsTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var text: String
    /// `line:column: text`; what stands here must begin a diagnostic, and there are no others.
    var expected: [String]

    init(_ name: String, _ text: String, _ expected: String...) {
      (self.name, self.text, self.expected) = (name, text, expected)
    }

    var testDescription: String { name }
  }

  /// A configuration with nothing wrong in it, in one line, to which a case adds its own.
  static let base = #"tables: {t: {source: {local: {}}, cell: C, payload: {title: "${title}"}}}"# + "\n"
  static let cell = "cells: {C: {fields: {title: string}}}\n"

  static let upstream = #"tables: {t: {source: s, row: {id: "${id}"}}}"# + "\n"

  @Test(arguments: settings + sources + cells + representations + tables)
  func says(_ test: Case) {
    let found = diagnostics(test.text)
    #expect(found.count == test.expected.count, "\(found)")
    for expected in test.expected {
      #expect(found.contains { $0.hasPrefix(expected) }, "\(expected)\n\(found)")
    }
  }

  @Test func saysEverythingAtOnceInTheOrderOfTheFile() {
    let text = """
      listne: 8080
      history: many
      tables:
        t: {source: {local: {}}, cell: C, payload: {titel: "${(a}", title: 3}, can: {edit: ")"}}
      cells: {C: {fields: {title: string}}}
      """
    #expect(
      diagnostics(text).map { $0.prefix { $0 != " " } } == ["1:1:", "2:10:", "4:47:", "4:57:", "4:70:", "4:87:"],
      "\(diagnostics(text))"
    )
  }
}
