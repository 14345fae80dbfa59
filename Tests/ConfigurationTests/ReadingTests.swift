import Definitions
import Expressions
import FieldValues
import JSON
import Testing

@testable import Configuration

@Suite struct ReadingTests {
  @Test(arguments: [
    ("250ms", Duration.milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)), ("2h", .seconds(7200)),
    ("1h30m", .seconds(5400)), ("0s", .zero), ("1d", .seconds(86400)),
  ])
  func durations(text: String, duration: Duration) { #expect(parseDuration(text) == .value(duration)) }

  @Test(arguments: ["", "5", "s", "5 m", "-5m", "5x", "1.5h", "5m5", "٣m", "400d5", "400dh"])
  func noDurations(text: String) { #expect(parseDuration(text) == .malformed) }

  @Test(arguments: ["99999999999999999999s", "400d", "366d1ms", "300d300d300d", "9223372036854775807d1s"])
  func durationsThatAreTooLong(text: String) { #expect(parseDuration(text) == .tooMuch) }

  @Test(arguments: [
    ("512B", 512), ("64KB", 65536), ("32MB", 33_554_432), ("1GB", 1_073_741_824), ("2000000B", 2_000_000),
  ])
  func sizes(text: String, size: Int) { #expect(parseSize(text) == .value(size)) }

  @Test(arguments: ["", "5", "KB", "5 KB", "-5KB", "5kb", "1.5MB"])
  func noSizes(text: String) { #expect(parseSize(text) == .malformed) }

  @Test(arguments: ["9999999999999GB", "1125899906842625B", "99999999999999999999B"])
  func sizesThatAreTooLarge(text: String) { #expect(parseSize(text) == .tooMuch) }

  @Test(arguments: [
    ("listne", "listen"), ("Listen", "listen"), ("tabels", "tables"), ("row", nil), ("", nil), ("x", nil),
    ("store_", "store"),
  ])
  func nearestKey(word: String, expected: String?) {
    #expect(Nearest.name(to: word, among: ["listen", "tables", "store"]) == expected)
  }

  @Test(arguments: [
    ("8080", "127.0.0.1", 8080), ("0.0.0.0:80", "0.0.0.0", 80), ("'[::1]:8080'", "::1", 8080),
    ("localhost:0", "localhost", 0), ("\"${env.HOST}:${env.PORT}\"", "10.0.0.7", 99),
  ])
  func addresses(text: String, host: String, port: UInt16) throws {
    let (definition, found) = ConfigurationReader.read(
      text: "listen: \(text)\ntables: {}",
      file: "t",
      environment: ["HOST": "10.0.0.7", "PORT": "99"]
    )
    #expect(found.isEmpty)
    #expect(definition?.listen.host == host)
    #expect(definition?.listen.port == port)
  }

  /// The last group of an IPv6 address looks like a port.
  @Test(arguments: [
    ("::1", "`[::1]:8080`"), ("::1:8080", "`[::1:8080]:8080`"), ("[::1]", "`[::1]:8080`"), ("x", "8080"),
  ])
  func anAddressWithoutBracketsIsToldWhatWouldBeRight(text: String, suggestion: String) throws {
    let found = try #require(diagnostics("listen: '\(text)'\ntables: {}").first)
    #expect(found.contains(suggestion), "\(found)")
    let mistake = #expect(throws: ListenAddress.Mistake.self) { try ListenAddress(parsing: text) }
    #expect(mistake?.suggestion.contains(suggestion) == true)
  }

  @Test(arguments: ["'::1:8080'", "':80'", "host:", "a b:80", "'[]:80'", "-1", "host:٣"])
  func noAddresses(text: String) { #expect(diagnostics("listen: \(text)\ntables: {}").count == 1) }

  @Test(arguments: [
    ("string", FieldType.string, false), ("optional url", .url, true), ("list of string", .list(.string), false),
    ("optional list of list of date", .list(.list(.date)), true), ("{oneOf: [a, 1]}", .oneOf(["a", "1"]), false),
    ("{optional oneOf: [a]}", .oneOf(["a"]), true),
  ])
  func fieldTypes(text: String, type: FieldType, isOptional: Bool) {
    let (definition, _) = ConfigurationReader.read(
      text: "cells: {C: {fields: {f: \(text)}}}\ntables: {}",
      file: "t",
      environment: [:]
    )
    #expect(definition?.cells.first?.fields == [.init(name: "f", type: type, isOptional: isOptional)])
  }

  @Test(arguments: [
    ("a ? 'x' : 'y'", ["x", "y"]), ("a ? 'x' : b ? 'y' : 'z'", ["x", "y", "z"]), ("'x'", ["x"]),
    ("a ? b ? 'x' : 'y' : ('z')", ["x", "y", "z"]), ("a ?? 'x'", nil), ("a ? 'x' : type", nil), ("type", nil),
    ("a == '?' ? 'x' : \"y\"", ["x", "y"]), ("(a ? 1 : 2) == 1 ? 'x' : 'y'", ["x", "y"]),
  ])
  func constantsOfTypes(text: String, expected: [String]?) { #expect(ExpressionOutline(text).constants == expected) }

  @Test func templateTextHasPlaces() {
    let text = TemplateParts("a ${b + '}'} $${c} ${ d }")
    #expect(text.expressions == ["b + '}'", " d "])
    #expect(text.offset(of: text.expressions[1]) == 21)
    #expect(TemplateParts("${a}").whole == "a")
    #expect(TemplateParts("${a}b").whole == nil)
    #expect(TemplateParts("${a").expressions == [])
    #expect(TemplateParts("é ${a").unclosed == 3)
  }

  @Test func withoutCellsThereIsOne() throws {
    let text = "sources: {s: {url: https://x.example}}\ntables: {t: {source: s, row: {id: \"${id}\"}}}"
    let definition = try #require(ConfigurationReader.read(text: text, file: "t", environment: [:]).definition)
    #expect(definition.cells.map(\.identifier) == ["TableViewCellWithLabel"])
    #expect(definition.cells.first?.fields == [.init(name: "title", type: .string)])
    #expect(definition.tables.first?.cell?.cell == "TableViewCellWithLabel")
    #expect(definition.store == .sqlite(path: "data/tablecast.sqlite"))
  }

  /// A table with a `$default` of its own, or a shared one, needs no built-in title.
  @Test(arguments: ["representations: REP\n", ""]) func withoutCellsADefaultCounts(shared: String) throws {
    let representation = "{$default: {cell: TableViewCellWithLabel, payload: {title: \"${subject}\"}}}"
    let own = shared.isEmpty ? ", representations: REP" : ""
    let text = shared + "sources: {s: {url: https://x.example}}\ntables: {t: {source: s, row: {id: \"${id}\"}\(own)}}"
    let (definition, found) = ConfigurationReader.read(
      text: text.replacing("REP", with: representation),
      file: "t",
      environment: [:]
    )
    let table = try #require(definition?.tables.first, "\(found)")
    #expect(found.isEmpty && table.cell == nil)
    #expect(definition?.cells.map(\.identifier) == ["TableViewCellWithLabel"])
  }

  @Test func forwardStandsInATableOrItsSource() throws {
    let text = """
      sources: {s: {url: https://x.example, forward: [Authorization]}}
      tables:
        t: {source: s, row: {id: "${id}"}, forward: [authorization, Accept-Language]}
        u: {source: {url: https://x.example, forward: [Cookie]}, row: {id: "${id}"}}
        v: {source: s, row: {id: "${id}"}}
      """
    let definition = try #require(ConfigurationReader.read(text: text, file: "t", environment: [:]).definition)
    #expect(definition.tables.map(\.forward) == [["authorization", "Accept-Language"], ["Cookie"], ["Authorization"]])
    #expect(definition.sources.map(\.name) == ["s", "$u"])
  }

  @Test func rendering() {
    let mistake = Diagnostic(file: "a.yaml", line: 3, column: 4, message: "wrong", suggestion: "right")
    let warning = Diagnostic(severity: .warning, file: "a.yaml", line: 5, column: 6, message: "odd")
    #expect([mistake, warning].rendered() == "a.yaml:3:4: wrong, right\na.yaml:5:6: warning: odd\n")
    #expect(
      [mistake].rendered(inColor: true)
        == "\u{1B}[1ma.yaml:3:4:\u{1B}[0m \u{1B}[1;31merror:\u{1B}[0m wrong, right\n"
    )
    #expect(
      String(decoding: [warning].json.bytes, as: UTF8.self)
        == #"[{"severity":"warning","file":"a.yaml","line":5,"column":6,"message":"odd","suggestion":null}]"#
    )
  }

  @Test func missingFile() {
    let found = ConfigurationReader.read(path: "/nowhere/x.yaml", environment: [:]).diagnostics
    #expect(found.map(\.description) == ["/nowhere/x.yaml:1:1: there is no such file, name one by `--config FILE`"])
    let folder = ConfigurationReader.read(path: "/", environment: [:]).diagnostics
    #expect(folder.map(\.description) == ["/:1:1: this is a folder, name a file in it"])
  }
}
