import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Rows of what stands in the lists of a source's items.
@Suite struct ExpandingTests {
  private func mapper(
    _ title: String = "${title} of ${$parent.name}",
    id: String = "${$parent.id}-${id}",
    maxItems: Int = 1000,
    _ change: (inout Fixture) throws -> Void = { _ in }
  ) throws -> TableMapper {
    var fixture = Fixture()
    fixture.table.items = try Expression("cards")
    fixture.table.rowID = try Template(text: id)
    fixture.table.cell = CellMapping(cell: "Title", payload: try Template(["title": .string(title)]))
    var upstream = UpstreamDefinition(url: try Template(text: "https://x.example"))
    (upstream.items, upstream.maxItems) = (try Expression("boards"), maxItems)
    fixture.sources = [SourceDefinition(name: "s", kind: .upstream(upstream))]
    try change(&fixture)
    return try fixture.mapper()
  }

  private func content(_ boards: String) -> [String: SourceContent] {
    ["s": .pages([Array("{\"boards\":[\(boards)]}".utf8)])]
  }

  private func titles(_ result: MappingResult) -> [String] {
    result.rows.map { String($0.payload().dropFirst(#"{"title":""#.count).dropLast(2)) }
  }

  /// Sections, rows and what these show.
  private func shown(_ result: MappingResult) -> [[String]] {
    result.sections.map { section in [section.id] + section.rows.map { "\($0.id) \($0.payload())" } }
  }

  private let boards = #"""
    {"id":1,"name":"A","cards":[{"id":1,"title":"a"},{"id":2,"title":"b"}]},{"id":2,"name":"B","cards":[]},
    {"id":3,"name":"C","cards":[{"id":1,"title":"c"}]}
    """#

  @Test func rowsAreWhatStandsInTheLists() throws {
    let result = try mapper().map(content(boards))
    #expect(result.rows.map(\.id) == ["1-1", "1-2", "3-1"] && titles(result) == ["a of A", "b of A", "c of C"])
    #expect(result.problems.isEmpty && result.skippedItems == 0 && !result.isTruncated)
    #expect(result.item("1-2").map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"id":2,"title":"b"}"#)
    #expect(result.parent(of: "3-1").flatMap { try? JSONValue(parsing: $0)["name"] } == "C")
    #expect(result.parent(of: "9-9") == nil)
  }

  @Test func whatIsWrongIsSkippedAndSaid() throws {
    let result = try mapper(id: "${id}").map(
      content(
        boards + #",{"id":4,"name":"D"},{"id":5,"name":"E","cards":{"id":9}},{"id":6,"cards":[{"id":7,"title":"g"}]}"#
      )
    )
    #expect(result.rows.map(\.id) == ["1", "2", "7"])
    #expect(result.skippedItems == 3, "a duplicate and two that have no list")
    let reasons = result.skipped.map(\.reason)
    #expect(
      reasons.contains { $0.contains("`items`: “cards” is null; a list is expected; write `${cards ?? []}`") },
      "\(reasons)"
    )
    #expect(reasons.contains { $0.contains("`items`: “cards” is") && !$0.contains("null") }, "\(reasons)")
  }

  /// A change of a board makes its own rows anew, and no other.
  @Test func aRefreshMapsTheChangedListsAlone() throws {
    let mapper = try mapper()
    let first = mapper.map(content(boards))
    let again = mapper.map(
      content(boards + #",{"id":4,"name":"D","cards":[{"id":1,"title":"d"}]}"#),
      after: first
    )
    #expect(zip(first.rows, again.rows).allSatisfy { $0 === $1 } && again.rows.count == 4)
    let renamed = mapper.map(content(boards.replacing("\"A\"", with: "\"AA\"")), after: again)
    #expect(titles(renamed) == ["a of AA", "b of AA", "c of C"] && renamed.rows[2] === first.rows[2])
    let none = mapper.map(content(""), after: renamed)
    #expect(none.rows.isEmpty)
  }

  @Test func boundedByMaxItems() throws {
    let result = try mapper(maxItems: 2).map(content(boards))
    #expect(result.rows.count == 2 && result.isTruncated)
    let many = (0..<100).map { "{\"id\":\($0),\"name\":\"n\",\"cards\":[{\"id\":1,\"title\":\"t\"}]}" }.joined(
      separator: ","
    )
    #expect(try mapper(maxItems: 30).map(content(many)).rows.count == 30)
  }

  /// What `maxItems` has cut off comes back when there is room for it, though its board has not changed.
  @Test func aCutListIsNotTakenForAWholeOne() throws {
    let mapper = try mapper(maxItems: 4)
    func boards(cards: Int...) -> [String: SourceContent] {
      let boards = cards.enumerated().map { board, count in
        let cards = (1...count).map { "{\"id\":\($0),\"title\":\"t\"}" }.joined(separator: ",")
        return "{\"id\":\(board),\"name\":\"n\",\"cards\":[\(cards)]}"
      }
      return content(boards.joined(separator: ","))
    }
    let cut = mapper.map(boards(cards: 3, 3))
    #expect(cut.rows.map(\.id) == ["0-1", "0-2", "0-3", "1-1"] && cut.isTruncated)
    #expect(cut.parent(of: "1-1").flatMap { try? JSONValue(parsing: $0)["id"] } == 1)
    let whole = mapper.map(boards(cards: 1, 3), after: cut)
    #expect(whole.rows.map(\.id) == ["0-1", "1-1", "1-2", "1-3"] && !whole.isTruncated)
    let again = mapper.map(boards(cards: 2, 3), after: whole)
    #expect(again.rows.map(\.id) == ["0-1", "0-2", "1-1", "1-2"] && again.isTruncated)
  }

  /// With a cache the result is what it is without one, whatever changes and wherever `maxItems` cuts; sections, sorts
  /// and lookups see `$parent`.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func withACacheTheResultIsTheSame(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let maxItems = Bool.random(using: &random) ? 1000 : Int.random(in: 1...40, using: &random)
    let mapper = try mapper(maxItems: maxItems) { fixture in
      var open = SectionDefinition(id: "open")
      open.predicate = try Expression("$parent.id % 2 == 0")
      open.sort = [SortDefinition(key: try Expression("$parent.name"))]
      fixture.table.sections = .list([open, SectionDefinition(id: "rest")], firstMatch: true)
      fixture.table.lookups = [
        LookupDefinition(name: "user", source: "users", key: try Expression("id"), on: try Expression("$parent.owner"))
      ]
      let payload = try Template(["title": .string("${title} ${$parent.name} ${$user.name}")], lookups: ["user"])
      fixture.table.cell = CellMapping(cell: "Title", payload: payload)
    }
    var last: MappingResult?
    var boards = (0..<20).map { board in
      "{\"id\":\(board),\"name\":\"n\",\"owner\":\(board % 3),\"cards\":[{\"id\":1,\"title\":\"x\"},{\"id\":2,\"title\":\"y\"}]}"
    }
    for round in 0..<10 {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0..<boards.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: boards.insert(boards.remove(at: place), at: 0)
        case 1: boards[place] = "{\"id\":\(100 + round),\"cards\":null}"
        case 2: boards[place] = boards[place].replacing("\"n", with: "\"n\(round)")
        default: boards[place] = boards[place].replacing("[{", with: "[{\"new\":\(round),")
        }
      }
      var contents = content(boards.joined(separator: ","))
      contents["users"] = .pages([Array("[{\"id\":1,\"name\":\"u\(round / 3)\"}]".utf8)])
      let cached = mapper.map(contents, after: last)
      let fresh = mapper.map(contents)
      #expect(
        shown(cached) == shown(fresh) && cached.skippedItems == fresh.skippedItems,
        "seed \(seed), round \(round)"
      )
      #expect(cached.isTruncated == fresh.isTruncated, "seed \(seed), round \(round)")
      last = cached
    }
  }
}
