import TableModel
import Testing

@testable import TableEngine

/// Changes that are kept for whoever asks next.
@Suite struct FewChangesTests {
  private static func row(_ number: Int, _ text: String = "") -> Row {
    Row(
      id: "r\(number)",
      encoded: Array("r\(number)\(text)".utf8),
      cells: CellChain(CellPart(cellIdentifier: "Label", payload: 0..<1)),
      permissions: []
    )
  }

  /// Each window keeps its own list of rows: of long ones there are fewer.
  @Test func longWindowsAreBoundedByTheirMemory() throws {
    var rows = (0..<3_000).map { Self.row($0) }
    let old = Table(name: "t", title: "T", state: .ready, sections: [Section(id: "s", rows: rows)])
    rows[1_500] = Self.row(1_500, " changed")
    let new = Table(name: "t", title: "T", state: .ready, sections: [Section(id: "s", rows: rows)])
    let epoch = Epoch(rawValue: 7)
    var few = FewChanges(name: "t")
    for from in 0..<100 {
      let window = try #require(WindowRange(from: from, rows: 2_048))
      let key = SharedChanges.Key(
        from: .init(version: Cursor(epoch: epoch, version: 1), rows: window),
        to: .init(version: Cursor(epoch: epoch, version: 2), rows: window)
      )
      few.note(SharedChanges(from: old.cut(to: window), to: new.cut(to: window)), for: key)
      #expect(few[key] != nil && few.byteCount >= 2_048 * 32 && few.byteCount <= FewChanges.maximumBytes)
    }
    few.retire(before: Cursor(epoch: epoch, version: 2))
    #expect(few.byteCount > 0)
    few.retire(before: Cursor(epoch: epoch, version: 3))
    #expect(few.byteCount == 0)
  }
}
