import TableModel
import TestSupport
import Testing

/// A persistent list of rows, held against an array.
@Suite struct RowListTests {
  private static func row(_ number: Int, content: Int = 0) -> Row {
    let text = "\(number) \(content)"
    let cell = CellPart(cellIdentifier: "Label", payload: 0..<1)
    return Row(id: "\(number)", encoded: Array(text.utf8), cells: CellChain(cell), permissions: [])
  }

  private static func rows(_ numbers: Range<Int>) -> [Row] { numbers.map { row($0) } }

  /// Both hold the same objects, by every way of reading, and the digest is that of the array.
  private static func expectSame(_ list: RowList, _ rows: [Row], _ comment: Comment) {
    let same = zip(list, rows).allSatisfy { $0 === $1 }
    #expect(list.count == rows.count && same, comment)
    #expect(list.indices.allSatisfy { list[$0] === rows[$0] && list.keys[$0] == rows[$0].key }, comment)
    #expect(list.digest == RowList(rows).digest, comment)
    check(list.root, isRoot: true, comment)
  }

  /// The rules of the tree.
  private static func check(_ node: RowNode, isRoot: Bool, _ comment: Comment) {
    if node.isChunk {
      #expect(node.count == node.rows.count && node.keys == node.rows.map(\.key), comment)
      #expect(isRoot ? node.count <= 2048 : (64...256).contains(node.count), comment)
      return
    }
    #expect((isRoot ? 2...64 : 16...64).contains(node.children.count), comment)
    #expect(node.count == node.children.reduce(0) { $0 + $1.count }, comment)
    for child in node.children {
      #expect(child.height == node.height - 1, comment)
      check(child, isRoot: false, comment)
    }
  }

  @Test("Of any length", arguments: [0, 1, 2047, 2048, 2049, 5000, 40_000])
  func lengths(count: Int) {
    let rows = Self.rows(0..<count)
    Self.expectSame(RowList(rows), rows, "\(count)")
    for cut in [0, 1, count / 3, count - 1, count, count + 1] where cut >= 0 {
      Self.expectSame(RowList(rows).first(cut), Array(rows.prefix(cut)), "the first \(cut) of \(count)")
    }
  }

  @Test("Other rows in many places", arguments: [1, 2000, 2049, 40_000])
  func replacingMany(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    for changes in [0, 1, 5, count / 50, count] where changes <= count {
      var rows = Self.rows(0..<count)
      let list = RowList(rows)
      let places = Set((0..<changes).map { _ in Int.random(in: 0..<count, using: &random) }).sorted()
      for place in places { rows[place] = Self.row(place, content: 1) }
      Self.expectSame(list.replacing(places.map { ($0, rows[$0]) }), rows, "\(changes) of \(count)")
      Self.expectSame(list, Self.rows(0..<count).enumerated().map { list[$0.offset] }, "as it was")
    }
  }

