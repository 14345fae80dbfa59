import Definitions
import Testing

@testable import TableEngine

@Suite struct TableReferenceTests {
  /// Swift holds é and e with an accent equal: upstreams are asked for different things.
  @Test func equivalentSpellingsAreTwoMembers() throws {
    let composed = try #require(TableReference(segment: "list;q=caf%C3%A9"))
    let decomposed = try #require(TableReference(segment: "list;q=cafe%CC%81"))
    #expect(composed.parameters[0].value == decomposed.parameters[0].value, "as Swift compares texts")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(composed.canonical != decomposed.canonical)
  }

  /// Where one text ends and the next begins is part of what is hashed.
  @Test func namesAndValuesDoNotRunTogether() {
    let one = TableReference.Parameter(name: "a", value: "bc")
    let other = TableReference.Parameter(name: "ab", value: "c")
    #expect(one != other && Set([one, other]).count == 2)
  }

  @Test(arguments: ["", ";q=1", "list;=1", "list;q=%zz", "list;q=%C3", "%"])
  func segmentsThatAreNone(_ segment: String) { #expect(TableReference(segment: segment) == nil) }
}

@Suite struct FamilyParametersTests {
  static func parameters(_ pattern: String, default value: String? = nil) -> FamilyParameters {
    var table = TableDefinition(name: "list", title: "list", source: "list")
    table.parameters = [ParameterDefinition(name: "q", pattern: pattern, defaultValue: value)]
    return FamilyParameters(table)
  }

  static func isAdmitted(_ value: String, _ parameters: FamilyParameters) -> Bool {
    let reference = TableReference(name: "list", parameters: [.init(name: "q", value: value)])
    return (try? parameters.values(of: reference)) != nil
  }

  /// A pattern that takes a backtracking matcher for ever is matched in time linear in the value.
  @Test func patternsAreMatchedInLinearTime() {
    let parameters = Self.parameters("([A-Za-z0-9]+[-_.]?)+")
    #expect(Self.isAdmitted("abc-def.ghi", parameters))
    for length in [26, 64, 255] {
      #expect(!Self.isAdmitted(String(repeating: "a", count: length) + "!", parameters))
    }
    #expect(!Self.isAdmitted(String(repeating: "a", count: 257), parameters), "longer than a value may be")
  }

  /// The default need not match; another spelling of it does.
  @Test func theDefaultIsItsBytes() {
    let parameters = Self.parameters("[a-z]+", default: "\u{e9}")
    #expect(Self.isAdmitted("\u{e9}", parameters))
    #expect(!Self.isAdmitted("e\u{301}", parameters))
  }
}
