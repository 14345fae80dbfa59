import Definitions
import JSON
import TableMapping
import TableModel
import Testing

@Suite struct SectionTests {
  private let people = """
    [{"id":1,"title":"Ada","dept":"B","age":36},{"id":2,"title":"Bob","dept":"A","age":7},
     {"id":3,"title":"Cy","dept":null},{"id":4,"title":"Di","dept":"B","age":36},{"id":5,"title":"Ed","dept":3,"age":50}]
    """

  private func map(_ sections: SectionsDefinition, _ edit: (inout Fixture) -> Void = { _ in }) throws -> MappingResult {
    try Fixture {
      $0.table.sections = sections
      edit(&$0)
    }.map(people)
  }

  @Test func anItemGoesToTheFirstSectionThatTakesIt() throws {
    let result = try map(
      .list([section("old", where: "age > 30"), section("b", where: "dept == 'B'"), section("all")], firstMatch: true)
    )
    #expect(result.outline == ["old: 1 4 5", "all: 2 3"])
    #expect(result.omittedSections == 1)
    #expect(result.skippedItems == 0)
  }

  @Test func whatNoSectionTakesIsNotSkipped() throws {
    let result = try map(.list([section("young", where: "age < 10")], firstMatch: true))
    #expect(result.outline == ["young: 2"])
    #expect(result.skippedItems == 0)
  }

  @Test func aFailingConditionSkipsTheItemWithItsReason() throws {
    let result = try map(.list([section("x", where: "title - 1 > 0")], firstMatch: true))
    #expect(result.skippedItems == 5)
    #expect(result.reasons.first?.hasPrefix("`where` of the section “x”: ") == true)
  }

  @Test func inAllSectionsThatTakeItARowHasItsOwnIdentityInEach() throws {
    let result = try map(
      .list([section("b", where: "dept == 'B'"), section("old", where: "age > 30")], firstMatch: false)
    )
    #expect(result.outline == ["b: 1 4", "old: 1@old 4@old 5"])
    #expect(result.rows[2].payload() == #"{"title":"Ada"}"#)
    #expect(result.rows[2].text.hasPrefix(#"{"id":"1@old","cellIdentifier":"Title","#))
    #expect(result.item("4@old")?.bytes == result.item("4")?.bytes)
  }

  @Test func inAllSectionsADuplicateIsOneSkippedItem() throws {
    var fixture = Fixture()
    fixture.table.sections = .list([section("a", where: "a"), section("b"), section("c")], firstMatch: false)
    let result = try fixture.map(#"[{"id":1,"title":"x"},{"id":1,"title":"y","a":true}]"#)
    #expect(result.outline == ["b: 1", "c: 1@c"])
    #expect(result.skippedItems == 1)
  }

  /// Where an identity stands in the index depends on chance: an item's own rows are not in each other's way there.
  @Test func inAllSectionsNoItemTakesItsOwnIdentity() throws {
    var fixture = Fixture()
    fixture.table.sections = .list([section("a"), section("b")], firstMatch: false)
    for start in 0..<40 {
      let items = (0..<500).map { #"{"id":\#(start * 500 + $0),"title":"x"}"# }.joined(separator: ",")
      let result = try fixture.map("[\(items)]")
      #expect(result.rows.count == 1000)
      #expect(result.skippedItems == 0)
    }
  }

  @Test func sectionsWithoutRowsAreLeftOutUnlessToldOtherwise() throws {
    var empty = section("empty", where: "false")
    empty.header = mapping("Title", ["title": "none (${$count})"])
    var kept = empty
    kept.id = "kept"
    kept.hideEmpty = false
    let result = try map(.list([empty, kept], firstMatch: true))
    #expect(result.outline == ["kept:"])
    #expect(result.omittedSections == 1)
    #expect(
      result.sections.first?.header?.text == #"{"cellIdentifier":"Title","payload":{"title":"none (0)"}}"#
    )
  }

  @Test func groupsComeAsTheyAreMet() throws {
    let result = try map(groups(by: "dept") { $0.header = mapping("Title", ["title": "${$key ?? '?'}: ${$count}"]) })
    #expect(result.outline == ["B: 1 4", "A: 2", "none: 3", "3: 5"])
    #expect(
      result.sections.map { $0.header?.text ?? "" }
        == ["B: 2", "A: 1", "?: 1", "3: 1"].map {
          #"{"cellIdentifier":"Title","payload":{"title":"\#($0)"}}"#
        }
    )
  }

