import TestSupport
import Testing

@testable import Patterns

/// What RE2's face is given by those who write configurations and by those who write URLs: it compiles or says why not, and
/// matches or doesn't; nothing crosses it but that.
@Suite struct HostilePatternTests {
  private static let parts = [
    "a", "\u{0}", "\u{7f}", "é", "e\u{301}", "\u{10ffff}", "\u{202e}", ".", "\\C", "\\x00", "\\x{10FFFF}", "\\pL",
    "\\PN", "\\Q", "\\E",
    "\\b", "\\z", "\\1", "\\", "(", ")", "(?:", "(?i)", "(?P<n>", "(?=", "[", "]", "[^", "[[:alpha:]]", "-", "|", "*",
    "+", "?", "+?",
    "{2}", "{1000}", "{1001}", "{0}", "{,5}", "{5,2}", "{99999999999}", "^", "$", "\n", "\\u0041", "{", "}",
  ]

  @Test(arguments: 1...8 as ClosedRange<UInt64>) func patternsOfAllKinds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let texts = [
      "", "\u{0}", "a\u{0}a", String(repeating: "a", count: 256), String(repeating: "é\u{0}", count: 2000),
      "\u{10ffff}\u{202e}",
    ]
    var compiled = 0
    for _ in 0..<1500 {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in Self.parts.randomElement(using: &random) ?? ""
      }.joined()
      do {
        let pattern = try Pattern(text)
        compiled += 1
        for text in texts { _ = pattern.matches(text) }
      } catch {
        #expect(!error.description.isEmpty, "seed \(seed): \(text.debugDescription)")
      }
    }
    #expect(compiled > 100, "seed \(seed)")
  }

  @Test func nestingAndRepetitionsHaveBounds() {
    for text in [
      "((((((((((a{100}){100}){100}){100}){100}))))))", "(?:a{1000}){1000}", "\\pL{1000}\\pL{1000}",
      "(a|b){900}(a|b){900}",
      String(repeating: "(", count: 500) + String(repeating: ")", count: 500), String(repeating: "(", count: 1000),
      String(repeating: "[a-z]{99}", count: 100), String(repeating: "a*", count: 500),
      String(repeating: "(a*)*", count: 200),
    ] {
      if let pattern = try? Pattern(text) {
        #expect(!pattern.matches(String(repeating: "a", count: 100_000) + "!") || text.contains("."))
      }
    }
  }

  @Test func bytesOfZeroAreBytes() throws {
    let pattern = try Pattern("a\u{0}b")
    #expect(pattern.matches("a\u{0}b") && !pattern.matches("a") && !pattern.matches("a\u{0}") && !pattern.matches("ab"))
    #expect(try !Pattern("[a-z]{1,20}").matches("a\u{0}") && !Pattern("a").matches("a\u{0}b"))
    #expect(throws: PatternError.self) { try Pattern("(\u{0}") }
  }
}
