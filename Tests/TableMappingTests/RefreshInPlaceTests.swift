import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Refreshes of an upstream's items, beside the mapping of the same items by itself: the same to the byte, whether items
/// changed where they stand, came, went or moved.
@Suite struct RefreshInPlaceTests {
  @Test(arguments: seeds(of: 80))
  func refreshesMakeWhatAMappingMakes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let table = try RandomTable(&random, isLocal: false)
    var items = (0..<Int.random(in: 0...100, using: &random)).map { _ in RandomTable.item(&random) }
    var last: MappingResult?
    for step in 0..<20 {
      let contents = ["s": RandomTable.page(items), "users": RandomTable.users]
      let words = Comment(rawValue: "seed \(seed), step \(step), \(table.words)")
      let fresh = table.mapper.map(contents, variables: RandomTable.variables)
      let result = table.mapper.map(contents, after: last, variables: RandomTable.variables)
      try table.check(result, against: fresh, words)
      #expect(result.byteCount == fresh.byteCount && result.work(for: "s") == fresh.work(for: "s"), words)
      for (position, item) in items.enumerated() {
        let identity = fresh.identity(ofItemAt: position, of: "s")
        #expect(result.identity(ofItemAt: position, of: "s") == identity, words)
        #expect(identity.flatMap { result.item($0)?.bytes } == identity.flatMap { fresh.item($0)?.bytes }, words)
        #expect(identity == nil || result.items(of: "s")[position].bytes == item, words)
      }
      last = result
      for _ in 0..<Int.random(in: 0...3, using: &random) { change(&items, &random) }
    }
  }

  /// Mostly in place, and mostly what does not move the row.
  private func change(_ items: inout [[UInt8]], _ random: inout SeededGenerator) {
    guard let position = items.indices.randomElement(using: &random) else {
      return items.append(RandomTable.item(&random))
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: items.insert(RandomTable.item(&random), at: position)
    case 1: items.remove(at: position)
    case 2: items.swapAt(position, Int.random(in: items.indices, using: &random))
    case 3, 4: items[position] = RandomTable.item(&random)
    default:
      if let changed = RandomTable.retitled(items[position], &random) { items[position] = changed }
    }
  }

  /// Items of one identity, of which the first one alone has a row: one that leaves, and one that changes without having a
  /// row, are no changes of the row that another item has.
  @Test(arguments: [
    (["1 a", "2 a"], ["2 a", "2 b"]), (["1 a", "2 a", "3 a"], ["2 a", "3 a", "3 b"]),
    (["1 a", "1 b", "2 a"], ["1 a", "1 c", "2 a"]), (["1 a", "2 a", "1 b"], ["1 a", "2 b", "1 c"]),
    (["1 a", "2 a", "2 b"], ["2 b", "1 c", "2 a"]),
  ])
  func itemsThatComeTwice(before: [String], after: [String]) throws {
    let mapper = try Fixture().mapper()
    func contents(_ items: [String]) -> [String: SourceContent] {
      let items = items.map { $0.split(separator: " ") }
      return ["s": RandomTable.page(items.map { Array(#"{"id":\#($0[0]),"title":"\#($0[1])"}"#.utf8) })]
    }
    let first = mapper.map(contents(before))
    let (second, fresh) = (mapper.map(contents(after), after: first), mapper.map(contents(after)))
    #expect(second.rows.map { $0.text } == fresh.rows.map { $0.text })
    #expect(second.skipped == fresh.skipped)
    for (position, bytes) in fresh.items(of: "s").map(\.bytes).enumerated() {
      #expect(second.items(of: "s")[position].bytes == bytes)
    }
  }

  /// Of two items with the same bytes one has a row, and both are mapped to it: a change of the other is none of the row.
  @Test func itemsThatAreMappedAsOne() throws {
    let mapper = try Fixture {
      var section = section("main")
      section.sort = [SortDefinition(key: expression("rank"))]
      $0.table.sections = .single(section)
    }.mapper()
    func item(_ id: String, _ rank: Int, _ title: String = "one") -> [UInt8] {
      Array(#"{"id":"\#(id)","title":"\#(title)","rank":\#(rank)}"#.utf8)
    }
    let (a, z, m) = (item("a", 9), item("z", 1), item("m", 5))
    var last: MappingResult?
    for items in [[a, z, m], [z, a, a, m], [item("z", 1, "two"), a, item("a", 9, "two"), m]] {
      let fresh = mapper.map(["s": RandomTable.page(items)])
      let result = mapper.map(["s": RandomTable.page(items)], after: last)
      #expect(result.rows.map { $0.text } == fresh.rows.map { $0.text })
      #expect(result.skipped == fresh.skipped)
      last = result
    }
  }

  /// Rows of a long sorted section stand in another order than their items, and in several chunks.
  @Test(arguments: 1...3 as ClosedRange<UInt64>) func changesOfALongSortedSection(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let mapper = try Fixture {
      var section = section("main")
      section.sort = [SortDefinition(key: expression("rank"))]
      $0.table.sections = .single(section)
    }.mapper()
    var ranks = (0..<5000).shuffled(using: &random)
    func item(_ number: Int, _ title: String) -> [UInt8] {
      Array(#"{"id":\#(number),"title":"\#(title)","rank":\#(ranks[number])}"#.utf8)
    }
    var items = ranks.indices.map { item($0, "one") }
    var last = mapper.map(["s": RandomTable.page(items)])
    for step in 0..<4 {
      let changed = (0..<15).map { _ in Int.random(in: items.indices, using: &random) }
      // Their ranks make them stand elsewhere.
      if step == 3 { for number in changed { ranks[number] += Int.random(in: -2000...2000, using: &random) } }
      for number in changed { items[number] = item(number, "step \(step)") }
      let refreshed = mapper.map(["s": RandomTable.page(items)], after: last)
      #expect(refreshed.changeCount == Set(changed).count)
      let fresh = mapper.map(["s": RandomTable.page(items)])
      #expect(refreshed.rows.map { $0.text } == fresh.rows.map { $0.text }, "seed \(seed), step \(step)")
      last = refreshed
    }
  }

  /// Of a long section, a change copies the parts that it stands in: the rest is the version's before.
  @Test func aChangeInPlaceSharesAllOtherRows() throws {
    let mapper = try Fixture().mapper()
    func item(_ number: Int, _ title: String) -> [UInt8] { Array(#"{"id":\#(number),"title":"\#(title)"}"#.utf8) }
    var items = (0..<6000).map { item($0, "one") }
    let first = mapper.map(["s": RandomTable.page(items)])
    items[3000] = item(3000, "two")
    let second = mapper.map(["s": RandomTable.page(items)], after: first)
    let (old, new) = (first.sections[0].rows, second.sections[0].rows)
    #expect(new[3000].payload() == #"{"title":"two"}"#)
    #expect(second.changeCount == 1)
    #expect(mapper.map(["s": RandomTable.page(items)], after: second).changeCount == 0)
    // What it takes of memory is known as if all had been mapped.
    #expect(second.byteCount == mapper.map(["s": RandomTable.page(items)]).byteCount)
    let shared = RowList.commonEnds(old, new) { _, _ in false }
    #expect(shared.prefix > 2700 && shared.suffix > 2700)
  }
}
