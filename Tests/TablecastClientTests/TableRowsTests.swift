import Testing

@testable import TablecastClient

@Suite struct TableRowsTests {
  private static let pool: [TableRow] = (0..<200).compactMap {
    try? TableRow(JSONText("{\"id\":\"\($0)\",\"cellIdentifier\":\"C\"}"))
  }

  /// Whatever is done to them: the same as a list, and what was copied before stays as it was.
  @Test func theyAreWhatAListWouldBe() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    func some(_ count: Int) -> [TableRow] { (0..<count).compactMap { _ in Self.pool.randomElement(using: &random) } }
    var (rows, list): (TableRows, [TableRow]) = ([], [])
    var former: [(TableRows, [TableRow])] = []
    for round in 0..<4000 {
      let place = Int.random(in: 0...list.count, using: &random)
      let end = Int.random(in: place...min(list.count, place + 40), using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        let new = some(Int.random(in: 0...40, using: &random))
        rows.replaceSubrange(place..<end, with: new)
        list.replaceSubrange(place..<end, with: new)
      case 1 where !list.isEmpty:
        rows.removeSubrange(place..<end)
        list.removeSubrange(place..<end)
      case 2:
        rows.append(contentsOf: Self.pool.prefix(3))
        list.append(contentsOf: Self.pool.prefix(3))
      case 3 where list.count > 200: (rows, list) = (TableRows(list.prefix(place)), Array(list.prefix(place)))
      case 4, 5:
        rows.insert(Self.pool[round % 200], at: place)
        list.insert(Self.pool[round % 200], at: place)
      case 6 where !list.isEmpty: #expect(rows.remove(at: place % list.count) === list.remove(at: place % list.count))
      case _ where !list.isEmpty:
        rows[place % list.count] = Self.pool[round % 200]
        list[place % list.count] = Self.pool[round % 200]
      default: continue
      }
      guard Array(rows) == list, rows.count == list.count, rows == TableRows(list),
        rows.hashValue == TableRows(list).hashValue, rows.last === list.last
      else {
        Issue.record("seed \(seed), round \(round)")
        return
      }
      if round % 100 == 0 { former.append((rows, list)) }
    }
    #expect(former.allSatisfy { Array($0) == $1 }, "seed \(seed)")
  }

  @Test func othersAreNotEqual() {
    let rows = TableRows(Self.pool)
    #expect(rows != TableRows(Self.pool.dropLast()) && rows != TableRows(Self.pool.reversed()))
    #expect(rows == TableRows(Self.pool) && rows.isEmpty == false && TableRows().isEmpty)
  }
}
