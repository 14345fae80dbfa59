import Definitions
import Foundation
import JSON
import TestSupport
import Testing

@testable import Configuration

/// What is YAML's own: syntax, repeated keys, aliases, merge keys, bounds.
@Suite struct YAMLTests {
  typealias Case = DiagnosticsTests.Case

  static let cases = [
    Case(
      "`${` unquoted in braces",
      "tables:\n  x: {source: y, row: {id: ${id}, type: a}}\n",
      #"2:28: '${' unquoted inside { } or [ ] is not YAML, put the whole value in quotes: "${…}""#
    ),
    Case("`${` unquoted in brackets", "a: [${b}]", "1:5: '${' unquoted inside { } or [ ] is not YAML"),
    Case(
      "tab",
      "tables:\n\tx: 1",
      "2:1: YAML: found character that cannot start any token while scanning for the next token, indent with spaces"
    ),
    Case(
      "colon in an expression",
      "x: ${a ? b : c}",
      "1:12: YAML: mapping values are not allowed in this context, put a value that contains ': ' in quotes"
    ),
    Case(
      "at sign",
      "x: @foo",
      "1:4: YAML: found character that cannot start any token while scanning for the next token, put the value in quotes"
    ),
    Case("unclosed bracket", "x: [1, 2", "1:9: YAML: "),
    Case("control character", "x: \u{1}", "1:4: YAML: control characters are not allowed, take it out"),
    Case(
      "comment in a text",
      Self.title("${a} #${b}"),
      "7:18: warning: what follows ' #' is a comment in YAML"
    ),
    Case("comment after a text", Self.title("${a} # the title")),
    Case("two documents", "tables: {}\n---\ntables: {}\n", "2:1: YAML: but found another document"),
    Case(
      "repeated keys",
      "history: 1\nhistory: 2\ntables: {}\nhistory: x\nlimits: {waiters: 1, \"waiters\": 2}\n",
      "2:1: the key 'history' stands twice in this mapping, keep this one or the one in line 1",
      "4:1: the key 'history' stands twice",
      "5:22: the key 'waiters' stands twice in this mapping"
    ),
    Case(
      "repeated keys hide nothing",
      "history: x\nhistory: 2\nlisten: y\ntables: {}\n",
      "1:10: a whole number is expected",
      "2:1: the key 'history' stands twice",
      "3:9: the text 'y' is no address"
    ),
    Case("unknown alias", "history: *x\ntables: {}\n", "1:10: YAML: found undefined alias"),
    Case("alias as a key", "a: &a b\n*a : 1\n", "2:1: an alias can't be a key"),
    Case("alias as a key of two", "a: &a b\n*a : 1\n*a : 2\n", "2:1: an alias can't be a key"),
    Case("alias as a key in braces", "a: &a b\nk: {c: *a, *a : 1}\n", "2:12: an alias can't be a key"),
    Case("alias as a key in a list", "a: &a b\nk: [*a, {x: {*a: 1}}]\n", "2:14: an alias can't be a key"),
    Case("alias in a key", "a: &a b\nk: {[c, *a]: 1}\n", "2:9: an alias can't be a key"),
    Case("alias as the value in a key", "a: &a b\nk:\n  ? {c: [*a]}\n  : 1\n", "3:10: an alias can't be a key"),
    Case("merge of a text", "tables: {}\nviews: {<<: 3}\n", "2:13: '<<' merges mappings, and this is the number 3"),
    Case(
      "two merge keys",
      "tables: {}\nviews: &v {max: 3}\nlimits: {<<: {waiters: 1}, <<: {waiters: 2}}\n",
      "3:28: the key `<<` stands twice in this mapping, merge both by one: `<<: [*one, *two]`"
    ),
    Case("a list as a key", "tables: {}\n[a]: 1\n", "2:1: a key that is no text"),
    Case(
      "deep",
      "a: " + String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
      "1:68: too deep a nesting, at most 64 levels are read"
    ),
    Case(
      "half of a surrogate pair",
      #"{"tables": {}, "listen": "\ud83d"}"#,
      "1:27: an escape that stands for no character, write the character itself, or both halves of a surrogate pair"
    ),
    Case("an escape beyond Unicode", #"x: "\U00110000""#, "1:5: an escape that stands for no character"),
    Case(
      "what stands behind surrogate pairs keeps its column",
      #"{"tables": {}, "sources": {"\ud83d\ude00": {}, "b\ud83d\ude00": {}}, "history": 0}"#,
      "1:28: the name '😀' can't stand in a URL",
      "1:28: warning: no table uses the source '😀'",
      "1:44: 'url' is missing",
      "1:48: the name 'b😀' can't stand in a URL",
      "1:48: warning: no table uses the source 'b😀'",
      "1:65: 'url' is missing",
      "1:81: the number 0 is out of range"
    ),
    Case("very deep", "a: " + String(repeating: "[", count: 5000), "1:5: too deep a nesting"),
  ]

  static func title(_ text: String) -> String {
    """
    cells: {C: {fields: {title: string}}}
    tables:
      t:
        source: {local: {}}
        cell: C
        payload:
          title: \(text)
    """
  }

  @Test(arguments: cases)
  func says(_ test: Case) { DiagnosticsTests().says(test) }

  @Test(.timeLimit(.minutes(1)))
  func aliasBombIsBounded() {
    let levels = (1..<60).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()
    let found = diagnostics("a0: &a0 [x, x]\n" + levels)
    #expect(found == ["1:10: too many values, all aliases followed, at most 200000 are read"])
    let keys = [("? *a59\n: 1\n", 3), ("k: {*a59 : 1}\n", 5), ("k: {? *a59 : 1}\n", 7), ("k: {[*a59]: 1}\n", 6)]
    for (end, column) in keys {
      #expect(
        diagnostics("a0: &a0 [x, x]\n" + levels + end) == [
          "61:\(column): an alias can't be a key, write the key itself"
        ],
        "\(end)"
      )
    }
  }