  @Test("Replaced in many ways, it is what an array is", arguments: 1...6)
  func replacing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // From one chunk to a tree and back, and from nothing.
    var rows = Self.rows(0..<Int.random(in: 0...6000, using: &random))
    var list = RowList(rows)
    var next = 100_000
    for step in 0..<60 {
      let comment: Comment = "seed \(seed), step \(step)"
      let start = Int.random(in: 0...rows.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where !rows.isEmpty:
        let index = min(start, rows.count - 1)
        rows[index] = Self.row(next)
        list = list.replacing(index, with: rows[index])
      case 1:
        rows.insert(Self.row(next), at: start)
        list = list.inserting(rows[start], at: start)
      case 2 where !rows.isEmpty:
        let index = min(start, rows.count - 1)
        rows.remove(at: index)
        list = list.removing(at: index)
      default:
        let end = Int.random(in: start...rows.count, using: &random)
        // Mostly short, so that the list stays long.
        let range = start..<(Int.random(in: 0..<3, using: &random) == 0 ? end : min(end, start + 700))
        let new = Self.rows(next..<next + Int.random(in: 0...1500, using: &random))
        rows.replaceSubrange(range, with: new)
        list = list.replacing(range, with: new)
      }
      next += 10_000
      Self.expectSame(list, rows, comment)
    }
  }

  @Test func growsAndShrinksARowAtATime() {
    var list = RowList(Self.rows(0..<2040))
    var rows = Array(list)
    for number in 0..<1200 {
      let row = Self.row(10_000 + number)
      rows.insert(row, at: number)
      list = list.inserting(row, at: number)
    }
    Self.expectSame(list, rows, "grown")
    while rows.count > 900 {
      rows.remove(at: rows.count / 2)
      list = list.removing(at: list.count / 2)
    }
    Self.expectSame(list, rows, "shrunk")
  }

  @Test("An edit of a long list shares all but the way to it") func sharing() {
    let list = RowList(Self.rows(0..<100_000))
    for edited in [
      list.replacing(50_000, with: Self.row(-1)), list.inserting(Self.row(-1), at: 77), list.removing(at: 99_999),
    ] {
      var (shared, all) = (0, 0)
      let old = Self.nodes(list.root)
      for node in Self.nodes(edited.root) {
        all += 1
        if old.contains(node) { shared += 1 }
      }
      #expect(all - shared <= 8, "\(all - shared) of \(all) are new")
    }
  }

  private static func nodes(_ node: RowNode) -> Set<ObjectIdentifier> {
    node.children.reduce(into: [ObjectIdentifier(node)]) { $0.formUnion(nodes($1)) }
  }

  @Test("Made anew from the same rows, it shares the chunks that have not changed", arguments: 1...4)
  func sharingWithAnother(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let list = RowList(Self.rows(0..<20_000))
    var rows = Array(list)
    for number in 0..<8 {
      let index = Int.random(in: 0..<rows.count, using: &random)
      switch number % 3 {
      case 0: rows[index] = Self.row(-number - 1)
      case 1: rows.insert(Self.row(-number - 1), at: index)
      default: rows.remove(at: index)
      }
    }
    let made = RowList(rows, sharing: list)
    Self.expectSame(made, rows, "seed \(seed)")
    let chunks = Self.chunks(list.root)
    #expect(Self.chunks(made.root).subtracting(chunks).count <= 24 && chunks.count >= 39, "seed \(seed)")
    let short = RowList(Self.rows(0..<10))
    #expect(RowList(Array(short), sharing: short).root === short.root)
    Self.expectSame(RowList(rows, sharing: short), rows, "a long one with a short one")
    Self.expectSame(RowList(Array(short), sharing: list), Array(short), "a short one with a long one")
  }

  private static func chunks(_ node: RowNode) -> Set<ObjectIdentifier> {
    node.isChunk ? [ObjectIdentifier(node)] : node.children.reduce(into: []) { $0.formUnion(chunks($1)) }
  }

  @Test("The first difference, whether or not anything is shared", arguments: [10, 2048, 2049, 30_000])
  func firstDifference(count: Int) {
    let rows = Self.rows(0..<count)
    let list = RowList(rows)
    #expect(RowList.firstDifference(list, RowList(rows)) == nil)
    for index in [0, 1, count / 2, count - 1] {
      var changed = rows
      changed[index] = Self.row(index, content: 1)
      #expect(RowList.firstDifference(list, RowList(changed)) == index)
      #expect(RowList.firstDifference(list.replacing(index, with: changed[index]), list) == index)
      #expect(RowList.firstDifference(list, list.removing(at: index)) == index)
      #expect(RowList.firstDifference(list, list.inserting(changed[index], at: index)) == index)
      #expect(RowList.firstDifference(list.first(index), list) == index)
    }
    #expect(RowList.firstDifference(list, list.inserting(Self.row(-1), at: count)) == count)
  }

  @Test("What two lists have in common at both ends", arguments: 1...4)
  func commonEnds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let rows = Self.rows(0..<Int.random(in: 0...9000, using: &random))
      let list = RowList(rows)
      let start = Int.random(in: 0...rows.count, using: &random)
      let range = start..<min(rows.count, start + Int.random(in: 0...40, using: &random))
      let new = Self.rows(-Int.random(in: 1...30, using: &random)..<0)
      for other in [
        list.replacing(range, with: new), RowList(Array(list.replacing(range, with: new))),
        list.replacing(range, with: []),
      ] {
        var asked = 0
        let ends = RowList.commonEnds(list, other) { one, other in
          asked += 1
          return one === other
        }
        let shorter = min(list.count, other.count)
        let prefix = (0..<shorter).first { list[$0] !== other[$0] } ?? shorter
        #expect(ends.prefix == prefix)
        #expect(ends.suffix == min(shorter - prefix, list.count - range.upperBound), "seed \(seed)")
      }
    }
  }
}

@Suite struct TableSharingTests {
  private static func rows(_ numbers: Range<Int>) -> [Row] {
    numbers.map {
      Row(
        id: "\($0)",
        encoded: Array("\($0)".utf8),
        cells: CellChain(CellPart(cellIdentifier: "Label", payload: 0..<1)),
        permissions: []
      )
    }
  }

  private static func table(_ sections: [[Row]]) -> Table {
    let sections = sections.enumerated().map { Section(id: "\($0)", rows: $1) }
    return Table(name: "t", title: "Title", state: .ready, sections: sections)
  }

