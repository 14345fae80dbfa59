import TableModel
import TestSupport
import Testing

@testable import TableStore

@Suite struct RowsBeingReadTests {
  /// What is read of a section by runs: the rows that they say, and of a long one what is as it was is shared.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func rowsReadByRuns(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let base = RowList((0..<Int.random(in: 0...4000, using: &generator)).map { row("r\($0)") })
    var (read, expected): (RowsBeingRead, [TableModel.Row]) = (RowsBeingRead(onto: base), [])
    for number in 0..<Int.random(in: 0...12, using: &generator) {
      if Bool.random(using: &generator) {
        expected.append(row("n\(number)"))
        read.append([expected[expected.count - 1]])
      } else {
        let start = Int.random(in: 0...base.count, using: &generator)
        let longest = [3, 70, base.count].randomElement(using: &generator) ?? 0
        let end = min(base.count, start + Int.random(in: 0...longest, using: &generator))
        read.append(start..<end)
        expected += base[start..<end]
      }
    }
    #expect(read.list.map { $0.id } == expected.map { $0.id }, "seed \(seed)")
  }

  /// Identifiers that are the same characters in other bytes stay what they are.
  @Test func identifiersComeBackAsTheyWereSpelled() {
    var names = NameTable()
    for name in ["\u{E9}", "e\u{301}", "\u{E9}"] { #expect(Array(names.shared(name).utf8) == Array(name.utf8)) }
  }

  @Test func whatIsReadSharesWhatIsAsItWas() {
    let base = RowList((0..<6000).map { row("r\($0)") })
    var read = RowsBeingRead(onto: base)
    read.append(0..<3000)
    read.append([row("new")])
    read.append(3001..<6000)
    let shared = RowList.commonEnds(base, read.list) { _, _ in false }
    #expect(shared.prefix > 2700 && shared.suffix > 2700)
  }

  /// Rows that take others' places, one by one and side by side, at the list's ends too, beside some that come and go.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func rowsReadInPlace(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let base = RowList((0..<Int.random(in: 100...9000, using: &generator)).map { row("r\($0)") })
    var (read, expected): (RowsBeingRead, [TableModel.Row]) = (RowsBeingRead(onto: base), [])
    var place = 0
    while place < base.count {
      let kept = [0, 1, 64, 300].randomElement(using: &generator) ?? 0
      let end = min(base.count, place + kept)
      read.append(place..<end)
      expected += base[place..<end]
      let others = [1, 1, 1, 5, 400].randomElement(using: &generator) ?? 1
      let new = (0..<min(others, base.count - end)).map { row("n\(end + $0)") }
      read.append(new)
      expected += new
      place = end + new.count
      if Int.random(in: 0..<8, using: &generator) == 0 { place = min(base.count, place + 3) }
    }
    let list = read.list
    #expect(list.map { $0.id } == expected.map { $0.id }, "seed \(seed)")
    #expect(expected.indices.allSatisfy { list.firstIndex(of: expected[$0].id, expected[$0].key.identity) == $0 })
  }
}
