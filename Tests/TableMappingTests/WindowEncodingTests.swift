import JSON
import TableEncoding
import TableModel
import Testing

/// How a table that is cut, and a change of its window, are written.
@Suite struct WindowEncodingTests {
  private static let whole = Table(name: "t", title: "Title", state: .ready, sections: [Section(id: "A", rows: [])])

  @Test func aSnapshotTellsItsWindowBehindItsCounts() throws {
    let cursor = try #require(Cursor("8f2c61d09a4e.42~r50"))
    func snapshot(_ table: Table) -> String {
      var writer = JSONWriter()
      writer.write(snapshot: table, cursor: cursor)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    var cut = Self.whole.cut(to: try #require(WindowRange(50)))
    cut.window?.of = 1000
    let counts = #""counts":{"sections":1,"rows":0,"omittedSections":0,"skippedItems":0}"#
    #expect(snapshot(cut).contains(counts + #","window":{"rows":50,"of":1000}"#))
    #expect(snapshot(cut).contains(#""cursor":"8f2c61d09a4e.42~r50""#))
    #expect(!snapshot(Self.whole).contains("window"))
  }

  @Test func aSectionTellsWhatStandsBeforeTheCut() throws {
    let rows = ["a", "b", "c"].map { id in
      Row(
        id: id,
        encoded: Array(#"{"id":"\#(id)"}"#.utf8),
        cells: CellChain(CellPart(cellIdentifier: "L", payload: 0..<1)),
        permissions: []
      )
    }
    let table = Table(name: "t", title: "Title", state: .ready, sections: [Section(id: "A", rows: rows)])
    var writer = JSONWriter()
    let cut = table.cut(to: try #require(WindowRange(from: 1, through: 1)))
    writer.write(snapshot: cut, cursor: try #require(Cursor("8f2c61d09a4e.42~r1-1")))
    let text = String(decoding: writer.bytes, as: UTF8.self)
    #expect(text.contains(#""sections":[{"id":"A","header":null,"footer":null,"skipped":1,"rows":[{"id":"b"}]}]"#))
    #expect(text.contains(#""window":{"from":1,"rows":1,"of":3}"#))
    for (skipped, expected) in [(0, #","skipped":0"#), (7, #","skipped":7"#), (nil, "")] as [(Int?, String)] {
      var stage = Changeset.Stage()
      stage.sections.update = [.init(at: 0, id: "A", header: nil, footer: nil, skipped: skipped)]
      var writer = JSONWriter()
      writer.write(stages: Changeset(stages: [stage]))
      let text = String(decoding: writer.bytes, as: UTF8.self)
      #expect(text == #"[{"sections":{"update":[{"at":0,"id":"A","header":null,"footer":null\#(expected)}]}}]"#)
    }
  }

  @Test func aStageTellsTheWindowWhereItChanged() throws {
    func stages(_ window: Window??) -> String {
      var stage = Changeset.Stage()
      stage.attributes.window = window
      var writer = JSONWriter()
      writer.write(stages: Changeset(stages: [stage]))
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    let window = Window(try #require(WindowRange(50)), of: 1000)
    #expect(stages(window) == #"[{"window":{"rows":50,"of":1000}}]"#)
    let middle = Window(try #require(WindowRange(from: 100, through: 149)), of: 1000)
    #expect(stages(middle) == #"[{"window":{"from":100,"rows":50,"of":1000}}]"#)
    #expect(stages(.some(nil)) == #"[{"window":null}]"#)
    #expect(stages(nil) == "[{}]")
  }
}
