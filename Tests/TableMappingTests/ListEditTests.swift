import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Items that edits have made of those of a response, as the upstream has accepted them: the same to the byte as the mapping
/// of all items one by one, whatever came, went, moved or changed, and with refreshes in between.
@Suite struct ListEditTests {
  /// A response, what edits have made of it, and the same as a plain list.
  private struct Edited {
    var content: SourceContent
    /// With the number by which each goes on to be edited.
    var items: [(number: Int, bytes: [UInt8])]

    init(_ items: [[UInt8]]) {
      content = RandomTable.page(items)
      self.items = items.enumerated().map { ($0, $1) }
    }

    var list: [[UInt8]] { items.map(\.bytes) }

    /// - Parameter isQuiet: rows mostly stay where they are.
    mutating func edit(_ edits: ListEdits, isQuiet: Bool, _ random: inout SeededGenerator) {
      var edits = edits
      defer { content.edits = edits }
      let position = items.indices.randomElement(using: &random)
      switch isQuiet ? 9 : Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        let item = RandomTable.item(&random)
        items.append((edits.append(item), item))
      case 2, 3:
        guard let position else { return }
        edits.remove(items.remove(at: position).number)
      case 4, 5, 6:
        guard let position else { return }
        let was = items.remove(at: position)
        var moving = was
        if Bool.random(using: &random) { moving.bytes = RandomTable.item(&random) }
        let place = Int.random(in: 0...items.count, using: &random)
        var neighbors: [ListEdits.Place] = []
        if place == items.count { neighbors.append(.end) } else { neighbors.append(.before(items[place].number)) }
        if place > 0 { neighbors.append(.after(items[place - 1].number)) }
        let isMoved = edits.move(moving.number, moving.bytes, to: neighbors.randomElement(using: &random) ?? .end)
        items.insert(isMoved ? moving : was, at: isMoved ? place : position)
      default:
        guard let position else { return }
        let staysThere = Int.random(in: 0..<5, using: &random) > 0
        let other = staysThere ? RandomTable.retitled(items[position].bytes, &random) : nil
        items[position].bytes = other ?? RandomTable.item(&random)
        edits.replace(items[position].number, with: items[position].bytes)
      }
    }
  }

  @Test(arguments: seeds(of: 100))
  func whatEditsMakeOfAResponseIsWhatAMappingMakes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let table = try RandomTable(&random, isLocal: false)
    let isQuiet = seed.isMultiple(of: 4)
    var edited = Edited((0..<Int.random(in: 1...40, using: &random)).map { _ in RandomTable.item(&random) })
    var last = table.mapper.map(["s": edited.content, "users": RandomTable.users], variables: RandomTable.variables)
    for step in 0..<25 {
      let words = Comment(rawValue: "seed \(seed), step \(step), \(table.words)")
      if Int.random(in: 0..<8, using: &random) == 0 || last.edits(of: "s", in: edited.content) == nil {
        // What the upstream says then is what the edits have made, and more.
        var items = edited.list
        if let place = items.indices.randomElement(using: &random) { items[place] = RandomTable.item(&random) }
        edited = Edited(items)
        last = table.mapper.map(
          ["s": edited.content, "users": RandomTable.users],
          after: last,
          variables: RandomTable.variables
        )
      }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        guard let edits = edited.content.edits ?? last.edits(of: "s", in: edited.content) else { continue }
        edited.edit(edits, isQuiet: isQuiet, &random)
      }
      let contents = ["s": edited.content, "users": RandomTable.users]
      let one = SourceContent.items(edited.list.map { SourceItem(bytes: $0) })
      let fresh = table.mapper.map(["s": one, "users": RandomTable.users], variables: RandomTable.variables)
      let result = table.mapper.map(contents, after: last, variables: RandomTable.variables)
      let isAlone = edited.content.edits != nil && result.changeCount != nil
      try table.check(result, against: fresh, words)
      #expect(result.items(of: "s").map(\.bytes) == edited.list, words)
      #expect(result.items(of: "s").map(\.row) == fresh.items(of: "s").map(\.row), words)
      #expect(result.unplaced().count == fresh.unplaced().count, words)
      #expect(result.unplaced().first == fresh.unplaced().first, words)
      for (place, item) in edited.items.enumerated() {
        // Numbers are places where there are no edits, or all was mapped.
        let position = isAlone ? item.number : place
        let identity = fresh.identity(ofItemAt: place, of: "s")
        #expect(result.identity(ofItemAt: position, of: "s") == identity, words)
        #expect(result.bytes(ofItemAt: position, of: "s") == item.bytes, words)
        #expect(edited.content.edits.map { $0.place(of: item.number) == place } ?? true, words)
        let rows = fresh.rows(ofItemAt: place, of: "s").map(\.id)
        #expect(result.rows(ofItemAt: position, of: "s").map(\.id) == rows, words)
        let (found, expected) = (identity.flatMap { result.item($0) }, identity.flatMap { fresh.item($0) })
        #expect(found?.bytes == expected?.bytes, words)
        if let number = expected?.position.map({ isAlone ? edited.items[$0].number : $0 }) {
          #expect(found?.position == number, words)
        }
        #expect(found?.permissions == expected?.permissions && found?.hasRow == expected?.hasRow, words)
      }
      last = result
    }
  }

  private static func item(_ number: Int, _ title: String) -> [UInt8] {
    Array(#"{"id":\#(number),"title":"\#(title)"}"#.utf8)
  }

  /// What an edit does to a row costs no other: of a long section the lists share the rest, and what comes next from the
  /// upstream is compared with what it said last.
  @Test func anEditIsLaidOutAlone() throws {
    let mapper = try Fixture().mapper()
    var items = (0..<6000).map { Self.item($0, "one") }
    var content = RandomTable.page(items)
    let variables = MappingVariables()
    let first = mapper.map(["s": content], variables: variables)
    var edits = try #require(first.edits(of: "s", in: content))
    edits.replace(3000, with: Self.item(3000, "two"))
    edits.remove(3010)
    let isMoved = edits.move(3020, items[3020], to: .before(2990))
    let number = edits.append(Self.item(7000, "new"))
    #expect(isMoved && number == 6000)
    content.edits = edits
    let second = mapper.map(["s": content], after: first, variables: variables)
    #expect(second.changeCount == 4)
    let (old, new) = (first.sections[0].rows, second.sections[0].rows)
    #expect(new.count == 6000 && new[2990].id == "3020" && new[5999].id == "7000")
    #expect(new[3001].payload() == #"{"title":"two"}"#)
    let shared = RowList.commonEnds(old, new) { _, _ in false }
    #expect(shared.prefix > 2700)
    #expect(second.item("3000")?.bytes == Self.item(3000, "two") && second.item("3010") == nil)
    // What the upstream then says; the edits are not in it yet.
    items[10] = Self.item(10, "three")
    let page = RandomTable.page(items)
    let third = mapper.map(["s": page], after: second, variables: variables)
    #expect(third.changeCount == 1)
    #expect(third.rows.map { $0.text } == mapper.map(["s": page], variables: variables).rows.map { $0.text })
    #expect(third.item("3000")?.bytes == Self.item(3000, "one"))
    // The identity of another row can't be taken alone, nor can what is no JSON be told of alone.
    for (place, bytes) in [(5, Self.item(6, "x")), (5, Array("[".utf8))] {
      var content = page
      var edits = try #require(third.edits(of: "s", in: content))
      edits.replace(place, with: bytes)
      content.edits = edits
      #expect(mapper.map(["s": content], after: third, variables: variables).changeCount == nil)
    }
  }

  /// Where places count and items see theirs, an edit that moves others is not laid out alone.
  @Test func whatSeesItsPlaceIsMappedAnew() throws {
    let payload = try Template(["title": .string("${title} ${$index}")])
    let mapper = try Fixture { $0.table.cell = CellMapping(cell: "Title", payload: payload) }.mapper()
    let items = (0..<3).map { Self.item($0, "one") }
    var content = RandomTable.page(items)
    let first = mapper.map(["s": content], variables: MappingVariables())
    let edits = try #require(first.edits(of: "s", in: content))
    var replaced = edits
    replaced.replace(1, with: Self.item(1, "two"))
    content.edits = replaced
    let second = mapper.map(["s": content], after: first)
    #expect(second.changeCount == 1)
    #expect(second.rows[1].text.contains("two 1"))
    var removed = edits
    removed.remove(0)
    content.edits = removed
    let all = mapper.map(["s": content], after: first)
    #expect(all.changeCount == nil)
    #expect(all.rows.map(\.id) == ["1", "2"] && all.rows[0].text.contains("one 0"))
  }

  /// Moved to one place again and again, items run out of room: then it is said so, and nothing is in a wrong place.
  @Test func roomBetweenTwoIsUsedUp() throws {
    let mapper = try Fixture().mapper()
    let content = RandomTable.page((0..<100).map { Self.item($0, "one") })
    let first = mapper.map(["s": content], variables: MappingVariables())
    var edits = try #require(first.edits(of: "s", in: content))
    var moves = 0
    while moves < 90, edits.move(99 - moves, Self.item(99 - moves, "one"), to: .after(0)) {
      moves += 1
      #expect(edits.place(of: 99 - moves + 1) == 1)
    }
    #expect((20..<40).contains(moves))
  }
}
