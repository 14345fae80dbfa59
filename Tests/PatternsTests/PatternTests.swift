import Patterns
import Testing

@Suite struct PatternTests {
  @Test(
    arguments: [
      ("[a-z]+", "abc", true), ("[a-z]+", "abc1", false), ("a|ab", "ab", true), ("", "", true), ("a", "", false),
      ("[^/]*", "é/", false), (".", "é", true), ("(?i)swift", "SWIFT", true), (#"\d{2,3}"#, "12", true),
      ("ascending|descending", "descending", true), ("ascending|descending", "descendingx", false),
    ] as [(String, String, Bool)]
  )
  func matchesTheWhole(_ pattern: String, _ text: String, _ expected: Bool) throws {
    #expect(try Pattern(pattern).matches(text) == expected)
  }

  @Test(
    arguments: [
      ("(?=a)b", "the group `(?=` is not supported: patterns match in linear time, without look-around and conditions"),
      (
        "(?<!a)b", "the group `(?<` is not supported: patterns match in linear time, without look-around and conditions"
      ),
      (#"(a)\1"#, #"the back-reference `\1` is not supported: patterns match in linear time"#),
      (#"\y"#, #"there is no escape `\y`"#), ("[", "something is wrong at `[`"),
      ("(((a{1000}){1000}){1000})", "the pattern is too large, or repeats more than 1000 times"),
      (String(repeating: "a", count: 1001), "a pattern has at most 1000 bytes, this has 1001"),
    ] as [(String, String)]
  )
  func saysWhatItCannotDo(_ pattern: String, _ message: String) {
    let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
    #expect(error?.description == message)
  }

  /// With backtracking, the twenty-sixth letter takes a minute, and this text longer than the universe.
  @Test func takesLinearTime() throws {
    let pattern = try Pattern("([A-Za-z0-9]+[-_.]?)+")
    #expect(!pattern.matches(String(repeating: "a", count: 100_000) + "!"))
    #expect(pattern.matches(String(repeating: "a", count: 100_000)))
  }
}
