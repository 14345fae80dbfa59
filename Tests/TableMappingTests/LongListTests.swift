import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// A list that is long enough to be mapped on all cores, beside the same items mapped one by one.
@Suite struct LongListTests {
  enum Kind: CaseIterable { case fine, skipped, duplicate, reading, grouped }

  private static func items(_ kind: Kind, _ random: inout SeededGenerator) -> [[UInt8]] {
    let filler = String(repeating: #"größer \"x\", "#, count: 120)
    var items = (0..<1200).map { number in
      #"{"id":\#(number),"title":"T \#(Int.random(in: 0..<1000, using: &random))","group":\#(number % 7),"#
        + #""unread":[{"a":"\#(filler)","n":-1.5e3}],"price":\#(number).25}"#
    }
    for _ in 0..<3 {
      let place = items.indices.randomElement(using: &random) ?? 0
      if kind == .skipped { items[place] = #"{"id":\#(place),"title":7,"unread":"\#(filler)"}"# }
      if kind == .duplicate { items[place] = items[place == 0 ? 1 : place - 1] }
    }
    return items.map { Array($0.utf8) }
  }

  /// With room behind it, as what grew while it came in has.
  private static func page(_ items: [[UInt8]]) -> [UInt8] {
    var page: [UInt8] = []
    page.reserveCapacity(items.reduce(4096) { $0 + $1.count + 1 })
    page += Array("[".utf8) + items.joined(separator: Array(",".utf8)) + Array("]".utf8)
    return page
  }

  @Test(arguments: Kind.allCases, seeds(of: 4))
  func equalsOneByOne(kind: Kind, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let items = Self.items(kind, &random)
    let mapper = try Fixture {
      $0.cells = [
        CellDefinition(
          identifier: "Title",
          fields: [.init(name: "title", type: .string), .init(name: "price", type: .number, isOptional: true)]
        )
      ]
      $0.table.cell = mapping("Title", ["title": "${title}", "price": "${price}"])
      if kind == .reading { $0.table.cell = mapping("Title", ["title": "${title} of ${$item}"]) }
      if kind == .grouped { $0.table.sections = .groups(GroupsDefinition(key: expression("group"))) }
    }.mapper()
    let long = mapper.map(["s": .pages([Self.page(items)])])
    let single = mapper.map(["s": .items(items.map { SourceItem(bytes: $0) })])
    #expect(long.sections.map(\.id) == single.sections.map(\.id))
    for (one, other) in zip(long.sections, single.sections) {
      #expect(one.rows.digest == other.rows.digest && one.rows.count == other.rows.count, "seed \(seed)")
    }
    #expect(long.skippedItems == single.skippedItems && long.warnings == single.warnings, "seed \(seed)")
    #expect((long.skippedItems > 0) == [.skipped, .duplicate].contains(kind), "seed \(seed)")
    for place in [0, 17, 1199] {
      #expect(long.item("\(place)")?.hasRow == single.item("\(place)")?.hasRow, "seed \(seed)")
      #expect(long.rows(ofItemAt: place, of: "s").map(\.id) == single.rows(ofItemAt: place, of: "s").map(\.id))
    }
  }

  /// An item that is broken, wherever it stands, costs the whole answer; so does one that is broken where nothing is read.
  @Test(arguments: [0, 600, 1199], [#"{"id":7,"title":"x","unread":tru}"#, #"{"id":7,"title":"x","unread":"\x"}"#])
  func brokenItems(place: Int, item: String) throws {
    var random = SeededGenerator(seed: 1)
    var items = Self.items(.fine, &random)
    items[place] = Array(item.utf8)
    let result = try Fixture().mapper().map(["s": .pages([Self.page(items)])])
    #expect(result.problems.map(\.kind) == [.malformed])
    #expect(result.sections.flatMap(\.rows).isEmpty)
  }
}
