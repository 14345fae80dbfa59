import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Edits that are laid out alone, beside the whole mapping of the same items: the same to the byte.
@Suite struct LayoutEditTests {
  /// Tables as people configure them, by chance.
  private struct RandomTable {
    var mapper: TableMapper
    var words: String

    init(_ random: inout SeededGenerator) throws {
      var words: [String] = []
      func chosen<Choice>(_ name: String, _ choices: [(String, Choice)]) -> Choice {
        let (word, choice) = choices.randomElement(using: &random) ?? choices[0]
        words.append("\(name): \(word)")
        return choice
      }
      func sort() -> [SortDefinition] {
        chosen(
          "sort",
          [
            ("none", []), ("n", [SortDefinition(key: expression("n"))]),
            (
              "n, title",
              [
                SortDefinition(key: expression("n"), order: .always(.descending)),
                SortDefinition(key: expression("title")),
              ]
            ),
            ("language", [SortDefinition(key: expression("title"), locale: template("de"), isNatural: true)]),
          ]
        )
      }
      func limit() -> RowLimit? {
        chosen(
          "limit",
          [("none", nil), ("3", .always(3)), ("0", .always(0)), ("by parameter", .chosen(expression("$params.limit")))]
        )
      }
      func model(_ name: String) -> CellMapping? {
        chosen(
          name,
          [
            ("none", nil), ("count", mapping("Title", ["title": "${$key}: ${$count}"])),
            ("items", mapping("Title", ["title": "${$items | map(id) | join('+')} of ${$count}"])),
          ]
        )
      }
      func list(_ id: String, where predicate: String?) -> SectionDefinition {
        var section = section(id, where: predicate)
        (section.sort, section.limit, section.header, section.footer) = (
          sort(), limit(), model("header"), model("footer")
        )
        section.hideEmpty = chosen("hideEmpty", [("yes", true), ("no", false)])
        return section
      }
      let sections: SectionsDefinition =
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .single(list("main", where: nil))
        case 1: .single(list("main", where: "done"))
        case 2, 3:
          .list(
            [list("open", where: "!done"), list("large", where: "n > 3"), list("rest", where: nil)],
            firstMatch: chosen("first match", [("yes", true), ("no", false)])
          )
        default:
          groups(by: "g") {
            $0.order = chosen("order", [("none", []), ("x, 1", ["x", "1"])])
            $0.sortGroups = chosen("groups", [("as met", nil), ("up", .ascending), ("down", .descending)])
            ($0.sort, $0.limit, $0.header) = (sort(), limit(), model("header"))
            $0.hideEmpty = chosen("hideEmpty", [("yes", true), ("no", false)])
          }
        }
      let id: Template? = chosen("id", [("given", nil), ("key", template("${key}")), ("given again", nil)])
      let title = chosen("title", [("own", "${title}"), ("looked up", "${title} ${$user.name}")])
      let payload = try Template(["title": .string(title)], lookups: ["user"])
      let fixture = Fixture {
        $0.table.sections = sections
        $0.table.rowID = id
        $0.table.cell = CellMapping(cell: "Title", payload: payload)
        $0.table.lookups = [LookupDefinition(name: "user", source: "users", key: expression("id"), on: expression("n"))]
        $0.table.can.edit = .expression(expression("!done"))
        $0.sources = [
          SourceDefinition(name: "s", kind: .local(LocalDefinition())),
          SourceDefinition(name: "users", kind: .upstream(UpstreamDefinition(url: template("https://a.example/")))),
        ]
      }
      mapper = try fixture.mapper()
      self.words = words.joined(separator: ", ")
    }
  }

  /// Items as edits leave them.
  private struct Items {
    var list: [OwnedItem] = []
    private var next: UInt64 = 1

    private func body(_ random: inout SeededGenerator) -> [UInt8] {
      func one(_ values: [String]) -> String { values.randomElement(using: &random) ?? "null" }
      let titles = [#""a""#, #""b 10""#, #""b 9""#, #""ä""#, #""z""#, "7", "null"]
      let groups = ["1", #""1""#, #""x""#, #""y""#, #""""#, "null", "true", "[]"]
      let key = Int.random(in: 0..<60, using: &random)
      return Array(
        (#"{"title":\#(one(titles)),"g":\#(one(groups)),"n":\#(one(["1", "2", "3", "4.5", "null", #""2""#])),"#
          + #""done":\#(one(["true", "false"])),"id":\#(key % 10),"key":\#(one(["\(key)", "null", "\(key)"]))}"#).utf8
      )
    }

    mutating func change(_ random: inout SeededGenerator) {
      guard let position = list.indices.randomElement(using: &random) else { return insert(&random) }
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3: insert(&random)
      case 3..<6: list[position].bytes = body(&random)
      case 6: list.remove(at: position)
      case 7, 8:
        var item = list.remove(at: position)
        let place = Int.random(in: 0...list.count, using: &random)
        item.rank = rank(at: place)
        if Bool.random(using: &random) { item.bytes = body(&random) }
        list.insert(item, at: place)
      default:
        // As where the room between two is used up.
        for place in list.indices { list[place].rank = Int64(place) << 24 }
      }
    }

    mutating func insert(_ random: inout SeededGenerator) {
      let place = Int.random(in: 0...list.count, using: &random)
      list.insert(OwnedItem(number: next, rank: rank(at: place), bytes: body(&random)), at: place)
      next += 1
    }

    private func rank(at place: Int) -> Int64 {
      let low = place > 0 ? list[place - 1].rank : (list.first?.rank ?? 0) - 2 << 24
      let high = place < list.count ? list[place].rank : low + 2 << 24
      return low + (high - low) / 2
    }

    func changes(since old: Items) -> [OwnedItemChange] {
      let before = Dictionary(uniqueKeysWithValues: old.list.map { ($0.number, $0) })
      let after = Dictionary(uniqueKeysWithValues: list.map { ($0.number, $0) })
      return Set(before.keys).union(after.keys).compactMap { number in
        let (one, other) = (before[number], after[number])
        guard one?.rank != other?.rank || one?.bytes != other?.bytes else { return nil }
        return OwnedItemChange(number: number, before: one, after: other)
      }
    }
  }

  private let users = SourceContent.pages([Array(#"[{"id":1,"name":"Ann"},{"id":2,"name":"Bo"}]"#.utf8)])
  private let variables = MappingVariables(parameters: ["limit": "4"], locale: "sv-SE")

  @Test(arguments: 0..<100 as Range<UInt64>)
  func anEditLaidOutAloneIsTheWholeTableLaidOut(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let table = try RandomTable(&random)
    func whole(_ items: Items, reusing cache: MappingCache? = nil) -> MappingResult {
      table.mapper.map(["s": .owned(items.list), "users": users], reusing: cache, variables: variables)
    }
    var items = Items()
    for _ in 0..<Int.random(in: 0...30, using: &random) { items.insert(&random) }
    var last = whole(items)
    for step in 0..<30 {
      let before = items
      for _ in 0..<([1, 1, 1, 2, 5].randomElement(using: &random) ?? 1) { items.change(&random) }
      let changes = items.changes(since: before)
      let fresh = whole(items)
      let words = Comment(rawValue: "seed \(seed), step \(step), \(table.words)")
      let alone = table.mapper.map(changes, after: last, ["users": users], variables: variables)
      // Only where two things have one identity, before or after, nothing is laid out alone.
      if table.words.contains("id: given") { #expect(alone != nil, words) }
      let result = alone ?? whole(items, reusing: last.cache)
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
      let last = mapper.map(["s": .owned([item]), "users": users], variables: variables)
      let new = OwnedItem(number: 2, rank: 1, bytes: item.bytes)
      let change = OwnedItemChange(number: 2, before: nil, after: new)
      return mapper.map([change], after: last, ["users": other ?? users], variables: variables) != nil
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
}