  @Test("A version that was made anew shares with the one before it") func sharing() {
    let rows = Self.rows(0..<9000)
    let old = Self.table([rows, Array(rows[..<20])])
    var changed = rows
    changed.remove(at: 4500)
    let new = Self.table([changed, Array(rows[..<19])]).sharing(with: old)
    #expect(Table.same(new, Self.table([changed, Array(rows[..<19])])) && new.rowCount == 9018)
    var asked = 0
    _ = RowList.commonEnds(old.sections[0].rows, new.sections[0].rows) { one, other in
      asked += 1
      return one === other
    }
    #expect(asked < 1024)
    #expect(new.sharing(with: old).sections[0] === new.sections[0], "what shares already stays as it is")
  }

  @Test("Sections whose identities only look the same share each with its own") func sharingByBytes() {
    let ids = ["\u{E9}", "e\u{301}"]
    let rows = ids.indices.map { Self.rows($0 * 9000..<($0 + 1) * 9000) }
    func table(_ rows: [[Row]]) -> Table {
      let sections = zip(ids, rows).map { Section(id: $0, rows: $1) }
      return Table(name: "t", title: "Title", state: .ready, sections: sections)
    }
    let old = table(rows)
    let new = table(rows.map { Array($0[..<4500] + $0[4501...]) }).sharing(with: old)
    for (one, other) in zip(old.sections, new.sections) {
      var asked = 0
      _ = RowList.commonEnds(one.rows, other.rows) { one, other in
        asked += 1
        return one === other
      }
      #expect(asked < 1024)
    }
  }

  @Test("Every row is found where it stands, and none that is not there", arguments: [1, 40, 2048, 2049, 30_000])
  func indexPaths(count: Int) {
    let rows = Self.rows(0..<count)
    var table = Self.table([Self.rows(-40 ..< -20), rows])
    for round in 0..<3 {
      let list = table.sections[1].rows
      for row in stride(from: 0, to: list.count, by: max(1, list.count / 500)) {
        #expect(table.indexPath(of: list[row].id) == IndexPath(section: 1, row: row))
      }
      #expect(table.indexPath(of: "-20") == nil && table.indexPath(of: "-30") == IndexPath(section: 0, row: 10))
      // What is asked of one version is no other's answer.
      let edited = list.inserting(Self.rows(-100 - round ..< -99 - round)[0], at: list.count)
      table.sections[1] = Section(id: "1", rows: edited.removing(at: 0))
      #expect(table.indexPath(of: list[0].id) == nil)
    }
  }

  @Test("Rows with one fingerprint are told apart, and many with one identity are no trouble") func collisions() {
    let rows = (0..<3000).map { number in
      Row(
        id: "\(number % 1500)",
        encoded: [],
        cells: CellChain(CellPart(cellIdentifier: "Label", payload: 0..<0)),
        permissions: [],
        key: RowKey(identity: Fingerprint(rawValue: UInt64(number % 1500) / 4), content: ContentDigest(of: []))
      )
    }
    let list = RowList(rows)
    #expect((0..<8).allSatisfy { list.firstIndex(of: "\($0)", Fingerprint(rawValue: UInt64($0) / 4)) == $0 })
    let same = RowList([Row](repeating: rows[0], count: 100_000))
    #expect(same.firstIndex(of: "0", Fingerprint(rawValue: 0)) == 0)
    #expect(same.firstIndex(of: "1", Fingerprint(rawValue: 0)) == nil)
  }
}

@Suite struct RowsDigestTests {
  private static func list(_ keys: [RowKey]) -> RowsDigest {
    RowList(
      keys.map {
        Row(
          id: "",
          encoded: [],
          cells: CellChain(CellPart(cellIdentifier: "", payload: 0..<0)),
          permissions: [],
          key: $0
        )
      }
    ).digest
  }

  @Test("Order, number and every bit of a key count") func everythingCounts() {
    let zero = RowKey(identity: Fingerprint(rawValue: 0), content: ContentDigest(of: []))
    let keys = (0..<50).map { number in
      RowKey(identity: Fingerprint(rawValue: 1 << UInt64(number)), content: ContentDigest(of: [UInt8(number)]))
    }
    var digests = Set((0...50).map { Self.list(Array(keys.prefix($0))) })
    #expect(digests.count == 51)
    for index in 0..<49 {
      var other = keys
      other.swapAt(index, index + 1)
      digests.insert(Self.list(other))
      other = keys
      other[index] = zero
      digests.insert(Self.list(other))
      other = keys
      other[index] = RowKey(identity: keys[index].identity, content: zero.content)
      digests.insert(Self.list(other))
      other[index] = RowKey(identity: zero.identity, content: keys[index].content)
      digests.insert(Self.list(other))
    }
    #expect(digests.count == 51 + 49 * 4)
    #expect(Set((0..<20).map { Self.list([RowKey](repeating: zero, count: $0)) }).count == 20)
  }
}
