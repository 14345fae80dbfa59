import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Members that are told only of answers that concern them, beside what each would make of every answer.
@Suite struct PartKeyTests {
  private static let predicates = [
    "g == $params.g", "$params.g == g && !done", "g == $params.g && n > 2", "(title | lower) == $params.g",
    "n == ($params.n | float)", "done || g == $params.g", "g == $params.missing",
  ]

  private static func mapper(_ predicate: String, isSorted: Bool) throws -> TableMapper {
    try Fixture {
      var open = section("open", where: "(\(predicate)) && !done")
      var rest = section("rest", where: predicate)
      let sort = isSorted ? [SortDefinition(key: expression("n"))] : []
      (open.sort, rest.sort) = (sort, sort)
      open.header = mapping("Title", ["title": "${$params.g}: ${$count}"])
      $0.table.rowID = template("${key}")
      $0.table.sections = .list([open, rest], firstMatch: true)
      $0.table.parameters = ["g", "n"].map { ParameterDefinition(name: $0) }
      $0.sources = [
        SourceDefinition(name: "s", kind: .upstream(UpstreamDefinition(url: template("https://a.example/"))))
      ]
    }.mapper()
  }

  private struct Member {
    let variables: MappingVariables
    var shown: MappingResult?
    /// Told of no answer since that one.
    var key: PartKey?
  }

  @Test(arguments: seeds(of: 200)) func whoIsNotToldMissesNothing(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let predicate = Self.predicates.randomElement(using: &random) ?? ""
    let mapper = try Self.mapper(predicate, isSorted: .random(using: &random))
    var members = (0..<6).map { number in
      let group = ["x", "y", "1", "z", "a", "new"][number]
      return Member(variables: MappingVariables(parameters: ["g": group, "n": String(number % 4)]))
    }
    var items = (0..<Int.random(in: 0...60, using: &random)).map { _ in RandomTable.item(&random) }
    var content: SourceContent?
    var untold = 0
    for step in 0..<10 {
      var next = RandomTable.page(items)
      let shared = SharedMappings(after: content?.shared)
      next.shared = shared
      next.isTruncated = Int.random(in: 0..<8, using: &random) == 0
      let keys = members.lazy.compactMap(\.key).first.map { key in
        content.flatMap { key.group.keys(ofChangesFrom: $0, to: next, memberCount: 6) }
      }
      for number in members.indices {
        let comment = Comment(rawValue: "seed \(seed), step \(step), member \(number), \(predicate)")
        let variables = members[number].variables
        var own = next
        own.shared = nil
        let fresh = mapper.map(["s": own], variables: variables)
        let shown: MappingResult
        if let key = members[number].key, let keys = keys?.map({ $0 }), !keys.contains(key) {
          untold += 1
          shown = try #require(members[number].shown, comment)
          // A look into it makes the whole of it again.
          let whole = mapper.map(["s": next], after: shown, variables: variables)
          #expect(whole.isPart, comment)
          #expect(Table.same(whole.table(mapper.definition), fresh.table(mapper.definition)), comment)
          #expect(whole.skipped == fresh.skipped && whole.unplaced().count == fresh.unplaced().count, comment)
          for row in fresh.rows { #expect(whole.item(row.id)?.bytes == fresh.item(row.id)?.bytes, comment) }
        } else {
          shown = mapper.map(["s": next], after: members[number].shown, variables: variables)
          #expect(shown.isPart, comment)
        }
        #expect(Table.same(shown.table(mapper.definition), fresh.table(mapper.definition)), comment)
        #expect(shown.outline == fresh.outline && shown.skippedItems == fresh.skippedItems, comment)
        if let key = shown.partKey { members[number].key = key }
        members[number].shown = shown
        members[number].shown?.letGoOfPart()
      }
      content = next
      for _ in 0..<Int.random(in: 0...3, using: &random) { PartTests.change(&items, &random) }
    }
    if predicate.hasPrefix("done") { #expect(untold == 0) }
  }

  /// A changed item concerns the members that had it and that have it; one that moves concerns nobody, unless it passes another one
  /// with the same value.
  @Test func keysOfChanges() throws {
    let mapper = try Self.mapper("g == $params.g", isSorted: false)
    func item(_ key: Int, _ group: String, _ title: String = "t") -> [UInt8] {
      Array(#"{"key":\#(key),"g":"\#(group)","title":"\#(title)","done":false,"n":1}"#.utf8)
    }
    func content(_ items: [[UInt8]], after previous: SourceContent? = nil) -> SourceContent {
      var content = RandomTable.page(items)
      content.shared = SharedMappings(after: previous?.shared)
      return content
    }
    let items = [item(1, "a"), item(2, "b"), item(3, "c"), item(4, "a"), item(5, "d")]
    let before = content(items)
    let keys = try ["a", "b", "c", "d", "e"].map { group in
      try #require(mapper.map(["s": before], parameters: ["g": group]).partKey)
    }
    func concerned(_ items: [[UInt8]]) throws -> String {
      let found = keys[0].group.keys(ofChangesFrom: before, to: content(items, after: before), memberCount: 5)
      let keysFound = try #require(found)
      return String(zip("abcde", keys).filter { keysFound.contains($1) }.map(\.0))
    }
    #expect(try concerned(items) == "")
    #expect(try concerned([item(1, "a"), item(2, "b", "other"), item(3, "c"), item(4, "a"), item(5, "d")]) == "b")
    #expect(try concerned([item(1, "a"), item(2, "e"), item(3, "c"), item(4, "a"), item(5, "d")]) == "be")
    #expect(try concerned(Array(items.dropLast())) == "d")
    #expect(try concerned([item(6, "e")] + items) == "e")
    #expect(try concerned([items[0], items[2], items[1], items[3], items[4]]) == "")
    #expect(try concerned([items[3], items[1], items[2], items[0], items[4]]) == "a")
    // A list is found by no value: anybody may have it.
    let list = Array(#"{"key":7,"g":["a"],"done":false,"n":1}"#.utf8)
    let next = content(items + [list], after: before)
    #expect(keys[0].group.keys(ofChangesFrom: before, to: next, memberCount: 5) == nil)
  }
}
