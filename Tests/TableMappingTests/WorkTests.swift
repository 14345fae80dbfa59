import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import Testing

/// What mapping takes of work: an item that takes too much is unfit, and so is an answer; counted, never timed.
@Suite struct WorkTests {
  private func bytes(_ text: String) -> [UInt8] { Self.bytes(text) }
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// An item that takes as many steps as it has numbers, with its own text read for each.
  private static func item(_ id: Int, numbers: Int, text: Int) -> String {
    let list = (0..<numbers).map { "\($0 % 10)" }.joined(separator: ",")
    return #"{"id":\#(id),"title":"a","s":"\#(String(repeating: "x", count: text))","a":[\#(list)]}"#
  }

  private static func cheap(_ id: Int) -> String { item(id, numbers: 1, text: 1) }
  private static func expensive(_ id: Int) -> String { item(id, numbers: 40, text: 8_000) }
  private static func impossible(_ id: Int) -> String { item(id, numbers: 50_000, text: 50_000) }

  private static func fixture(_ title: String = "${title}${a | map(s | upper | length) | length}") -> Fixture {
    Fixture { $0.table.cell = mapping("Title", ["title": .string(title)]) }
  }

  private static func mapper(
    _ fixture: Fixture,
    isLocal: Bool = false,
    workPerItem: Int = 50_000
  ) throws -> TableMapper {
    try TableMapper(
      table: fixture.table,
      cells: fixture.cells,
      representations: fixture.representations,
      sources: isLocal ? [SourceDefinition(name: "s", kind: .local(LocalDefinition()))] : [],
      workPerItem: workPerItem
    )
  }

  private static func pages(_ items: [String]) -> [String: SourceContent] {
    ["s": .pages([bytes("[\(items.joined(separator: ","))]")])]
  }

  /// Wherever an expression stands, its item is unfit, and no other one.
  @Test(arguments: [
    "payload", "where", "sort", "naturalSort", "group", "can", "action", "select", "id", "type", "when",
  ])
  func anItemThatTakesTooMuchIsUnfit(_ place: String) throws {
    let work = "(a | map(s | upper | length) | length)"
    var fixture = Fixture()
    switch place {
    case "where": fixture.table.sections = .list([section("all", where: "\(work) > -1")], firstMatch: true)
    case "sort", "naturalSort":
      var all = section("all")
      all.sort = [SortDefinition(key: expression("'x' + \(work)"), isNatural: place == "naturalSort")]
      fixture.table.sections = .single(all)
    case "group": fixture.table.sections = groups(by: "\(work) > -1")
    case "can": fixture.table.can.edit = .expression(expression("\(work) > -1"))
    case "action":
      fixture.table.actions = [
        ActionDefinition(
          id: "go",
          title: template("go"),
          condition: expression("\(work) > -1"),
          effect: .patch(template(["done": true]))
        )
      ]
    case "select": fixture.table.cell = mapping("Title", ["title": "${title}"], select: ["text": .string("${\(work)}")])
    case "id": fixture.table.rowID = template(.string("${id}-${\(work)}"))
    case "type": fixture.table.rowType = template(.string("${\(work)}"))
    case "when":
      fixture.table.cell = nil
      fixture.representations["$default"] = .cases([
        .init(when: expression("\(work) > -1"), representation: .cell(mapping("Title", ["title": "${title}"])))
      ])
    default: fixture.table.cell = mapping("Title", ["title": .string("${title}${\(work)}")])
    }
    let items = [Self.cheap(1), Self.impossible(2), Self.cheap(3)]
    for isLocal in [false, true] {
      let mapper = try Self.mapper(fixture, isLocal: isLocal)
      let owned = items.enumerated().map { OwnedItem(number: UInt64($0 + 1), rank: Int64($0), bytes: bytes($1)) }
      let result = mapper.map(isLocal ? ["s": .owned(OwnedList(owned: owned))] : Self.pages(items))
      #expect(result.rows.count == 2 && result.skippedItems == 1 && result.problems.isEmpty, "\(place) \(isLocal)")
      #expect(result.skipped.first?.index == 1)
      let reason = result.skipped.first?.reason ?? ""
      #expect(reason.contains("too much work, more than 100 million steps"), "\(place): \(reason)")
    }
  }

  /// Of its source, where the items together take too much; and one that has as many more items may take more.
  @Test func aMappingThatTakesTooMuchIsAProblemOfItsSource() throws {
    let mapper = try Self.mapper(Self.fixture(), workPerItem: 1_000)
    let few = mapper.map(Self.pages((1...2).map(Self.expensive)))
    #expect(few.problems.isEmpty && few.rows.count == 2)
    let one = few.work(for: "s") / 2
    #expect(one > 1_000_000)
    let most = few.maximumWork(forItems: 0) / one
    let many = mapper.map(Self.pages((0...most).map(Self.expensive)))
    #expect(many.problems.map(\.kind) == [.tooMuchWork])
    #expect(many.problems.first?.detail.contains("`limits.mappingWork`") == true)
    #expect(many.rows.isEmpty)
    let amongOthers = (0...most).map(Self.expensive) + (1...(one / 500)).map { Self.cheap($0 + 1_000) }
    let result = mapper.map(Self.pages(amongOthers))
    #expect(result.problems.isEmpty && result.rows.count == amongOthers.count)
    // Read by its pages: those to come don't count yet.
    let pages = ["[\((0...most).map(Self.expensive).joined(separator: ","))]", "[\(Self.cheap(9_000))]"]
    #expect(mapper.map(["s": .pages(pages.map { bytes($0) })]).problems.map(\.kind) == [.tooMuchWork])
  }

