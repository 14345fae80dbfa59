import Expressions
import JSON
import Testing

@Suite struct FilterTests {
  static let item: JSONValue = [
    "labels": [["name": "bug"], ["name": "ui"]], "reactions": ["up": 3, "down": 1],
    "people": [["name": "Bo", "age": 3], ["name": "Al", "age": 5], ["name": "Cy"]],
  ]

  /// What the documentation shows.
  @Test(arguments: Filter.all.flatMap { filter in filter.examples.map { (filter.name, $0.expression, $0.value) } })
  func exampleHolds(_ name: String, _ expression: String, _ expected: String) throws {
    let value = try Expression(expression).evaluate(in: Scope(item: Value(Self.item)))
    #expect(value.json == expected)
  }

  /// Beyond the examples: null, edges, other kinds.
  @Test(
    arguments: [
      // Null stays null, so that ?? can follow.
      ("null | truncate(3)", "null"), ("null | upper", "null"), ("null | date", "null"), ("null | number", "null"),
      ("null | join", "null"), ("null | map(a)", "null"), ("null | length", "0"), ("null | json", "\"null\""),
      ("null | host", "null"), ("null | split(',')", "null"), ("null | startsWith('a')", "false"),
      ("null | contains('a')", "false"), ("null | first", "null"), ("null | plural('a', 'b')", "null"),
      // Integers that no double is
      ("9007199254740993 | number", "\"9,007,199,254,740,993\""),
      ("-9007199254740993 | number(2, 'de')", "\"-9.007.199.254.740.993,00\""),
      ("12345678901234567 | currency('EUR', 'en')", "\"€12,345,678,901,234,567.00\""),
      ("'9007199254740993' | number", "\"9,007,199,254,740,993\""),
      ("'18446744073709551615' | number(1, 'de')", "\"18.446.744.073.709.551.615,0\""),
      ("'12345678901234567' | currency('EUR', 'en')", "\"€12,345,678,901,234,567.00\""),
      ("'9007199254740993' | round", "9007199254740993"), ("' -9007199254740993' | floor", "-9007199254740993"),
      ("'+18446744073709551615' | ceil", "18446744073709551615"), ("'9007199254740993 ' | int", "9007199254740993"),
      // Text
      ("'👨‍👩‍👧👍 ok' | truncate(2)", "\"👨‍👩‍👧…\""), ("'abc' | truncate(3)", "\"abc\""),
      ("'abcd' | truncate(2, '...')", "\"..\""),
      ("'word word' | truncate(6)", "\"word…\""), ("'abc' | truncate(0)", "\"\""), ("12345 | truncate(3)", "\"12…\""),
      ("42 | truncate(10)", "\"42\""), ("42 | truncate(2)", "\"42\""), ("true | truncate(9)", "\"true\""),
      ("'' | capitalize", "\"\""), ("'   ' | trim", "\"\""), ("'aaa' | replace('a', 'bb')", "\"bbbbbb\""),
      ("'abc' | replace('', 'x')", "\"abc\""), ("'a,b,,c' | split(',')", "[\"a\",\"b\",\"\",\"c\"]"),
      ("'aabaab' | split('aab')", "[\"\",\"\",\"\"]"),
      ("'aaaa' | replace('aa', 'b')", "\"bb\""), ("'aaa' | replace('aa', 'b')", "\"ba\""),
      ("'abababc' | contains('ababc')", "true"), ("'abababd' | contains('ababc')", "false"),
      ("'é👍' | split('')", "[\"é\",\"👍\"]"), ("1 | string", "\"1\""), ("true | string", "\"true\""),
      // HTML
      ("'a<br>b<br/>c' | stripHtml", "\"a\\nb\\nc\""), ("'<script>x < y</script>ok' | stripHtml", "\"ok\""),
      ("'1 < 2 &lt;3 &#233;&#x1F44D; &unknown; &' | stripHtml", "\"1 < 2 <3 é👍 &unknown; &\""),
      ("'<a title=\"x > y\">link</a>' | stripHtml", "\"link\""), ("'<!-- no --> yes' | stripHtml", "\"yes\""),
      ("'a  \\n b' | stripHtml", "\"a b\""), ("'<p>one</p><p>two</p>' | stripHtml", "\"one\\ntwo\""),
      ("'<unclosed' | stripHtml", "\"\""), ("'&#xD800;&#0;' | stripHtml", "\"&#xD800;&#0;\""),
      // Lists
      ("['', 'a', null, '', 'b'] | join('/')", "\"/a//b\""), ("people | map(name) | join('/')", "\"Bo/Al/Cy\""),
      ("people | where(age > 3) | map(name)", "[\"Al\"]"),
      ("people | sort(name) | map(name)", "[\"Al\",\"Bo\",\"Cy\"]"),
      ("people | sort(age) | map(name)", "[\"Cy\",\"Bo\",\"Al\"]"), ("people | sum(age)", "8"),
      ("people | max(age)", "5"), ("people | unique(has(age)) | length", "2"), ("[] | first", "null"),
      ("[] | max", "null"),
      ("[] | sum", "0"), ("[1, null, 2] | join", "\"1, 2\""), ("[1, 1.0, '1'] | unique", "[1,\"1\"]"),
      ("[2, 'a', null, true, 1] | sort", "[null,true,1,2,\"a\"]"), ("'abc' | reverse", "\"cba\""),
      ("[[1], [1], [2], [1.0]] | unique", "[[1],[2]]"), ("[reactions, labels, reactions] | unique | length", "2"),
      ("'abc' | last", "\"c\""),
      ("'abcdef' | last(2)", "\"ef\""), ("[1, 2] | first(9)", "[1,2]"), ("[1, 2] | slice(5)", "[]"),
      ("[1, 2, 3, 4] | slice(1, -1)", "[2,3]"), ("[1] | slice(-9223372036854775807, 9223372036854775807)", "[1]"),
      ("[] | default(1)", "1"), ("false | default(1)", "false"), ("0 | default(1)", "0"),
      // Numbers
      ("'1234.5' | number(1)", "\"1,234.5\""), ("0.5 | number(0)", "\"1\""), ("-2.5 | round", "-3"),
      ("1e300 | round(20)", "1e+300"), ("1e300 | int", "1e+300"), ("'x' | boolean", "true"),
      ("'No' | boolean", "false"),
      ("-9223372036854775807 - 1 | abs", "9.223372036854776e+18"), ("true | int", "1"), ("'7' | float", "7"),
      ("'9007199254740993' | float", "9007199254740993"), ("'18446744073709551615' | float", "18446744073709551615"),
      ("' 7.0' | float", "7.0"), ("null | float", "null"), ("true | float", "1"),
      // A number with no more decimals stays itself, and halves are those of the digits that are written.
      ("389.47 | round(13)", "389.47"), ("912.63 | round(18)", "912.63"), ("1.005 | round(2)", "1.01"),
      ("0.285 | round(2)", "0.29"), ("-1.005 | round(2)", "-1.01"), ("0.995 | round(2)", "1.0"),
      ("-0.04 | round(1)", "0.0"), ("0.0000004 | round(6)", "0.0"), ("0.0000005 | round(6)", "1e-06"),
      ("123456789.987654 | round(3)", "123456789.988"), ("0.1 | round(20)", "0.1"), ("1e-30 | round(20)", "0.0"),
      ("'2.345' | round(2)", "2.35"), ("2.0 | round(2)", "2.0"), ("-0.4 | round", "0"),
      // Dates
      ("'2024-02-29' | date", "\"2024-02-29\""),
      ("'2024-05-01T22:30:00.5+02:00' | date", "\"2024-05-01T20:30:00Z\""),
      ("'20240501T223000Z' | date", "\"2024-05-01T22:30:00Z\""), ("1714602600000 | date", "\"2024-05-01T22:30:00Z\""),
      ("'1714602600' | date", "\"2024-05-01T22:30:00Z\""), ("-1 | date", "\"1969-12-31T23:59:59Z\""),
      ("'1900-03-01' | date", "\"1900-03-01\""),
      ("'2000-02-29T23:59:59.9Z' | date", "\"2000-02-29T23:59:59Z\""),
      ("'0001-01-01' | date", "\"0001-01-01\""),
      ("'9999-12-31T23:59:59Z' | date", "\"9999-12-31T23:59:59Z\""),
      ("-0.5 | date", "\"1969-12-31T23:59:59Z\""), ("'2023-12-31' | date", "\"2023-12-31\""),
      ("'1 May 2024 22:30 +0200' | date", "\"2024-05-01T20:30:00Z\""),
      ("'2024-05-01 22:30:00 UTC' | date", "\"2024-05-01T22:30:00Z\""),
      ("'2024-05-01 22:30:00.5 +0200' | date", "\"2024-05-01T20:30:00Z\""),
      ("'Wednesday, 01-May-2024 22:30:00 GMT' | date", "\"2024-05-01T22:30:00Z\""),
      ("'2024-05-01T24:00Z' | date", "\"2024-05-02T00:00:00Z\""),
      ("'2024-05-01T24:00:00.0Z' | date", "\"2024-05-02T00:00:00Z\""),
      ("'2024-05-01T22:30:00Z' | date('EEEE', 'UTC', 'de')", "\"Mittwoch\""),
      ("'1492-10-12' | date('d. MMMM yyyy', 'UTC', 'de')", "\"12. Oktober 1492\""),
      ("'1492-10-12' | date('iso', 'Etc/GMT-1')", "\"1492-10-12\""),
      ("'2024-05-01T22:30:00Z' | date('iso', 'Europe/Berlin')", "\"2024-05-02T00:30:00+02:00\""),
      ("'2024-05-01T22:30:00Z' | date('medium')", "\"May 1, 2024 at 10:30\u{202F}PM\""),
      // A date without a time is that date, in every format and zone.
      ("'2026-12-24' | date('medium')", "\"Dec 24, 2026\""),
      ("'2026-12-24' | date('long', 'America/New_York')", "\"December 24, 2026\""),
      ("'2026-12-24' | date('short', 'Pacific/Auckland', 'de')", "\"24.12.26\""),
      ("'20261224' | date('iso', 'Asia/Tokyo')", "\"2026-12-24\""),
      ("'2026-12-24' | date('EEEE', 'America/New_York')", "\"Thursday\""),
      ("'2026-12-24' | date('short time')", "null"), ("'2026-12-24' | timestamp", "1798070400"),
      // One half of a moment.
      ("'2024-05-01T22:30:00Z' | date('medium date', 'Europe/Berlin')", "\"May 2, 2024\""),
      ("'2024-05-01T22:30:00Z' | date('short time', 'Europe/Berlin', 'de')", "\"00:30\""),
      ("'2024-05-01T22:30:05Z' | date('medium time')", "\"10:30:05\u{202F}PM\""),
      ("'2024-05-01T22:30:00Z' | date('iso date')", "\"2024-05-01\""),
      ("'2024-05-01T22:30:00Z' | date('iso time')", "\"22:30:00Z\""),
      // Encodings
      ("'HTTP://User:pw@Example.COM:8080/x' | host", "\"example.com\""), ("'no url' | host", "null"),
      ("'http://[::1]:80/' | host", "\"[::1]\""), ("'é' | urlEncode", "\"%C3%A9\""),
      ("([1, 2] | hash) == ([1, 2] | hash)", "true"),
    ] as [(String, String)]
  )
  func edge(_ expression: String, _ expected: String) throws {
    let value = try Expression(expression).evaluate(in: Scope(item: Value(Self.item)))
    #expect(value.json == expected)
  }

