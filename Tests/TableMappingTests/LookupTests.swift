import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

@Suite struct LookupTests {
  private func fixture(_ title: String = "${title} by ${$user.name ?? 'nobody'}") throws -> Fixture {
    let payload = try Template(["title": .string(title)], lookups: ["user"])
    return Fixture {
      $0.table.lookups = [
        LookupDefinition(name: "user", source: "users", key: expression("id"), on: expression("owner"))
      ]
      $0.table.cell = CellMapping(cell: "Title", payload: payload)
    }
  }

  private func page(_ text: String) -> SourceContent { .pages([Array(text.utf8)]) }

  private let items = #"""
    [{"id":1,"title":"a","owner":5},{"id":2,"title":"b","owner":"6"},{"id":3,"title":"c","owner":null},
     {"id":4,"title":"d","owner":5},{"id":5,"title":"e","owner":9},{"id":6,"title":"f","owner":{}}]
    """#

  private func titles(_ result: MappingResult) -> [String] {
    result.rows.map { String($0.payload().dropFirst(#"{"title":""#.count).dropLast(2)) }
  }

  @Test func anItemOfAnotherSourceIsFoundByItsKey() throws {
    let mapper = try fixture().mapper()
    #expect(mapper.sources == ["s", "users"])
    let users = page(#"[{"id":"5","name":"Ada"},{"id":6,"name":"Bob"},{"id":5,"name":"late"},{"name":"x"},7]"#)
    let result = mapper.map(["s": page(items), "users": users])
    #expect(
      titles(result) == ["a by Ada", "b by Bob", "c by nobody", "d by Ada", "e by nobody", "f by nobody"]
    )
    #expect(result.problems.isEmpty && result.warnings.isEmpty)
    #expect(titles(mapper.map(["s": page(items)])).allSatisfy { $0.hasSuffix(" by nobody") })
  }

  @Test func aChangeMapsAnewOnlyTheRowsThatShowIt() throws {
    let mapper = try fixture().mapper()
    let page = page(items)
    func map(_ users: String, _ last: MappingResult?) -> MappingResult {
      mapper.map(["s": page, "users": self.page(users)], after: last)
    }
    func kept(_ first: MappingResult, _ second: MappingResult) -> [Bool] {
      zip(first.rows, second.rows).map { $0 === $1 }
    }
    let first = map(#"[{"id":5,"name":"Ada"},{"id":6,"name":"Bob"}]"#, nil)
    let renamed = map(#"[{"id":5,"name":"ADA"},{"id":6,"name":"Bob"}]"#, first)
    #expect(titles(renamed) == ["a by ADA", "b by Bob", "c by nobody", "d by ADA", "e by nobody", "f by nobody"])
    #expect(kept(first, renamed) == [false, true, true, false, true, true])
    let added = map(#"[{"id":9,"name":"Cy"},{"id":5,"name":"ADA"},{"id":6,"name":"Bob"}]"#, renamed)
    #expect(titles(added)[4] == "e by Cy")
    #expect(kept(renamed, added) == [true, true, true, true, false, true])
    let removed = map(#"[{"id":9,"name":"Cy"},{"id":6,"name":"Bob"}]"#, added)
    #expect(titles(removed)[0] == "a by nobody")
    #expect(kept(added, removed) == [false, true, true, false, true, true])
    let gone = mapper.map(["s": page], after: removed)
    #expect(titles(gone).allSatisfy { $0.hasSuffix(" by nobody") })
  }

  /// Edits that an upstream has accepted are laid over its answer for those, too, who look its items up.
  @Test func whatIsLookedUpHasTheEditsOfItsAnswer() throws {
    let mapper = try fixture().mapper()
    var users = page(#"[{"id":5,"name":"Ada"},{"id":6,"name":"Bob"}]"#)
    let first = mapper.map(["s": page(items), "users": users])
    let shown = try Fixture { $0.table.source = "users" }.mapper().map(["users": users])
    var edits = try #require(shown.edits(of: "users", in: users))
    edits.replace(0, with: Array(#"{"id":5,"name":"Eve"}"#.utf8))
    edits.remove(1)
    users.edits = edits
    for result in [
      mapper.map(["s": page(items), "users": users], after: first), mapper.map(["s": page(items), "users": users]),
    ] {
      #expect(titles(result).prefix(2) == ["a by Eve", "b by nobody"])
    }
  }

  /// A list is one level deeper than its items. Where one of these is as deep as can be, they are parsed one by one:
  /// that is found out once, and not for each key.
  @Test func whatCantBeParsedAtOnceIsTriedOnce() throws {
    let mapper = try fixture().mapper()
    let numbers = 0..<1000
    let items = numbers.map { "{\"id\":\($0),\"title\":\"t\",\"owner\":\($0)}" }
    let content = page("[\(items.joined(separator: ","))]")
    func users(depth: Int) -> [SourceItem] {
      let deep = String(repeating: "[", count: depth - 1) + "1" + String(repeating: "]", count: depth - 1)
      return numbers.map { number in
        SourceItem(bytes: Array("{\"id\":\(number),\"name\":\"n\",\"of\":\(number == 0 ? deep : "1")}".utf8))
      }
    }
    func map(_ users: [SourceItem]) -> MappingResult { mapper.map(["s": content, "users": .items(users)]) }
    let deepest = JSONLimits().maximumDepth
    let (usual, deep) = (users(depth: deepest - 1), users(depth: deepest))
    #expect(throws: JSONError.self) {
      _ = try Document(Array("[".utf8) + deep[0].bytes + Array("]".utf8)).unmanagedRoot()
    }
    for users in [usual, deep] { #expect(titles(map(users)).allSatisfy { $0 == "t by n" }) }
    let atOnce = processorTime { _ = map(usual) }
    let oneByOne = processorTime { _ = map(deep) }
    #expect(oneByOne < atOnce * 4, "\(oneByOne) and not \(atOnce)")
  }

  /// Many to many: the items that there are, in the order of the keys.
  @Test func aListOfKeysGivesAListOfItems() throws {
    let payload = try Template(
      ["title": .string("${title}: ${$user | map(name) | join(' ')} (${$user | length})")],
      lookups: ["user"]
    )
    let mapper = try Fixture {
      $0.table.lookups = [
        LookupDefinition(name: "user", source: "users", key: expression("id"), on: expression("owners"))
      ]
      $0.table.cell = CellMapping(cell: "Title", payload: payload)
    }.mapper()
    let items = page(
      #"""
      [{"id":1,"title":"a","owners":[6,"5",9,null,{},6]},{"id":2,"title":"b","owners":[]},
       {"id":3,"title":"c","owners":[9]},{"id":4,"title":"d","owners":[5]}]
      """#
    )
    func map(_ users: String, _ last: MappingResult?) -> MappingResult {
      mapper.map(["s": items, "users": page(users)], after: last)
    }
    let first = map(#"[{"id":5,"name":"Ada"},{"id":6,"name":"Bob"}]"#, nil)
    #expect(titles(first) == ["a: Bob Ada Bob (3)", "b:  (0)", "c:  (0)", "d: Ada (1)"])
    #expect(first.warnings.isEmpty)
    // One that comes is shown by those that name it, each in its place, and no other row is made anew.
    let added = map(#"[{"id":9,"name":"Cy"},{"id":5,"name":"Ada"},{"id":6,"name":"Bob"}]"#, first)
    #expect(titles(added) == ["a: Bob Ada Cy Bob (4)", "b:  (0)", "c: Cy (1)", "d: Ada (1)"])
    #expect(zip(first.rows, added.rows).map { $0 === $1 } == [false, true, false, true])
    let gone = map(#"[{"id":9,"name":"Cy"},{"id":6,"name":"Bob"}]"#, added)
    #expect(titles(gone) == ["a: Bob Cy Bob (3)", "b:  (0)", "c: Cy (1)", "d:  (0)"])
    #expect(
      gone.lookedUp(for: "1")?["user"] == [
        ["id": 6, "name": "Bob"], ["id": 9, "name": "Cy"], ["id": 6, "name": "Bob"],
      ]
    )
    #expect(gone.lookedUp(for: "2")?["user"] == [])
    // Before the source has answered.
    #expect(titles(mapper.map(["s": items]))[0] == "a:  (0)")
  }

  /// Equal to mapping without a cache, whatever changes on either side.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func withACacheTheResultIsTheSameAsWithout(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let mapper = try fixture().mapper()
    var last: MappingResult?
    var items = (0..<200).map { "{\"id\":\($0),\"title\":\"t\",\"owner\":\($0 % 90)}" }
    var users = (0..<90).map { "{\"id\":\($0),\"name\":\"n\"}" }
    var content = page("[\(items.joined(separator: ","))]")
    for round in 0..<8 {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let user = Int.random(in: 0..<90, using: &random)
        users[user] = "{\"id\":\(Int.random(in: 0..<99, using: &random)),\"name\":\"n\(round)\"}"
      }
      if Bool.random(using: &random) {
        let item = Int.random(in: 0..<200, using: &random)
        items[item] = "{\"id\":\(item),\"title\":\"t\(round)\",\"owner\":\(Int.random(in: 0..<99, using: &random))}"
        if Bool.random(using: &random) { items.shuffle(using: &random) }
        content = page("[\(items.joined(separator: ","))]")
      }
      let contents = ["s": content, "users": page("[\(users.joined(separator: ", "))]")]
      let cached = mapper.map(contents, after: last)
      let fresh = mapper.map(contents)
      #expect(Table.same(cached.table(mapper.definition), fresh.table(mapper.definition)), "seed \(seed)")
      last = cached
    }
  }

  @Test func conditionsAndSortsSeeIt() throws {
    var fixture = try fixture()
    var main = SectionDefinition(id: "main")
    main.predicate = try Expression("$user != null", lookups: ["user"])
    main.sort = [SortDefinition(key: try Expression("$user.name", lookups: ["user"]))]
    fixture.table.sections = .single(main)
    let users = page(#"[{"id":5,"name":"Zed"},{"id":6,"name":"Bob"}]"#)
    #expect(try fixture.mapper().map(["s": page(items), "users": users]).outline == ["main: 2 1 4"])
  }

  @Test func whatFailsIsSaid() throws {
    var fixture = try fixture()
    fixture.table.lookups[0].on = expression("title - 1")
    let users = page(#"[{"id":5,"name":"Ada"}]"#)
    let result = try fixture.mapper().map(["s": page(items), "users": users])
    #expect(result.rows.count == 6)
    #expect(result.warnings.first?.hasPrefix("`lookups.user.on`: “title - 1”: ") == true)
    fixture.table.lookups[0].on = expression("owner")
    fixture.table.lookups[0].key = expression("name - 1")
    #expect(try fixture.mapper().map(["s": page(items), "users": users]).warnings.count == 1)
    #expect(try fixture.mapper().map(["s": page(items), "users": page("{}")]).problems.map(\.source) == ["users"])
  }
}