  @Test(
    "the order of groups",
    arguments: [
      (["A", "Z", "B"], nil, ["A", "B", "none", "3"], 1), ([], .ascending, ["3", "A", "B", "none"], 0),
      ([], .descending, ["B", "A", "3", "none"], 0), (["none", "none"], .ascending, ["none", "3", "A", "B"], 0),
    ] as [([String], SortDirection?, [String], Int)]
  )
  func orderOfGroups(order: [String], direction: SortDirection?, ids: [String], omitted: Int) throws {
    let result = try map(
      groups(by: "dept") {
        $0.order = order; $0.sortGroups = direction
      }
    )
    #expect(result.sections.map(\.id) == ids)
    #expect(result.omittedSections == omitted)
  }

  @Test func declaredGroupsWithoutRowsStayWhereTheyAreToBeShown() throws {
    let result = try map(
      groups(by: "dept") {
        $0.order = ["Z"]; $0.hideEmpty = false
      }
    )
    #expect(result.outline == ["Z:", "B: 1 4", "A: 2", "none: 3", "3: 5"])
  }

  @Test(
    "sorting is stable, and what has no key comes last",
    arguments: [
      ([("age", .ascending)], "main: 2 1 4 5 3"), ([("age", .descending)], "main: 5 1 4 2 3"),
      ([("age", .descending), ("title", .descending)], "main: 5 4 1 2 3"),
      ([("title | lower", .descending)], "main: 5 4 3 2 1"), ([("dept", .ascending)], "main: 5 2 1 4 3"),
    ] as [([(String, SortDirection)], String)]
  )
  func sorting(keys: [(String, SortDirection)], outline: String) throws {
    var main = section("main")
    main.sort = keys.map { SortDefinition(key: expression($0.0), order: .always($0.1)) }
    #expect(try map(.single(main)).outline == [outline])
  }

  /// Integers beyond 2⁵³ among numbers that are none, which they would be equal to as such.
  @Test(
    arguments: [(.ascending, "main: 6 5 3 1 2 4"), (.descending, "main: 4 2 1 3 5 6")] as [(SortDirection, String)]
  )
  func largeNumbersAreSortedExactly(direction: SortDirection, outline: String) throws {
    var main = section("main")
    main.sort = [SortDefinition(key: expression("n"), order: .always(direction))]
    let numbers = [
      "9223372036854775807", "9223372036854775808.0", "9223372036854775806", "9223372036854775809", "9007199254740993",
      "9007199254740992.0",
    ]
    let items = numbers.enumerated().map { #"{"id":\#($0 + 1),"title":"t","n":\#($1)}"# }
    let result = try Fixture { $0.table.sections = .single(main) }.map("[\(items.joined(separator: ","))]")
    #expect(result.outline == [outline])
  }

  @Test func aLimitCutsAfterSortingAndCounts() throws {
    var main = section("main")
    main.sort = [SortDefinition(key: expression("title"), order: .always(.descending))]
    main.limit = .always(2)
    main.footer = mapping("Title", ["title": "${$count} of ${$response | length}"])
    let result = try map(.single(main))
    #expect(result.outline == ["main: 5 4"])
    #expect(result.sections.first?.footer?.text == #"{"cellIdentifier":"Title","payload":{"title":"2 of 5"}}"#)
    #expect(result.skippedItems == 0)
    #expect(result.item("1") != nil)
  }

  @Test func aHeaderThatDoesNotFitIsLeftOutWithAWarning() throws {
    var main = section("main")
    main.header = mapping("Title", ["title": "${$count}"])
    let result = try map(.single(main))
    #expect(result.sections.first?.header == nil)
    #expect(result.rows.count == 5)
    #expect(
      result.warnings
        == ["header or footer of the section “main”: the field “title” of Title is the number 5; a text is expected"]
    )
  }

  /// A key keeps its type where the cell takes it, and is the section's identity where the cell takes texts.
  @Test func aKeyThatIsANumberFitsAText() throws {
    let result = try map(groups(by: "age ?? true") { $0.header = mapping("Title", ["title": "${$key}"]) })
    #expect(
      result.sections.map { $0.header?.text }
        == result.sections.map { section in
          #"{"cellIdentifier":"Title","payload":{"title":"\#(section.id)"}}"#
        }
    )
    #expect(result.sections.count > 1 && result.warnings.isEmpty)
  }
}
