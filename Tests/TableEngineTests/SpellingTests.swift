import Definitions
import Dispatch
import FieldValues
import JSON
import Queues
import TableMapping
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// Texts are compared by their bytes. Swift's strings hold the two spellings of “é” equal.
@Suite struct SpellingTests {
  private let composed = "\u{E9}"
  private let decomposed = "e\u{301}"

  /// The sections, each as its identity and those of its rows.
  private func groups(_ table: Table) -> [[ByteText]] { spelled(table.sections.map { [$0.id] + $0.rows.map(\.id) }) }

  private func spelled(_ texts: [[String]]) -> [[ByteText]] { texts.map { $0.map { ByteText($0) } } }

  /// Items in two groups whose names differ only in spelling.
  private func grouped(_ more: String = "row: {id: \"${n}\"}") throws -> EditSnapshot {
    let items = [("a", composed), ("b", composed), ("c", decomposed)].map { "{n: \($0), title: T, g: \($1)}" }
    return try BatchTests.table(
      """
      source: {local: {items: [\(items.joined(separator: ", "))]}}
      \(more)
      sections: {groupBy: g}
      """
    )
  }

  @Test func aMoveIntoTheOtherGroupIsMade() throws {
    let table = try grouped()
    let places: [EditPlace] = [.section(decomposed, at: nil), .section(decomposed, at: 1), .after("c")]
    for place in places {
      let session = EditSession(on: table, named: "t")
      #expect(try session.apply([.move(row: "a", place)]) == ["a"])
      #expect(groups(session.table) == spelled([[composed, "b"], [decomposed, "c", "a"]]), "\(place)")
    }
  }

