import Definitions
import TableFinding
import TableModel
import TestSupport
import Testing

@testable import TableEngine

/// Rows in other cells than their own: each made once for all sets of cells that show it so, and counted.
@Suite struct DrawnRowsTests {
  private func row(_ id: Int, bytes: Int = 10) -> Row {
    let payload = "{\"title\":\"\(String(repeating: "x", count: bytes))\"}"
    let text = """
      {"id":"\(id)","cellIdentifier":"A","payload":\(payload),"can":{"edit":false,"move":false,"select":true},\
      "fallback":{"cellIdentifier":"B","payload":\(payload)}}
      """
    func part(_ cell: String, from place: Int) -> CellPart {
      let bytes = Array(text.utf8)
      let start = (place..<bytes.count).first { bytes[$0...].starts(with: payload.utf8) } ?? 0
      return CellPart(cellIdentifier: cell, payload: start..<start + payload.utf8.count)
    }
    let first = part("A", from: 0)
    let chain = CellChain(first, fallbacks: [part("B", from: first.payload.upperBound)])
    return Row(id: "\(id)", encoded: Array(text.utf8), cells: chain, permissions: .select)
  }

  private func registry(_ memory: FindMemory, others: Int = 40) -> (CellRegistry, DrawnRows) {
    let cells = ["A", "B"] + (0..<others).map { "Other\($0)" }
    let drawn = DrawnRows(memory)
    return (CellRegistry(cells.map { CellDefinition(identifier: $0) }).keeping(drawn), drawn)
  }

  private func set(_ registry: CellRegistry, _ cells: [String]) throws -> RowAppearance {
    try #require(registry.appearance(try AcceptedCells(cells)))
  }

  @Test func setsThatShowARowAlikeShareIt() throws {
    let (registry, drawn) = registry(FindMemory(maximumBytes: 1 << 30))
    let accepted = try set(registry, ["B"])
    let rows = (0..<100).map { row($0) }
    let first = rows.map { registry.variant(of: $0, accepted) }
    let bytes = drawn.byteCount
    #expect(bytes >= first.reduce(0) { $0 + $1.footprint })
    for number in 0..<40 {
      let accepted = try set(registry, ["B", "Other\(number)"])
      #expect(zip(rows, first).allSatisfy { registry.variant(of: $0, accepted) === $1 })
      #expect(rows.allSatisfy { registry.variant(of: $0, accepted).cellIdentifier == "B" })
    }
    #expect(drawn.byteCount == bytes)
    // What is shown as it is takes nothing.
    let own = try set(registry, ["A", "Other1"])
    #expect(rows.allSatisfy { registry.variant(of: $0, own) === $0 } && drawn.byteCount == bytes)
  }

  /// However many rows there are, and whatever is done with them.
  @Test(arguments: seeds(of: 4))
  func whatIsHeldIsCounted(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let memory = FindMemory(maximumBytes: 1 << 20)
    let (registry, drawn) = registry(memory)
    let accepted = try set(registry, ["B"])
    var held: [Row] = []
    for number in 0..<3_000 {
      held.append(row(number, bytes: Int.random(in: 1..<2_000, using: &generator)))
      let shown = registry.variant(of: held[Int.random(in: held.indices, using: &generator)], accepted)
      #expect(shown.cellIdentifier == "B", "seed \(seed)")
      if number.isMultiple(of: 50) { drawn.charge() }
      if number.isMultiple(of: 100) { drawn.retire(rows: 10) }
      #expect(drawn.byteCount <= 2 * DrawnRows.maximumBytes && memory.byteCount <= 8 << 20, "seed \(seed)")
    }
    drawn.removeAll()
    #expect(drawn.byteCount == 0 && memory.byteCount == 0)
  }

  @Test func whatAllTablesKeepIsBoundedTogether() throws {
    let memory = FindMemory(maximumBytes: 100_000)
    let tables = (0..<10).map { _ in registry(memory) }
    for (registry, drawn) in tables {
      let accepted = try set(registry, ["B"])
      for number in 0..<40 { _ = registry.variant(of: row(number), accepted) }
      drawn.charge()
    }
    #expect(memory.byteCount <= 100_000)
    #expect(tables[0].1.byteCount == 0 && tables[9].1.byteCount > 0)
  }
}
