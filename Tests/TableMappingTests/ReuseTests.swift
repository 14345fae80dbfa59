import Definitions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

@Suite struct ReuseTests {
  private static let fixture = Fixture {
    $0.table.sections = groups(by: "group") {
      $0.sort = [SortDefinition(key: expression("title"))]
      $0.header = mapping("Title", ["title": "${$key} ${$count}"])
      $0.sortGroups = .ascending
    }
    $0.table.cell = mapping("Image", ["title": "${title}", "image": "${image}"])
  }

  @Test func unchangedItemsKeepTheirRows() throws {
    let mapper = try Self.fixture.mapper()
    let before = [#"{"id":1,"title":"a"}"#, #"{"id":2,"title":"b"}"#, #"{"id":3,"title":"c"}"#]
    let first = mapper.map(["s": page(before)])
    let same = mapper.map(["s": page(before)], after: first)
    #expect(zip(first.rows, same.rows).allSatisfy { $0 === $1 })
    let after = [#"{"id":0,"title":"n"}"#, before[0], #"{"id":2,"title":"B"}"#, before[2]]
    let next = mapper.map(["s": page(after)], after: same)
    #expect(next.rows.map(\.id) == ["2", "1", "3", "0"])
    #expect(next.rows[1] === first.rows[0])
    #expect(next.rows[2] === first.rows[2])
    #expect(next.rows[0] !== first.rows[1])
  }

  @Test func whatAnExpressionReadsBesideTheItemDecidesToo() throws {
    func isReused(_ title: String, _ second: [String], parameters: [String: String] = [:]) throws -> Bool {
      let mapper = try Fixture { $0.table.cell = mapping("Title", ["title": .string(title)]) }.mapper()
      let first = mapper.map(["s": page([#"{"id":1}"#, #"{"id":2}"#])])
      let next = mapper.map(["s": page(second)], after: first, parameters: parameters)
      return next.rows.contains { $0 === first.rows[1] }
    }
    let (same, shifted) = ([#"{"id":1}"#, #"{"id":2}"#], [#"{"id":2}"#])
    #expect(try isReused("a", shifted))
    #expect(try !isReused("${$index}.", shifted))
    #expect(try isReused("${$index}.", same))
    #expect(try !isReused("${$response | length}.", shifted))
    #expect(try isReused("${$response | length}.", same))
    #expect(try !isReused("a", same, parameters: ["p": "1"]))
  }

  @Test func anotherMappersCacheIsIgnored() throws {
    let content = ["s": page([#"{"id":1,"title":"a"}"#])]
    let first = try Self.fixture.mapper().map(content)
    let other = try Fixture { $0.table.cell = mapping("Title", ["title": "other"]) }.mapper()
    #expect(other.map(content, after: first).rows.first?.payload() == #"{"title":"other"}"#)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func withACacheTheResultIsTheSameAsWithout(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let mapper = try Self.fixture.mapper()
    var items: [String] = []
    var last: MappingResult?
    for _ in 0..<12 {
      mutate(&items, &random)
      let cached = mapper.map(["s": page(items)], after: last)
      let fresh = mapper.map(["s": page(items)])
      #expect(Table.same(cached.table(mapper.definition), fresh.table(mapper.definition)), "seed \(seed)")
      #expect(cached.skipped == fresh.skipped, "seed \(seed)")
      #expect(cached.skippedItems == fresh.skippedItems, "seed \(seed)")
      for row in cached.rows {
        #expect(cached.item(row.id)?.bytes == fresh.item(row.id)?.bytes, "seed \(seed)")
        #expect(row.key == RowKey(id: row.id, encoded: row.encoded))
      }
      last = cached
    }
  }

  /// Comparing must not let anything through that reading would refuse.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func damagedResponsesAreToldAlikeWithAndWithoutACache(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let mapper = try fixtureWithEnvelope.mapper()
    let items = (0..<12).map { #"{"id":\#($0),"title":"t [\#($0)] , }\" ","group":[1,{"a":"]"}]}"# }
    let good = Array(#"{"n":[1], "data" : [ \#(items.joined(separator: " ,\n")) ] , "next":"]"}"#.utf8)
    let whole = mapper.map(["s": .pages([good])])
    #expect(whole.rows.count == items.count)
    for _ in 0..<60 {
      var bad = good
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let position = Int.random(in: 0..<bad.count, using: &random)
        let byte = "[]{},:\"\\ 1tn\u{1}".utf8.randomElement(using: &random) ?? 0x20
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bad[position] = byte
        case 1: bad.insert(byte, at: position)
        case 2: bad.remove(at: position)
        default: bad.removeSubrange(position..<min(bad.count, position + Int.random(in: 1...80, using: &random)))
        }
      }
      let cached = mapper.map(["s": .pages([bad])], after: whole)
      let fresh = mapper.map(["s": .pages([bad])])
      let text = String(decoding: bad, as: UTF8.self)
      #expect(cached.problems == fresh.problems, "seed \(seed): \(text)")
      #expect(cached.skipped == fresh.skipped, "seed \(seed): \(text)")
      #expect(Table.same(cached.table(mapper.definition), fresh.table(mapper.definition)), "seed \(seed): \(text)")
    }
  }

  private var fixtureWithEnvelope: Fixture {
    Fixture {
      var upstream = UpstreamDefinition(url: template("https://a.example/"))
      upstream.items = expression("data")
      $0.sources = [SourceDefinition(name: "s", kind: .upstream(upstream))]
    }
  }

  private func mutate(_ items: inout [String], _ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let position = Int.random(in: 0...items.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where position < items.count: items.remove(at: position)
      case 1 where position < items.count: items[position] = item(&random)
      case 2: items.shuffle(using: &random)
      default: items.insert(item(&random), at: position)
      }
    }
  }

  private func item(_ random: inout SeededGenerator) -> String {
    let id = Int.random(in: 0..<20, using: &random)
    let title = ["\"a\"", "\"b\\n\"", "null", "7", "\"ü\""].randomElement(using: &random) ?? ""
    let image = ["\"/i\"", "\"no url\"", "null"].randomElement(using: &random) ?? ""
    let group = ["1", "\"x\"", "null", "\"y\""].randomElement(using: &random) ?? ""
    return #"{"id":\#(id),"title":\#(title),"image":\#(image),"group":\#(group)}"#
  }

  private func page(_ items: [String]) -> SourceContent {
    .pages([Array("[\(items.joined(separator: ", "))]".utf8)])
  }
}