  /// An ordinary item's work is that of its bytes: a long answer is never too much.
  @Test func whatIsLinearInTheItemsIsMappedHoweverManyTheyAre() throws {
    let fixture = Self.fixture("${title | upper} ${s | truncate(20)} ${a | map($item + 1) | join}")
    let items = (1...3_000).map { Self.item($0, numbers: 2, text: 200) }
    let result = try Self.mapper(fixture, workPerItem: 1).map(Self.pages(items))
    #expect(result.problems.isEmpty && result.rows.count == 3_000)
    #expect(result.work(for: "s") == 0)
  }

  /// The same is counted whether items come from the cache, are laid out alone, or on all cores.
  @Test func workDoesNotDependOnWhatWasKnownBefore() throws {
    let mapper = try Self.mapper(Self.fixture())
    var items = (1...40).map { $0 % 3 == 0 ? Self.expensive($0) : Self.cheap($0) }
    let cold = mapper.map(Self.pages(items))
    #expect(cold.work(for: "s") > 0)
    let again = mapper.map(Self.pages(items), after: cold)
    #expect(again.work(for: "s") == cold.work(for: "s"))
    items[4] = Self.expensive(5)
    let inPlace = mapper.map(Self.pages(items), after: again)
    #expect(inPlace.work(for: "s") == mapper.map(Self.pages(items)).work(for: "s"))
    items.removeLast()
    let shorter = mapper.map(Self.pages(items), after: inPlace)
    #expect(shorter.work(for: "s") == mapper.map(Self.pages(items)).work(for: "s"))
    // Over a megabyte: by all cores, in a list and one by one.
    let many = (1...400).map { $0 % 100 == 0 ? Self.expensive($0) : Self.item($0, numbers: 2, text: 3_000) }
    let parallel = mapper.map(Self.pages(many))
    let single = mapper.map(["s": .items(many.map { SourceItem(bytes: bytes($0)) })])
    #expect(parallel.rows.count == 400 && parallel.work(for: "s") == single.work(for: "s"))
  }

  /// Edits that are laid out alone count what a whole mapping would.
  @Test func editsCountTheirWork() throws {
    let mapper = try Self.mapper(Self.fixture(), isLocal: true)
    var owned = (0..<20).map { OwnedItem(number: UInt64($0 + 1), rank: Int64($0), bytes: bytes(Self.cheap($0))) }
    let before = mapper.map(["s": .owned(OwnedList(owned: owned))])
    let changed = OwnedItem(number: 3, rank: 2, bytes: bytes(Self.expensive(2)))
    owned[2] = changed
    let edited = mapper.map(["s": .owned(OwnedList(owned: owned))], after: before)
    #expect(edited.changeCount == 1)
    #expect(edited.work(for: "s") > before.work(for: "s"))
    #expect(edited.work(for: "s") == mapper.map(["s": .owned(OwnedList(owned: owned))]).work(for: "s"))
  }

  /// One look at a list for all items: as many steps for a long list as for a short one.
  @Test func aLongListInTheResponseIsReadOnceForAllItems() throws {
    var fixture = Fixture()
    fixture.table.sections = .list([section("all", where: "id in $response.ids")], firstMatch: true)
    var upstream = UpstreamDefinition(url: template("https://a.example/"))
    upstream.items = expression("$response.items")
    fixture.sources = [SourceDefinition(name: "s", kind: .upstream(upstream))]
    let mapper = try TableMapper(table: fixture.table, cells: fixture.cells, sources: fixture.sources, workPerItem: 1)
    let items = (0..<100_000).map { #"{"id":\#($0 * 2),"title":"a"}"# }.joined(separator: ",")
    let ids = (0..<200_000).map { "\($0 + 100_000)" }.joined(separator: ",")
    let result = mapper.map(["s": .pages([bytes(#"{"items":[\#(items)],"ids":[\#(ids)]}"#)])])
    #expect(result.problems.isEmpty && result.rows.count == 50_000)
    #expect(result.work(for: "s") == 0)
  }

  /// Headers and footers may take what their rows give; one that takes more is missing, which is a warning.
  @Test func headersThatTakeTooMuchAreLeftOut() throws {
    var fixture = Fixture()
    var all = section("all")
    all.header = mapping("Title", ["title": "Σ ${$items | map($items | map(title) | join | length) | sum}"])
    all.footer = mapping("Title", ["title": "Σ ${$items | map(title) | join | length}"])
    fixture.table.sections = .single(all)
    let mapper = try Self.mapper(fixture)
    for (count, isThere) in [(10, true), (3_000, false)] {
      let result = mapper.map(Self.pages((1...count).map(Self.cheap)))
      #expect(result.rows.count == count)
      #expect((result.sections[0].header != nil) == isThere && (result.warnings.isEmpty == isThere))
    }
  }
}
