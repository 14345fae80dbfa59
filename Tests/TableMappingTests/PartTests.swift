import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Members of a family that show parts of one list, and share its rows: each beside what it would make of the list alone.
@Suite struct PartTests {
  private static let predicates = [
    "g == $params.g", "$params.g == g && !done", "!done && g == $params.g", "g == $params.g && n > 2",
    "n > 2 && g == $params.g", "done || g == $params.g", "n == ($params.n | float)", "n > ($params.n | float)",
    "g == $params.missing", "(title | lower) == $params.g",
  ]

  private static func mapper(
    _ random: inout SeededGenerator,
    _ words: inout String,
    isLocal: Bool = false
  ) throws -> TableMapper {
    let predicate = predicates.randomElement(using: &random) ?? ""
    let isSorted = Bool.random(using: &random)
    func list(_ id: String, _ predicate: String?) -> SectionDefinition {
      var section = section(id, where: predicate)
      if isSorted {
        let order = SortOrder.chosen(expression("$params.order"))
        section.sort = [SortDefinition(key: expression("n"), order: order), SortDefinition(key: expression("title"))]
      }
      section.limit = [nil, .always(3), .chosen(expression("$params.limit"))].randomElement(using: &random) ?? nil
      section.header =
        [nil, mapping("Title", ["title": "${$params.g}: ${$count}"])].randomElement(using: &random) ?? nil
      section.hideEmpty = Bool.random(using: &random)
      return section
    }
    let sections: SectionsDefinition =
      Bool.random(using: &random)
      ? .single(list("main", predicate))
      : .list([list("open", "(\(predicate)) && !done"), list("rest", predicate)], firstMatch: true)
    words = "\(predicate), \(isSorted ? "sorted" : "as they come"), \(sections.ids)"
    let upstream = SourceDefinition.Kind.upstream(UpstreamDefinition(url: template("https://a.example/")))
    return try Fixture {
      $0.table.rowID = template("${key}")
      $0.table.sections = sections
      $0.table.parameters = ["g", "n", "order", "limit"].map { ParameterDefinition(name: $0) }
      $0.sources = [SourceDefinition(name: "s", kind: isLocal ? .local(LocalDefinition()) : upstream)]
    }.mapper()
  }

  private static func member(_ random: inout SeededGenerator) -> MappingVariables {
    func one(_ values: String...) -> String { values.randomElement(using: &random) ?? "" }
    return MappingVariables(
      parameters: [
        "g": one("x", "y", "1", "z", "a"), "n": one("1", "2", "3"), "order": one("ascending", "descending"),
        "limit": one("0", "2", "50"),
      ]
    )
  }

