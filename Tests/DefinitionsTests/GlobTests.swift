import Definitions
import Testing

@Suite struct GlobTests {
  @Test(
    arguments: [
      ("todo", "todo", true), ("todo", "todos", false), ("todo*", "todos", true), ("todo*", "todo", true),
      ("*", "", true), ("*a", "ba", true), ("a*a", "a", false), ("a*a", "aa", true), ("a*b*c", "axxbyyc", true),
      ("a*b*c", "acb", false), ("", "", true), ("", "a", false), ("**", "x", true), ("*é", "e\u{301}", false),
    ] as [(String, String, Bool)]
  )
  func matches(_ glob: String, _ name: String, _ expected: Bool) {
    #expect(Glob(glob).matches(name) == expected)
  }

  /// With backtracking, exponential in the name.
  @Test func takesLinearTime() {
    let glob = Glob(String(repeating: "*a", count: 1000) + "*b")
    #expect(!glob.matches(String(repeating: "a", count: 50_000)))
  }

  @Test(arguments: 0..<500)
  func matchesAsTheNaiveMatcherDoes(seed: Int) {
    var state = UInt64(seed)
    func text(_ alphabet: [Character], _ longest: UInt64) -> String {
      var text = ""
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      for _ in 0..<(state >> 33) % longest {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text.append(alphabet[Int((state >> 33) % UInt64(alphabet.count))])
      }
      return text
    }
    func naive(_ name: Substring, _ pattern: Substring) -> Bool {
      guard let first = pattern.first else { return name.isEmpty }
      if first == "*" {
        return naive(name, pattern.dropFirst()) || !name.isEmpty && naive(name.dropFirst(), pattern)
      }
      return name.first == first && naive(name.dropFirst(), pattern.dropFirst())
    }
    let (name, pattern) = (text(["a", "b"], 9), text(["a", "b", "*"], 7))
    #expect(Glob(pattern).matches(name) == naive(name[...], pattern[...]), "seed \(seed): \(pattern) \(name)")
  }
}
