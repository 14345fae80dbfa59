import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Headers' items, order and limit by expressions, languages, rows of a section's own.
@Suite struct ArrangementTests {
  private let items = #"""
    [{"id":1,"title":"Zebra 10","n":3},{"id":2,"title":"Äpfel","n":1},{"id":3,"title":"apfel 9","n":2},
     {"id":4,"title":"Zebra 9","n":4}]
    """#

  private func map(
    _ variables: MappingVariables = MappingVariables(),
    after last: MappingResult? = nil,
    _ edit: (inout SectionDefinition) -> Void
  ) throws -> MappingResult {
    var main = section("main")
    edit(&main)
    let mapper = try Fixture { $0.table.sections = .single(main) }.mapper()
    return mapper.map(["s": .pages([Array(items.utf8)])], after: last, variables: variables)
  }

  @Test func headersSeeTheSectionsItems() throws {
    let result = try map {
      $0.sort = [SortDefinition(key: expression("n"), order: .always(.descending))]
      $0.limit = .always(3)
      $0.header = mapping("Title", ["title": "${$count}: ${$items | map(n) | sum}, ${$items[0].title}"])
      $0.footer = mapping("Title", ["title": "${$items | length}"])
    }
    #expect(result.sections[0].header?.text.contains(#""3: 9, Zebra 9""#) == true)
    #expect(
      result.warnings == [
        "header or footer of the section “main”: the field “title” of Title is the number 3; a text is expected"
      ]
    )
  }

  @Test func itemsOfGroupsAndOfEmptySections() throws {
    let fixture = Fixture {
      $0.table.sections = groups(by: "g") {
        $0.order = ["none"]; $0.hideEmpty = false
        $0.header = mapping("Title", ["title": "${$items | map(id) | join('+')}."])
      }
    }
    let result = try fixture.map(
      #"[{"id":1,"title":"a","g":"x"},{"id":2,"title":"b","g":"y"},{"id":3,"title":"c","g":"x"}]"#
    )
    let titles = result.sections.map { $0.header?.text ?? "" }
    for (title, expected) in zip(titles, [#"".""#, #""1+3.""#, #""2.""#]) { #expect(title.contains(expected)) }
  }

  @Test(
    "order and limit by parameters",
    arguments: [
      (["dir": "descending", "limit": "2"], "main: 4 1", 0), (["dir": "ascending", "limit": "9"], "main: 2 3 1 4", 0),
      ([:], "main: 2 3 1 4", 0), (["dir": "up", "limit": "x"], "main: 2 3 1 4", 2), (["limit": "0"], nil, 0),
    ] as [([String: String], String?, Int)]
  )
  func chosen(parameters: [String: String], outline: String?, warnings: Int) throws {
    let result = try map(MappingVariables(parameters: parameters)) {
      $0.sort = [SortDefinition(key: expression("n"), order: .chosen(expression("$params.dir")))]
      $0.limit = .chosen(expression("$params.limit"))
    }
    #expect(result.outline == [outline].compactMap(\.self))
    #expect(result.warnings.count == warnings)
  }

  @Test(
    "the order of texts",
    arguments: [
      (nil, false, "main: 1 4 3 2"), (nil, true, "main: 4 1 3 2"), ("de", false, "main: 2 3 1 4"),
      ("de", true, "main: 2 3 4 1"), ("sv", false, "main: 3 1 4 2"), ("${$locale}", true, "main: 3 4 1 2"),
    ] as [(String?, Bool, String)]
  )
  func texts(locale: String?, isNatural: Bool, outline: String) throws {
    let result = try map(MappingVariables(locale: "sv-SE")) {
      $0.sort = [
        SortDefinition(
          key: expression("title"),
          locale: locale.map { template(.string($0)) },
          isNatural: isNatural
        )
      ]
    }
    #expect(result.outline == [outline])
  }

  // ICU takes the square of a run of marks and more.
  @Test(
    "only the first marks of a long run count",
    arguments: ["de", "sv", "vi", "th"],
    ["\u{301}", "\u{301}\u{323}", "\u{F71}", "\u{10A0F}"]
  )
  func runsOfMarks(locale: String, marks: String) throws {
    var main = section("main")
    main.sort = [SortDefinition(key: expression("title"), locale: template(.string(locale)))]
    let fixture = Fixture { $0.table.sections = .single(main) }
    let items = [(1, 60, "b"), (2, 40, "b"), (3, 28, "b"), (4, 100, "c")].map { id, count, end in
      let run = String(repeating: marks, count: count / marks.unicodeScalars.count)
      return #"{"id":"\#(id)","title":"a\#(run)\#(end)"}"#
    }
    #expect(try fixture.map("[\(items.joined(separator: ","))]").rows.map(\.id) == ["3", "1", "2", "4"])
  }

  @Test(
    "numbers in texts",
    arguments: [
      ["a", "a0", "a1", "a2", "a10", "a10b", "a:"], ["1", "2", "10", "99999999999999999999", "100000000000000000000"],
      ["v1.2", "v1.9", "v1.10", "v2.0"],
    ]
  )
  func natural(texts: [String]) throws {
    var random = SeededGenerator(seed: 1)
    var main = section("main")
    main.sort = [SortDefinition(key: expression("id"), isNatural: true)]
    let fixture = Fixture { $0.table.sections = .single(main) }
    let items = texts.shuffled(using: &random).map { #"{"id":"\#($0)","title":"t"}"# }.joined(separator: ",")
    #expect(try fixture.map("[\(items)]").rows.map(\.id) == texts)
  }

  @Test func anotherLanguageIsMappedAnew() throws {
    let mapper = try Fixture { $0.table.cell = mapping("Title", ["title": "${$locale ?? '-'}"]) }.mapper()
    let content = ["s": SourceContent.pages([Array(items.utf8)])]
    let first = mapper.map(content, variables: MappingVariables(locale: "de-DE"))
    #expect(first.rows[0].payload() == #"{"title":"de-DE"}"#)
    let second = mapper.map(content, after: first, variables: MappingVariables(locale: "en-US"))
    #expect(second.rows[0].payload() == #"{"title":"en-US"}"#)
    let caller = MappingVariables(caller: ["claims": ["sub": "x"]])
    let own = try Fixture { $0.table.cell = mapping("Title", ["title": "${$caller.claims.sub}"]) }.mapper()
    #expect(own.map(content, variables: caller).rows[0].payload() == #"{"title":"x"}"#)
  }

  @Test func aTitleIsATemplate() throws {
    var fixture = Fixture()
    fixture.table.titleTemplate = template("News of ${$params.day}")
    let variables = MappingVariables(parameters: ["day": "today"])
    let result = try fixture.mapper().map([:], variables: variables)
    #expect(result.table(fixture.table).title == "News of today")
    #expect(try fixture.mapper().title(for: variables) == "News of today")
    #expect(try Fixture().mapper().title(for: variables) == "T")
  }

  @Test func aSectionOfAnotherSourceHasRowsOfItsOwn() throws {
    let fixture = Fixture {
      var alerts = section("alerts")
      alerts.source = "alerts"
      alerts.rowID = template("${fingerprint}")
      $0.table.rowType = template("${missing - 1}")
      $0.table.sections = .list([section("main"), alerts], firstMatch: true)
    }
    let alerts = #"[{"fingerprint":"x","title":"X"},{"fingerprint":1,"title":"taken"},{"id":9,"title":"none"}]"#
    let mapper = try fixture.mapper()
    let result = mapper.map([
      "s": .pages([Array(#"[{"id":1,"title":"a","missing":1}]"#.utf8)]), "alerts": .pages([Array(alerts.utf8)]),
    ])
    #expect(result.outline == ["main: 1", "alerts: x"])
    #expect(result.reasons.count == 2)
    #expect(result.reasons.contains { $0.hasPrefix("another row has the identity “1”") })
  }
}
