import TableModel
import TestSupport
import Testing

/// What one version has that another has not, held against a look at every row.
@Suite struct FootprintTests {
  @Test(arguments: seeds(of: 30)) func whatIsNotSharedIsCountedOnce(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var number = 0
    func rows(_ count: Int) -> [Row] {
      (0..<count).map { _ in
        number += 1
        let cell = CellPart(cellIdentifier: "Label", payload: 0..<1)
        return Row(id: "\(number)", encoded: Array("\(number)".utf8), cells: CellChain(cell), permissions: [])
      }
    }
    var lists = (0..<3).map { _ in RowList(rows(Int.random(in: 0..<[100, 9_000][Int(seed % 2)], using: &random))) }
    var old = table(lists)
    #expect(old.footprint(without: nil) == lists.joined().reduce(0) { $0 + $1.footprint })
    #expect(old.rowCount(without: nil) == old.rowCount)
    for step in 0..<30 {
      let isInPlace = Bool.random(using: &random)
      for _ in 0..<Int.random(in: 0..<20, using: &random) {
        let section = Int.random(in: 0..<3, using: &random)
        let start = Int.random(in: 0...lists[section].count, using: &random)
        let end = min(lists[section].count, start + Int.random(in: 0..<4, using: &random))
        let count = isInPlace ? end - start : Int.random(in: 0..<4, using: &random)
        lists[section] = lists[section].replacing(start..<end, with: rows(count))
      }
      if step % 10 == 9 { lists[0] = RowList(rows(Int.random(in: 0..<5_000, using: &random))) }
      let new = table(lists)
      let kept = Set(lists.joined().map(ObjectIdentifier.init))
      let own = old.sections.flatMap(\.rows).filter { !kept.contains(ObjectIdentifier($0)) }
      let (found, expected) = (old.footprint(without: new), own.reduce(0) { $0 + $1.footprint })
      // What has come into another chunk may count as its own.
      let most = expected + (isInPlace ? 0 : 20 * 256 * 400)
      #expect(found >= expected && found <= most, "seed \(seed), step \(step): \(found), not \(expected)")
      let count = old.rowCount(without: new)
      let mostRows = own.count + (isInPlace ? 0 : 20 * 256)
      #expect(count >= own.count && count <= mostRows, "seed \(seed), step \(step): \(count), not \(own.count)")
      old = new
    }
  }

  private func table(_ lists: [RowList]) -> Table {
    Table(
      name: "t",
      title: "T",
      state: .ready,
      sections: lists.enumerated().map { Section(id: "\($0)", header: nil, footer: nil, rows: $1) }
    )
  }
}
