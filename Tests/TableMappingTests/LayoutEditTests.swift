import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Edits that are laid out alone, beside the whole mapping of the same items: the same to the byte.
@Suite struct LayoutEditTests {
  private let users = SourceContent.pages([Array(#"[{"id":1,"name":"Ann"},{"id":2,"name":"Bo"}]"#.utf8)])
  private let variables = MappingVariables(parameters: ["limit": "4"], locale: "sv-SE")

  @Test(arguments: 0..<60 as Range<UInt64>)
  func anEditLaidOutAloneIsTheWholeTableLaidOut(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let table = try RandomTable(&random)
    func mapped(_ items: OwnedItemList, after last: MappingResult? = nil) -> MappingResult {
      table.mapper.map(
        ["s": .owned(OwnedList(owned: items.list)), "users": users],
        after: last,
        variables: variables
      )
    }
    var items = OwnedItemList()
    for _ in 0..<Int.random(in: 0...30, using: &random) { items.insert(&random) }
    var last = mapped(items)
    for step in 0..<30 {
      let before = OwnedList(owned: items.list)
      for _ in 0..<([1, 1, 1, 2, 5].randomElement(using: &random) ?? 1) { items.change(&random) }
      let fresh = mapped(items)
      let words = Comment(rawValue: "seed \(seed), step \(step), \(table.words)")
      let result = mapped(items, after: last)
      // Only where two things have one identity, before or after, or many have changed, nothing is laid out alone.
      if table.words.contains("id: given") {
        let changes = OwnedList(owned: items.list).changes(since: before, atMost: 16)
        #expect(result.changeCount == changes?.count, words)
      }
      #expect(result.byteCount == fresh.byteCount && result.work(for: "s") == fresh.work(for: "s"), words)
      try #require(result.outline == fresh.outline, words)
      #expect(Table.same(result.table(table.mapper.definition), fresh.table(table.mapper.definition)), words)
      #expect(result.omittedSections == fresh.omittedSections, words)
      #expect(result.skippedItems == fresh.skippedItems && result.skipped == fresh.skipped, words)
      for (position, item) in items.list.enumerated() {
        let identity = fresh.identity(ofOwned: item.number, at: position, of: "s")
        #expect(result.identity(ofOwned: item.number, at: position, of: "s") == identity, words)
        let (one, other) = (identity.flatMap { result.item($0) }, identity.flatMap { fresh.item($0) })
        #expect(one?.bytes == other?.bytes && one?.givenID == other?.givenID, words)
        #expect(one?.permissions == other?.permissions && one?.hasRow == other?.hasRow, words)
      }
      last = result
    }
  }

  /// What can't be told from the changes alone is not tried.
  @Test func whatDependsOnAllItemsIsMappedAnew() throws {
    func isLaidOutAlone(_ edit: (inout Fixture) -> Void, users other: SourceContent? = nil) throws -> Bool {
      let mapper = try Fixture {
        $0.table.rowID = nil
        $0.table.lookups = [LookupDefinition(name: "user", source: "users", key: expression("id"), on: expression("n"))]
        $0.sources = [
          SourceDefinition(name: "s", kind: .local(LocalDefinition())),
          SourceDefinition(name: "users", kind: .upstream(UpstreamDefinition(url: template("https://a.example/")))),
        ]
        edit(&$0)
      }.mapper()
      let item = OwnedItem(number: 1, rank: 0, bytes: Array(#"{"title":"a","n":1}"#.utf8))
      let last = mapper.map(["s": .owned(OwnedList(owned: [item])), "users": users], variables: variables)
      let items = OwnedList(owned: [item, OwnedItem(number: 2, rank: 1, bytes: item.bytes)])
      let next = mapper.map(["s": .owned(items), "users": other ?? users], after: last, variables: variables)
      return next.changeCount == 1
    }
    func title(_ text: String) throws -> (inout Fixture) -> Void {
      let payload = try Template(["title": .string(text)], lookups: ["user"])
      return { $0.table.cell = CellMapping(cell: "Title", payload: payload) }
    }
    #expect(try isLaidOutAlone(title("${title} ${$user.name}")))
    #expect(try isLaidOutAlone(title("${title} ${$user.name}"), users: .pages([users.pages[0] + []])))
    #expect(try !isLaidOutAlone(title("${title} ${$user.name}"), users: .pages([Array(#"[{"id":1}]"#.utf8)])))
    #expect(try !isLaidOutAlone(title("${title} ${$index}")))
    #expect(try !isLaidOutAlone(title("${$response | length}")))
    #expect(try !isLaidOutAlone { $0.table.rowID = template("${title}") })
  }

  /// An addition that could not be stored gives its number back, and the next one may have the same bytes under another name.
  @Test func anotherItemWithTheSameBytesHasItsOwnRow() throws {
    let mapper = try Fixture {
      $0.table.rowID = nil
      $0.sources = [SourceDefinition(name: "s", kind: .local(LocalDefinition()))]
    }.mapper()
    func mapped(_ name: String, after last: MappingResult? = nil, with others: Int = 0) -> MappingResult {
      let items = (1...(others + 1)).map { number in
        OwnedItem(
          number: UInt64(number),
          name: "\(name)\(number)",
          rank: Int64(number),
          bytes: Array(#"{"title":"a"}"#.utf8)
        )
      }
      return mapper.map(["s": .owned(OwnedList(owned: items)), "users": users], after: last, variables: variables)
    }
    // Alone, and as a whole where there are many.
    for others in [0, 100] {
      let next = mapped("b", after: mapped("a", with: others), with: others)
      #expect(next.identity(ofOwned: 1, at: 0, of: "s") == "b1")
      #expect(next.sections.flatMap { $0.rows.map(\.id) }.first == "b1")
      #expect(next.item("b1") != nil && next.item("a1") == nil)
    }
  }

  /// The first items without a row are told by their places as they are after an edit, be they few, many or none.
  @Test(arguments: [0, 3, 40, 1_000, 1_001, 1_500]) func itemsWithoutARowAreToldAfterAnEdit(of those: Int) throws {
    let mapper = try Fixture {
      $0.table.rowID = nil
      $0.sources = [SourceDefinition(name: "s", kind: .local(LocalDefinition()))]
    }.mapper()
    func item(_ number: Int, title: String) -> OwnedItem {
      OwnedItem(number: UInt64(number), rank: Int64(number), bytes: Array(#"{"title":\#(title)}"#.utf8))
    }
    // A number is no title.
    var items = (1...3_000).map { (number: Int) -> OwnedItem in
      let isWithout = number.isMultiple(of: 2) && number <= 2 * those
      return item(number, title: isWithout ? "7" : #""a""#)
    }
    func mapped(after last: MappingResult? = nil) -> MappingResult {
      mapper.map(["s": .owned(OwnedList(owned: items))], after: last, variables: variables)
    }
    let last = mapped()
    items.removeFirst()
    items.append(item(3_001, title: "8"))
    let (next, fresh) = (mapped(after: last), mapped())
    #expect(next.changeCount == 2)
    #expect(next.skippedItems == those + 1 && next.skipped == fresh.skipped)
    #expect(next.skipped.first?.index == (those == 0 ? 2_999 : 0))
  }

  /// However many there were before, what an edit is warned of is said.
  @Test func warningsOfTheLastEditsAreKept() throws {
    let mapper = try Fixture {
      $0.table.rowID = nil
      $0.table.rowType = template("x")
      $0.representations["x"] = .cases([
        .init(when: expression("title > 3"), representation: .cell(mapping("Title", ["title": "x"])))
      ])
      $0.sources = [SourceDefinition(name: "s", kind: .local(LocalDefinition()))]
    }.mapper()
    var items: [OwnedItem] = []
    var last = mapper.map(["s": .owned(OwnedList(owned: items))], variables: variables)
    for number in 1...(MappingResult.maximumKept + 2) {
      let bytes = Array(#"{"title":"a"}"#.utf8)
      items.append(OwnedItem(number: UInt64(number), name: "n\(number)", rank: Int64(number), bytes: bytes))
      last = mapper.map(["s": .owned(OwnedList(owned: items))], after: last, variables: variables)
      #expect(last.changeCount == 1)
      #expect(last.warnings.count == min(number, MappingResult.maximumKept))
      #expect(last.warnings.last?.hasSuffix("the row n\(number) is shown by default") == true, "\(last.warnings)")
    }
  }
}
