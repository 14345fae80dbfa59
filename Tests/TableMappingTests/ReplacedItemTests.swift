import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Items that are others than their response says, as after edits that the upstream has accepted: the same to the byte as
/// the mapping of all items one by one, whether a row stays where it stands or not, and refreshes in between.
@Suite struct ReplacedItemTests {
  @Test(arguments: 0..<150 as Range<UInt64>)
  func replacedItemsMakeWhatAMappingMakes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let table = try RandomTable(&random, isLocal: false)
    var items = (0..<Int.random(in: 1...40, using: &random)).map { _ in RandomTable.item(&random) }
    var content = RandomTable.page(items)
    var last = table.mapper.map(["s": content, "users": RandomTable.users], variables: RandomTable.variables)
    for step in 0..<25 {
      let words = Comment(rawValue: "seed \(seed), step \(step), \(table.words)")
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let place = Int.random(in: items.indices, using: &random)
        items[place] = other(items[place], &random)
        content = content.replacing(place, with: items[place])
      }
      if Int.random(in: 0..<6, using: &random) == 0 {
        // What the upstream says then is what the edits have made, and more.
        let place = Int.random(in: items.indices, using: &random)
        items[place] = other(items[place], &random)
        content = RandomTable.page(items)
      }
      let contents = ["s": content, "users": RandomTable.users]
      let one = SourceContent.items(items.map { SourceItem(bytes: $0) })
      let fresh = table.mapper.map(["s": one, "users": RandomTable.users], variables: RandomTable.variables)
      let alone =
        content.hasReplaced
        ? table.mapper.map(replacedIn: contents, after: last, variables: RandomTable.variables) : nil
      let result = alone ?? table.mapper.map(contents, reusing: last.cache, variables: RandomTable.variables)
      try #require(result.outline == fresh.outline, words)
      let definition = table.mapper.definition
      #expect(Table.same(result.table(definition), fresh.table(definition)), words)
      #expect(result.omittedSections == fresh.omittedSections, words)
      #expect(result.skippedItems == fresh.skippedItems && result.skipped == fresh.skipped, words)
      #expect(result.warnings == fresh.warnings, words)
      #expect(result.items(of: "s").map(\.bytes) == items, words)
      #expect(result.items(of: "s").map(\.row) == fresh.items(of: "s").map(\.row), words)
      for position in items.indices {
        let identity = fresh.identity(ofItemAt: position, of: "s")
        #expect(result.identity(ofItemAt: position, of: "s") == identity, words)
        let (found, expected) = (identity.flatMap { result.item($0) }, identity.flatMap { fresh.item($0) })
        #expect(found?.bytes == expected?.bytes && found?.position == expected?.position, words)
        #expect(found?.permissions == expected?.permissions && found?.hasRow == expected?.hasRow, words)
      }
      last = result
    }
  }

  /// Mostly what does not move the row.
  private func other(_ item: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    let staysThere = Int.random(in: 0..<5, using: &random) > 0
    return (staysThere ? RandomTable.retitled(item, &random) : nil) ?? RandomTable.item(&random)
  }

  /// A row that stays where it stands costs no other: of a long section the lists share the rest, and what comes next from
  /// the upstream is compared with what it said last.
  @Test func aReplacedItemIsLaidOutAlone() throws {
    let mapper = try Fixture().mapper()
    func item(_ number: Int, _ title: String) -> [UInt8] { Array(#"{"id":\#(number),"title":"\#(title)"}"#.utf8) }
    var items = (0..<6000).map { item($0, "one") }
    let content = RandomTable.page(items)
    let variables = MappingVariables()
    let first = mapper.map(["s": content], variables: variables)
    let edited = content.replacing(3000, with: item(3000, "two"))
    #expect(first.hasList(of: "s", in: edited))
    let second = try #require(mapper.map(replacedIn: ["s": edited], after: first, variables: variables))
    let (old, new) = (first.sections[0].rows, second.sections[0].rows)
    #expect(new[3000].payload() == #"{"title":"two"}"#)
    let shared = RowList.commonEnds(old, new) { _, _ in false }
    #expect(shared.prefix > 2700 && shared.suffix > 2700)
    #expect(second.item("3000")?.bytes == item(3000, "two"))
    #expect(second.cache === first.cache)
    // What the upstream then says; the edit is not in it yet.
    items[10] = item(10, "three")
    let third = mapper.map(["s": RandomTable.page(items)], reusing: second.cache, variables: variables)
    #expect(
      third.rows.map { $0.text }
        == mapper.map(["s": RandomTable.page(items)], variables: variables).rows.map { $0.text }
    )
    #expect(third.item("3000")?.bytes == item(3000, "one"))
    // An identity of another row can't be taken in place, nor can one that no response has be replaced.
    for (place, bytes) in [(5, item(6, "x")), (5, Array("[".utf8)), (6000, item(7000, "x"))] {
      let content = content.replacing(place, with: bytes)
      #expect(mapper.map(replacedIn: ["s": content], after: first, variables: variables) == nil)
    }
  }
}
