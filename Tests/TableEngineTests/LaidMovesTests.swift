import Definitions
import Queues
import TableMapping
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// Moves that an upstream has accepted, laid over its response.
@Suite struct LaidMovesTests {
  /// Items that are moved to one place again and again run out of room there, after some thirty. The next ones move all
  /// the same, and no other ones instead of them.
  @Test func anItemIsMovedWhereNoRoomIsLeft() throws {
    let definition = try ServiceDefinition.read(
      """
      cells: {Label: {fields: {title: string}}}
      sources: {news: {url: "http://127.0.0.1:1/", every: 0s}}
      tables: {t: {source: news, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}}
      """
    )
    let engine = try Engine(definition, .silent(MemoryStore()))
    let writer = try #require(engine.catalog.tablesByName["t"]).writer
    var content = writer.content.queue.sync { writer.content.access { $0 } }
    var rows = (0..<100).map { "\($0)" }
    let items = rows.map { "{\"id\":\($0),\"title\":\"t\"}" }.joined(separator: ",")
    content.inputs["news"]?.content = SourceContent.pages([Array("[\(items)]".utf8)])
    _ = content.table(named: "t")
    for _ in 0..<60 {
      let row = rows.removeLast()
      rows.insert(row, at: 1)
      let position = try #require(content.result?.item(row)?.position)
      let isMoved = content.layMove(at: position, to: .after("0"), over: "news", named: "t")
      #expect(isMoved)
      let table = content.table(named: "t")
      try #require(table.sections.flatMap { $0.rows.map(\.id) } == rows, "row \(row)")
    }
  }
}