  @Test(arguments: [
    "'2023-02-29' | date", "'2024-13-01' | date", "1e15 | date", "'24:00' | date", "'x' | int",
    "'2024-05-01T24:01Z' | date", "'2024-05-01T24:00:01Z' | date", "'2024-05-01T24:00:00.5Z' | date",
    "'2024-05-01T25:00Z' | date", "0 | date('y', 'UTC', 'ééééééééééé')",
    "1 | number(0, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')", "1 | currency('EUR', '')",
    "0 | date('y', '..' + '/../etc/passwd')",
  ])
  func hasNoValue(_ text: String) throws {
    let expression = try Expression(text)
    #expect(throws: EvaluationError.self) { try expression.evaluate(in: Scope()) }
  }

  /// Filters over lists in each other, and texts that grow, end in an error instead of in a hang.
  @Test(arguments: [
    "list | map(list | map(list | map(list | map(1))))",
    "text | replace('a', text)",
    "list | map(text) | join", "list | map(text + $index) | length",
    "text | split('') | map(text) | json", "list | map((text | replace('b', 'c')) | length)",
  ])
  func isBounded(_ text: String) throws {
    let item: JSONValue = [
      "list": .array((0..<100).map { .integer($0) }), "text": .string(String(repeating: "a", count: 200_000)),
    ]
    let expression = try Expression(text)
    #expect(throws: EvaluationError.self) { try expression.evaluate(in: Scope(item: Value(item))) }
  }

  /// The same where what is repeated is a part of the document.
  @Test(arguments: ["list | map(text) | json", "list | map(all) | json", "list | map([all, all]) | length"])
  func isBoundedOnViews(_ text: String) throws {
    let item: JSONValue = [
      "list": .array((0..<100).map { .integer($0) }), "text": .string(String(repeating: "a", count: 200_000)),
      "all": .array((0..<200_000).map { .integer($0) }),
    ]
    let expression = try Expression(text)
    try Document(item.bytes).withRoot { root in
      _ = #expect(throws: EvaluationError.self) { try expression.evaluate(in: Scope(item: root)) }
    }
  }

  /// In time that grows with the list, not with its square.
  @Test func equalObjectsAreFoundAmongMany() throws {
    let item: JSONValue = ["list": .array((0..<60_000).map { ["a": .integer($0 % 30_000), "b": "x"] })]
    let value = try Expression("list | unique | length").evaluate(in: Scope(item: Value(item)))
    #expect(value.json == "30000")
  }
}
