import Testing

@testable import TablecastClient

/// Differences that this client makes itself, applied by the strict mirror.
@Suite struct TableDifferenceTests {
  @Test func stagesLeadFromOneTableToAnother() throws {
    for seed in UInt64(0)..<2000 {
      var random = SplitMix64(seed: seed)
      let (old, new) = (sections(&random), sections(&random))
      var state = old
      let stages = [TableStage](from: old, to: new)
      for stage in stages {
        state = try #require(stage.applied(to: state), "seed \(seed): \(stage)")
      }
      #expect(state == new, "seed \(seed)")
      #expect(stages.count <= 3)
      #expect([TableStage](from: new, to: new).isEmpty)
    }
  }

  @Test func aMovedRowIsOneMove() throws {
    let (old, new) = ([section("s", [1, 2, 3, 4])], [section("s", [2, 3, 4, 1])])
    let stages = [TableStage](from: old, to: new)
    #expect(stages.count == 1)
    #expect(stages.first?.movedRows.map(\.id) == ["1"])
    #expect(stages.first?.insertedRows.isEmpty == true)
  }

  private func sections(_ random: inout SplitMix64) -> [TableSection] {
    var rows = Array(0..<12).shuffled(using: &random)
    return Array(0..<5).shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)).map { id in
      let count = min(rows.count, Int.random(in: 0...4, using: &random))
      let taken = rows.prefix(count)
      rows.removeFirst(count)
      return section("s\(id)", Array(taken), text: Int.random(in: 0...1, using: &random))
    }
  }

  private func section(_ id: String, _ rows: [Int], text: Int = 0) -> TableSection {
    var section = TableSection(id: id)
    let json = rows.map { "{\"id\":\"\($0)\",\"cellIdentifier\":\"C\",\"payload\":{\"title\":\"\(text)\"}}" }
    section.rows = TableRows(json.compactMap { try? TableRow(JSONText($0)) })
    return section
  }
}
