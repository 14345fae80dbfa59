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
    var cut = Self.whole.cut(after: try #require(WindowSize(50)))
    cut.window?.of = 1000
    let counts = #""counts":{"sections":1,"rows":0,"omittedSections":0,"skippedItems":0}"#
    #expect(snapshot(cut).contains(counts + #","window":{"rows":50,"of":1000}"#))
    #expect(snapshot(cut).contains(#""cursor":"8f2c61d09a4e.42~r50""#))
    #expect(!snapshot(Self.whole).contains("window"))
  }

  @Test func aStageTellsTheWindowWhereItChanged() throws {
    func stages(_ window: Window??) -> String {
      var stage = Changeset.Stage()
      stage.attributes.window = window
      var writer = JSONWriter()
      writer.write(stages: Changeset(stages: [stage]))
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    let window = Window(rows: try #require(WindowSize(50)), of: 1000)
    #expect(stages(window) == #"[{"window":{"rows":50,"of":1000}}]"#)
    #expect(stages(.some(nil)) == #"[{"window":null}]"#)
    #expect(stages(nil) == "[{}]")
  }
}