  /// An asterisk is not always an alias, and an alias before a colon not always a key.
  @Test func asterisksAreRead() {
    let text = """
      note: |
        * Milk: 2 l
        *bold: text*
      folded: >
        *a: b
      plain: one
        *two
      quoted: "one
        *two: three"
      base: &base {a: 1}
      list:
        - *base  # see: above
        - {<<: *base, b: *base}
        - "*base": '*base'
      ? what *that*
      : *base
      "*key*": 2
      """
    var yaml = YAMLReader(text: text)
    let root = yaml.read()
    #expect(yaml.problems == [])
    #expect(
      root.map { JSONValue($0) } == [
        "note": "* Milk: 2 l\n*bold: text*\n", "folded": "*a: b\n", "plain": "one *two", "quoted": "one *two: three",
        "base": ["a": 1], "list": [["a": 1], ["b": ["a": 1], "a": 1], ["*base": "*base"]], "what *that*": ["a": 1],
        "*key*": 2,
      ]
    )
  }

  @Test func sizeIsBounded() {
    #expect(
      diagnostics(String(repeating: "# \n", count: 1_500_000)) == [
        "1:1: the file has 4500000 bytes, at most 4194304 are read"
      ]
    )
  }

  @Test func anchorsAndMergeKeysWork() throws {
    let text = """
      sources:
        a: &a {url: https://x.example, every: 5m, timeout: 3s}
        b: {<<: *a, every: 1m}
        c: {<<: [{timeout: 2s}, *a], every: 30s}
      tables:
        a: &t {source: a, row: {id: "${id}"}}
        b: {<<: *t, source: b}
        c: {<<: *t, source: c}
      """
    let (definition, found) = ConfigurationReader.read(text: text, file: "t", environment: [:])
    #expect(found.isEmpty, "\(found)")
    let upstreams = try #require(definition).sources.compactMap { source in
      if case .upstream(let upstream) = source.kind { upstream } else { nil }
    }
    #expect(upstreams.map(\.every) == [.seconds(300), .seconds(60), .seconds(30)])
    #expect(upstreams.map(\.timeout) == [.seconds(3), .seconds(3), .seconds(2)])
  }

  struct Text: CustomTestStringConvertible {
    var written: String
    var read: String
    var testDescription: String { written }
  }

  /// JSON is YAML, with its way to escape characters beyond U+FFFF, too.
  @Test(arguments: [
    Text(written: #""\ud83d\ude00""#, read: "😀"),
    Text(written: #""a\uD83D\uDE00\u00e9\ud83d\ude00z""#, read: "a😀é😀z"),
    Text(written: #""\\ud83d\\ude00""#, read: #"\ud83d\ude00"#),
    Text(written: #"'\ud83d\ude00'"#, read: #"\ud83d\ude00"#),
    Text(written: #"\ud83d\ude00"#, read: #"\ud83d\ude00"#),
    Text(written: #""\"\ud83d\ude00\"\\""#, read: #""😀"\"#),
    Text(written: "\"\\ud83d\\ude00\n  b \\ud83d\\ude01 \\\n  c\"", read: "😀 b 😁 c"),
    Text(written: #""\udbff\udfff""#, read: "\u{10FFFF}"),
  ]) func surrogatePairsAreCharacters(_ text: Text) {
    let pair = #"\ud83d\ude00"#
    // Before others, which may be joined with it.
    var yaml = YAMLReader(text: "a: \(text.written)\nb: [\"\(pair)\", 1, '\(pair)', \"\(pair)\"]\n")
    let root = yaml.read()
    #expect(yaml.problems == [])
    #expect(root.map { JSONValue($0) } == ["a": .string(text.read), "b": ["😀", 1, .string(pair), "😀"]])
  }

  @Test func hundredsOfSurrogatePairsAreRead() throws {
    let members = (0..<900).map { ##""k\##($0)": ["\ud83d\ude00", "\ud83d\ude01"]"## }
    var yaml = YAMLReader(text: "{" + members.joined(separator: ", ") + "}")
    let root = yaml.read()
    #expect(yaml.problems == [])
    #expect(try #require(root?.entries).allSatisfy { $0.value.elements?.map(\.scalar?.text) == ["😀", "😁"] })
  }

  struct Scalar: CustomTestStringConvertible {
    var text: String
    var resolved: ResolvedScalar
    var testDescription: String { text }
  }

  @Test(arguments: [
    Scalar(text: "", resolved: .null), Scalar(text: "~", resolved: .null), Scalar(text: "null", resolved: .null),
    Scalar(text: "true", resolved: .boolean(true)), Scalar(text: "False", resolved: .boolean(false)),
    Scalar(text: "yes", resolved: .string), Scalar(text: "on", resolved: .string),
    Scalar(text: "12", resolved: .integer(12)),
    Scalar(text: "-7", resolved: .integer(-7)), Scalar(text: "0x1F", resolved: .integer(31)),
    Scalar(text: "0o17", resolved: .integer(15)), Scalar(text: "1.5", resolved: .number(1.5)),
    Scalar(text: "1e3", resolved: .number(1000)), Scalar(text: "1e999", resolved: .string),
    Scalar(text: "12:30", resolved: .string), Scalar(text: "2026-05-01", resolved: .string),
    Scalar(text: "1_000", resolved: .string), Scalar(text: "99999999999999999999", resolved: .number(1e20)),
    Scalar(text: "+", resolved: .string), Scalar(text: "-", resolved: .string), Scalar(text: ".", resolved: .string),
  ])
  func coreSchema(_ scalar: Scalar) {
    #expect(YAMLScalar(text: scalar.text, isPlain: true).resolved == scalar.resolved)
    #expect(YAMLScalar(text: scalar.text, isPlain: false).resolved == .string)
  }

  /// Any bytes in, no crash, and a place inside of the text out.
  @Test func anyTextIsAnswered() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let sample = Array(try fixture("config-by-example.yaml").unicodeScalars)
    let alphabet = Array("{}[]:,-?*&!|>'\"%@`#$ \n\t\\~<=0a".unicodeScalars)
    for round in 0..<150 {
      var scalars = Array(sample[..<Int.random(in: 0...sample.count, using: &random)])
      for _ in 0..<Int.random(in: 0...6, using: &random) where !scalars.isEmpty {
        scalars[Int.random(in: 0..<scalars.count, using: &random)] = alphabet.randomElement(using: &random) ?? " "
      }
      let text = String(String.UnicodeScalarView(scalars))
      let (definition, found) = ConfigurationReader.read(
        text: text,
        file: "t",
        environment: ["GITHUB_TOKEN": "t0ps3cret"]
      )
      #expect(definition != nil || !found.isEmpty, "seed \(seed), round \(round)")
      #expect(!found.contains { $0.description.contains("t0ps3cret") }, "seed \(seed), round \(round)")
      let lines = SourceText(text).lines
      #expect(
        found.allSatisfy { $0.line >= 1 && $0.line <= lines.count && $0.column >= 1 },
        "seed \(seed), round \(round)"
      )
    }
  }
}
