import Definitions
import JSON
import TableMapping
import TableModel
import Testing

@Suite struct FieldTypeTests {
  private static let types: [(FieldType, fits: [String], unfit: [String])] = [
    (.string, [#""""#, #""a""#, #""12""#], ["1", "true", "[]", "{}"]),
    (.number, ["0", "-1.5", "0.001", "18446744073709551615"], [#""1""#, "true", "[1]"]),
    (.integer, ["0", "-7", "18446744073709551615"], ["1.5", #""1""#, "false"]),
    (.boolean, ["true", "false"], ["0", "1", #""true""#]),
    (
      .url, [#""https://a.example/b?c=d#e""#, #""/a/b""#, #""mailto:a@b.example""#, #""https://ä.example/ü""#],
      [#""""#, #""a/b""#, #""https:""#, #""https://a b""#, #""1:a""#, #""//a\nb""#, "1", #"":a""#]
    ),
    (
      .date,
      [
        #""2026-11-21T04:00:00Z""#, #""2024-02-29t23:59:60z""#, #""2026-01-01T00:00:00.123456+05:30""#,
        #""1999-01-01T05:29:60+05:30""#,
      ],
      [
        #""2026-11-21""#, #""2026-02-29T00:00:00Z""#, #""2026-13-01T00:00:00Z""#, #""2026-01-01T24:00:00Z""#,
        #""2026-01-01T00:00:60Z""#, #""2026-01-01 00:00:00Z""#, #""2026-01-01T00:00:00""#, "1700000000",
        #""2026-01-01T00:00:00.Z""#, #""2026-01-01T00:00:00+0530""#, #""2026-00-01T00:00:00Z""#,
      ]
    ),
    (.object, ["{}", #"{"a":[1]}"#], ["[]", #""{}""#]),
    (.any, ["1", "false", "[]", "{}", #""""#], []),
    (.list(.string), ["[]", #"["a",""]"#], [#"["a",1]"#, #"["a",null]"#, "{}", #""a""#]),
    (.list(.list(.integer)), ["[[1],[]]"], ["[1]", "[[1.5]]"]),
    (.oneOf(["open", "closed"]), [#""open""#], [#""Open""#, #""""#, "1"]),
  ]

  @Test(arguments: 0..<types.count)
  func whatFitsAndWhatDoesNot(_ position: Int) throws {
    let (type, fits, unfit) = Self.types[position]
    for value in fits {
      let result = try map(value, as: type)
      #expect(result.rows.first?.payload() == #"{"v":\#(value)}"#, "\(type)")
    }
    for value in unfit + ["null"] {
      let result = try map(value, as: type)
      #expect(result.rows.isEmpty, "\(type) took \(value)")
      let reason = try #require(result.reasons.first)
      #expect(reason.hasPrefix("the field “v” of C is "))
      #expect(reason.hasSuffix("; \(type.expectation) is expected"))
    }
    #expect(try map("null", as: type, isOptional: true).rows.first?.payload() == "{}")
    for value in unfit { #expect(try map(value, as: type, isOptional: true).rows.isEmpty, "\(type) took \(value)") }
  }

  private func map(_ value: String, as type: FieldType, isOptional: Bool = false) throws -> MappingResult {
    try Fixture {
      $0.cells = [CellDefinition(identifier: "C", fields: [.init(name: "v", type: type, isOptional: isOptional)])]
      $0.table.cell = mapping("C", ["v": "${v}"])
    }.map(#"[{"id":1,"v":\#(value)}]"#)
  }

  @Test func anIntegerWithAnEmptyFractionLosesIt() throws {
    #expect(try map("3.0", as: .integer).rows.first?.payload() == #"{"v":3}"#)
  }

  @Test func theReasonNamesFieldAndValue() throws {
    #expect(
      try map(#""a text that goes on and on and on and on and on""#, as: .number).reasons
        == ["the field “v” of C is the text “a text that goes on and on and on and on…”; a number is expected"]
    )
  }

  @Test func aWholeExpressionKeepsItsTypeAndMixedTextIsText() throws {
    func payload(_ text: JSONValue) throws -> MappingResult {
      try Fixture { $0.table.cell = mapping("Title", ["title": text]) }.map(#"[{"id":1,"n":5}]"#)
    }
    #expect(try payload("${n}").reasons == ["the field “title” of Title is the number 5; a text is expected"])
    #expect(try payload("#${n}").rows.first?.payload() == ##"{"title":"#5"}"##)
    #expect(try payload("${n + 'x' - 1}").reasons.first?.hasPrefix("the field “title” of Title has no value (") == true)
  }

  @Test func undeclaredMembersOfAPayloadAreNotWritten() throws {
    let result = try Fixture { $0.table.cell = mapping("Title", ["other": 1, "title": "a"]) }.map(#"[{"id":1}]"#)
    #expect(result.rows.first?.payload() == #"{"title":"a"}"#)
  }
}