  private static func check(
    _ part: MappingResult,
    against fresh: MappingResult,
    _ mapper: TableMapper,
    _ comment: Comment
  ) throws {
    try #require(part.outline == fresh.outline, comment)
    #expect(Table.same(part.table(mapper.definition), fresh.table(mapper.definition)), comment)
    #expect(part.omittedSections == fresh.omittedSections, comment)
    #expect(part.skippedItems == fresh.skippedItems && part.skipped == fresh.skipped, comment)
    #expect(part.warnings == fresh.warnings, comment)
    #expect(part.unplaced().count == fresh.unplaced().count, comment)
    for row in fresh.rows { #expect(part.item(row.id)?.bytes == fresh.item(row.id)?.bytes, comment) }
  }

  @Test(arguments: seeds(of: 150)) func aPartIsWhatAMappingOfItsOwnMakes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var words = ""
    let mapper = try Self.mapper(&random, &words)
    #expect(mapper.sharesRows, "seed \(seed), \(words)")
    let members = (0..<4).map { _ in Self.member(&random) }
    var last: [MappingResult?] = members.map { _ in nil }
    var items = (0..<Int.random(in: 0...80, using: &random)).map { _ in RandomTable.item(&random) }
    var shared: SharedMappings?
    for step in 0..<12 {
      let answer = SharedMappings(after: shared)
      let contents = ["s": RandomTable.page(items)]
      for (number, variables) in members.enumerated() where Int.random(in: 0..<6, using: &random) > 0 {
        let comment = Comment(
          rawValue: "seed \(seed), step \(step), member \(number) \(variables.parameters), \(words)"
        )
        let fresh = mapper.map(contents, variables: variables)
        let part = mapper.map(RandomTable.sharing(answer, contents), after: last[number], variables: variables)
        #expect(part.isPart, comment)
        try Self.check(part, against: fresh, mapper, comment)
        for row in fresh.rows { #expect(part.item(row.id)?.position == fresh.item(row.id)?.position, comment) }
        last[number] = part
      }
      shared = answer
      for _ in 0..<Int.random(in: 0...4, using: &random) { Self.change(&items, &random) }
    }
  }

  /// The same for the service's own items, of which each edit maps those that it changes. Long lists now and then change everywhere.
  @Test(arguments: seeds(of: 150)) func aPartOfOwnItemsIsWhatAMappingOfItsOwnMakes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var words = ""
    let mapper = try Self.mapper(&random, &words, isLocal: true)
    let members = (0..<4).map { _ in Self.member(&random) }
    var last: [MappingResult?] = members.map { _ in nil }
    var items = OwnedItemList()
    for _ in 0..<Int.random(in: 0...80, using: &random) { items.insert(&random) }
    var shared: SharedMappings?
    for step in 0..<16 {
      let answer = SharedMappings(after: shared)
      let contents = ["s": SourceContent.owned(OwnedList(owned: items.list))]
      for (number, variables) in members.enumerated() where Int.random(in: 0..<6, using: &random) > 0 {
        let comment = Comment(
          rawValue: "seed \(seed), step \(step), member \(number) \(variables.parameters), \(words)"
        )
        let fresh = mapper.map(contents, variables: variables)
        let part = mapper.map(RandomTable.sharing(answer, contents), after: last[number], variables: variables)
        #expect(part.isPart && !fresh.isPart, comment)
        try Self.check(part, against: fresh, mapper, comment)
        // Charged as if everything had been mapped now.
        let anew = mapper.map(RandomTable.sharing(SharedMappings(), contents), variables: variables)
        if number == 0 { #expect(part.byteCount == anew.byteCount, comment) }
        last[number] = part
      }
      shared = answer
      for _ in 0..<Int.random(in: 0...4, using: &random) { items.change(&random) }
    }
  }

  /// An edit of the service's own items maps those that it changes: all others keep their rows, wherever they stand.
  @Test(arguments: ["patch", "insert", "remove", "move"]) func anEditMapsWhatItChanges(edit: String) throws {
    let mapper = try Fixture {
      $0.table.sections = .single(section("main", where: "team == $params.team"))
      $0.table.parameters = [ParameterDefinition(name: "team")]
      $0.sources = [SourceDefinition(name: "s", kind: .local(LocalDefinition()))]
    }.mapper()
    func item(_ number: UInt64, _ title: String) -> OwnedItem {
      let bytes = Array(#"{"title":"\#(title)","team":"t\#(number % 2)"}"#.utf8)
      return OwnedItem(number: number, rank: Int64(number) << 8, bytes: bytes)
    }
    var items = (0..<100).map { item($0, "one") }
    let variables = MappingVariables(parameters: ["team": "t1"])
    let first = SharedMappings()
    let before = mapper.map(
      RandomTable.sharing(first, ["s": .owned(UnlistedItems(list: OwnedList(owned: items), isListed: true))]),
      variables: variables
    )
    switch edit {
    case "patch": items[17].bytes = item(17, "two").bytes
    case "insert": items.insert(OwnedItem(number: 101, rank: 17 << 8 + 1, bytes: item(17, "two").bytes), at: 18)
    case "remove": items.remove(at: 17)
    default:
      items[17].rank = 60 << 8 + 1
      items.insert(items.remove(at: 17), at: 60)
    }
    // All items are asked for by nobody.
    let next = SourceContent.owned(UnlistedItems(list: OwnedList(owned: items), isListed: false))
    let contents = RandomTable.sharing(SharedMappings(after: first), ["s": next])
    let after = mapper.map(contents, after: before, variables: variables)
    let rows = Set(before.rows.map { ObjectIdentifier($0) })
    let kept = after.rows.count { rows.contains(ObjectIdentifier($0)) }
    let expected = ["patch": (50, 49), "insert": (51, 50), "remove": (49, 49), "move": (50, 50)][edit]
    #expect((after.rows.count, kept) == expected ?? (0, 0))
  }

  static func change(_ items: inout [[UInt8]], _ random: inout SeededGenerator) {
    guard let position = items.indices.randomElement(using: &random) else {
      return items.append(RandomTable.item(&random))
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: items.insert(RandomTable.item(&random), at: position)
    case 1: items.remove(at: position)
    case 2: items.swapAt(position, Int.random(in: items.indices, using: &random))
    case 3: items.shuffle(using: &random)
    default: items[position] = RandomTable.item(&random)
    }
  }

  /// Members of which a refresh changes nothing do nothing: what they show is the same object.
  @Test func aChangeElsewhereCostsAMemberNothing() throws {
    let mapper = try Fixture {
      $0.table.sections = .single(section("main", where: "team == $params.team"))
      $0.table.parameters = [ParameterDefinition(name: "team")]
      $0.sources = [
        SourceDefinition(name: "s", kind: .upstream(UpstreamDefinition(url: template("https://a.example/"))))
      ]
    }.mapper()
    func item(_ number: Int, _ title: String) -> [UInt8] {
      Array(#"{"id":\#(number),"title":"\#(title)","team":"t\#(number % 100)"}"#.utf8)
    }
    var items = (0..<5000).map { item($0, "one") }
    let variables = (0..<100).map { MappingVariables(parameters: ["team": "t\($0)"]) }
    let first = SharedMappings()
    let before = variables.map {
      mapper.map(RandomTable.sharing(first, ["s": RandomTable.page(items)]), variables: $0)
    }
    items[217] = item(217, "two")
    let second = SharedMappings(after: first)
    let contents = RandomTable.sharing(second, ["s": RandomTable.page(items)])
    let after = zip(variables, before).map { mapper.map(contents, after: $1, variables: $0) }
    #expect(after.allSatisfy { $0.isPart })
    for team in 0..<100 {
      #expect(before[team].rows.count == 50)
      #expect((after[team].sections[0] === before[team].sections[0]) == (team != 17))
    }
    #expect(after[17].rows.map { $0.payload() }.contains(#"{"title":"two"}"#))
    // Rows are made once for all.
    let other = mapper.map(contents, variables: variables[17])
    #expect(zip(other.rows, after[17].rows).allSatisfy { $0 === $1 })
  }

  /// Where members differ in more than what their sections take, each makes rows of its own.
  @Test(arguments: ["payload", "sort key", "edits", "groups", "index", "list", "caller's list", "no difference"])
  func rowsOfTheirOwn(what: String) throws {
    let mapper = try Fixture {
      var section = section("main", where: what == "no difference" ? "done" : "g == $params.g")
      if what == "sort key" { section.sort = [SortDefinition(key: expression("$params.g == title"))] }
      if what == "index" { section.predicate = expression("g == $params.g && $index > 3") }
      $0.table.sections = what == "groups" ? groups(by: "g") : .single(section)
      if what == "payload" { $0.table.cell = mapping("Title", ["title": "${$params.g}"]) }
      if what == "edits" {
        $0.table.edits.delete = EditRequestDefinition(method: "DELETE", url: template("https://a.example/${$id}"))
      }
      $0.table.parameters = [ParameterDefinition(name: "g")]
      var upstream = UpstreamDefinition(url: template("https://a.example/"))
      if what == "list" { upstream.items = expression("data | where(g == $params.g)") }
      if what == "caller's list" { upstream.items = expression("data | where(g == $caller.name)") }
      $0.sources = [SourceDefinition(name: "s", kind: .upstream(upstream))]
    }.mapper()
    #expect(!mapper.sharesRows)
  }
}

/// Items that tell how they differ from others.
private struct UnlistedItems: OwnedItems {
  let list: OwnedList
  /// All of them may be asked for.
  let isListed: Bool

  var count: Int { list.count }

  var owned: [OwnedItem] {
    #expect(isListed)
    return list.owned
  }

  func place(of number: UInt64) -> Int? { list.place(of: number) }

  func changes(since earlier: any OwnedItems, atMost maximum: Int) -> [OwnedItemChange]? {
    (earlier as? Self).flatMap { list.changes(since: $0.list, atMost: maximum) }
  }
}

extension SectionsDefinition {
  fileprivate var ids: String {
    switch self {
    case .single(let section): section.id
    case .list(let sections, _): sections.map(\.id).joined(separator: ", ")
    case .groups: "groups"
    }
  }
}