  /// A put into the other group is a move: the row's `can.move` counts.
  @Test func aPutIntoTheOtherGroupIsAMove() throws {
    let session = EditSession(on: try grouped("can: {edit: true, move: false}"), named: "t")
    #expect(throws: EditSession.Refusal.self) {
      try session.apply([.put(row: "2", item: ["title": "B"], .section(decomposed, at: 0), .none)])
    }
  }

  @Test func aDeclaredSectionIsNamedAsItIsSpelled() throws {
    let table = try BatchTests.table(
      """
      source: {local: {items: [{title: A, done: false}]}}
      sections: [{id: \(composed), where: "!done"}, {id: done, where: done}]
      """
    )
    let (known, unknown) = (EditSession(on: table, named: "t"), EditSession(on: table, named: "t"))
    #expect(try known.apply([.move(row: "1", .section(composed, at: 0))]) == ["1"])
    #expect(throws: EditSession.Refusal.self) { try unknown.apply([.move(row: "1", .section(decomposed, at: 0))]) }
  }

  @Test func aRowIsPlacedBesideItsTwin() throws {
    let table = try BatchTests.table(
      """
      source: {local: {items: [{n: \(composed), title: T}, {n: \(decomposed), title: T}]}}
      row: {id: "${n}"}
      """
    )
    let session = EditSession(on: table, named: "t")
    _ = try session.apply([.move(row: composed, .after(decomposed))])
    #expect(session.table.sections.map { $0.rows.map { ByteText($0.id) } } == spelled([[decomposed, composed]]))
  }

  /// The places of an upstream's items, where all of them are laid over its response.
  @Test func placesAmongAllItems() throws {
    let sections = try grouped().table.sections
    let places: [(EditPlace, [String], Int)] = [
      (.before(decomposed), [composed, decomposed], 1), (.after(decomposed), ["x", composed, decomposed], 3),
      (.section(decomposed, at: 0), ["a", "b", "c"], 2), (.section(composed, at: 1), ["a", "b", "c"], 1),
    ]
    for (place, rows, index) in places {
      #expect(place.index(among: rows, in: sections, naming: { $0 }) == index, "\(place)")
    }
  }

  // MARK: Represented objects

  /// The content of a table of an upstream's items, which has not answered yet.
  private func content(_ more: String) throws -> TableContent {
    let definition = try ServiceDefinition.read(
      """
      cells: {Label: {fields: {title: string}}}
      sources:
        news: {url: "http://127.0.0.1:1/", every: 0s}
        other: {url: "http://127.0.0.1:2/", every: 0s}
      tables:
        t:
          source: news
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          sections: \(more)
      """
    )
    let writer = try #require(try Engine(definition, .silent(MemoryStore())).catalog.tablesByName["t"]).writer
    return writer.content.queue.sync { writer.content.access { $0 } }
  }

  /// An upstream's answer: items with titles, in groups.
  private func answer(_ items: [(id: String, title: String, group: String)]) -> SourceContent {
    let items = items.map { item -> JSONValue in
      ["id": .string(item.id), "title": .string(item.title), "g": .string(item.group)]
    }
    return SourceContent.pages([JSONValue.array(items).bytes])
  }

  @Test func objectsOfRowsThatStayAreKept() throws {
    var content = try content("{groupBy: g}")
    content.inputs["news"]?.content = answer([("a", "A", composed), ("b", "B", decomposed)])
    let sections = content.table(named: "t").sections
    try #require(sections.map(\.rows.count) == [1, 1])
    let changes = content.objectChanges(from: sections, to: sections)
    #expect(changes.map(\.row) == [])
  }

  @Test func objectsOfAllRowsThatAreGoneGo() throws {
    var content = try content("[{id: rows}]")
    content.inputs["news"]?.content = answer([(composed, "A", ""), (decomposed, "B", ""), ("c", "C", "")])
    let before = content.table(named: "t").sections
    content.inputs["news"]?.content = answer([("c", "C", "")])
    let after = content.table(named: "t").sections
    let gone = content.objectChanges(from: before, to: after).filter { $0.bytes == nil }
    #expect(Set(gone.map { ByteText($0.row) }) == Set([composed, decomposed].map { ByteText($0) }))
  }

  @Test func eachRestoredRowHasItsOwnObject() throws {
    var content = try content("[{id: rows}]")
    content.inputs["news"]?.content = answer([(composed, "A", ""), (decomposed, "B", "")])
    let table = content.table(named: "t")
    content.lead(under: 1, showing: table)
    for (row, title) in [(composed, "A"), (decomposed, "B")] {
      let object = try #require(content.object(row))
      #expect(try JSONValue(parsing: object.bytes)["title"] == .string(title))
    }
  }

  // MARK: Kept rows, taps

  /// The second section's source has not answered yet.
  @Test func aKeptRowStaysBesideItsTwin() throws {
    var content = try content("[{id: first}, {id: second, source: other}]")
    content.inputs["news"]?.content = answer([("a", "A", "")])
    content.inputs["other"]?.content = answer([(decomposed, "B", "")])
    let before = content.table(named: "t")
    content.restored = before
    content.inputs["news"]?.content = answer([(composed, "A", "")])
    content.inputs["other"]?.letGo()
    let table = content.table(named: "t")
    #expect(groups(table) == spelled([["first", composed], ["second", decomposed]]))
  }

  @Test func aTapForEveryoneTogglesItsRowAlone() throws {
    let store = MemoryStore()
    func begin() throws -> LiveTable {
      try #require(try Engine(.tasks(sharedTaps: true), .silent(store)).catalog.tables.first)
    }
    var table = try begin()
    for row in [composed, decomposed] {
      let edit = Edit.put(row: row, item: ["title": "T"], .end, .none)
      _ = try wait { table.edit(EditRequest([edit], caller: CallerFields([])), $0) }
    }
    #expect(expanded(table) == [false, false, false, false])
    try tap(composed, of: table)
    #expect(expanded(table) == [false, false, true, false])
    try tap(decomposed, of: table)
    #expect(expanded(table) == [false, false, true, true])
    // The store has both.
    table = try begin()
    try tap(composed, of: table)
    #expect(expanded(table) == [false, false, false, true])
  }

  private func tap(_ row: String, of table: LiveTable) throws {
    _ = try wait { table.tap(row, Lens(), EditPreconditions(), CallerFields([]), $0) }
    table.settle()
  }

  private func expanded(_ table: LiveTable) -> [Bool] {
    table.current.table.sections.flatMap(\.rows).map { row in
      String(decoding: row.encoded, as: UTF8.self).contains(#""isExpanded":true"#)
    }
  }

  /// Waits for the answer to a change.
  private func wait<Answer: Sendable>(
    _ begin: (@escaping @Sendable (Result<Answer, TableError>) -> Void) -> Void
  ) throws -> Answer {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var found: Result<Answer, TableError>?
    begin {
      found = $0
      done.signal()
    }
    done.wait()
    return try #require(found).get()
  }
}
