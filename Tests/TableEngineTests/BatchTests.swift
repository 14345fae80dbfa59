import Configuration
import Definitions
import Dispatch
import JSON
import Logging
import Queues
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// A batch is one layout where it can be, and does what its edits do one by one.
@Suite struct BatchTests {
  private let session: EditSession

  init() throws {
    let (definition, diagnostics) = ConfigurationReader.read(
      text: """
        cells: {Label: {nib: Label, fields: {title: string}}}
        tables:
          t:
            source: {local: {items: [{n: a, title: A}, {n: b, title: B}, {n: c, title: C}, {n: d, title: D}]}}
            row: {id: "${n}"}
            cell: Label
            payload: {title: "${title}"}
        """,
      file: "test",
      environment: [:]
    )
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let engine = try Engine(
      try #require(definition, "\(diagnostics)"),
      EngineEnvironment(store: MemoryStore(), logger: logger, notifier: Nobody())
    )
    let writer = try #require(engine.catalog.tables.first).writer
    session = writer.content.queue.sync {
      writer.content.access { EditSession($0, table: writer.versions.latest.table, named: "t") }
    }
  }

  private func rows(_ session: EditSession) -> [String] {
    session.table.sections.flatMap(\.rows).map { "\($0.id) \(String(decoding: $0.encoded, as: UTF8.self).count)" }
  }

  @Test func whatGoesAndComesBackInOneBatchMayHaveTheSameIdentity() throws {
    var session = session
    let edits: [Edit] = [
      .delete(row: "a"), .insert(item: ["n": "a", "title": "again"], .end), .patch(row: "b", ["n": "x"]),
      .insert(item: ["n": "b", "title": "new"], .end), .patch(row: "x", ["title": "Twice"]),
    ]
    #expect(try session.apply(edits) == ["a", "a", "x", "b", "x"])
    #expect(session.table.sections[0].rows.map(\.id) == ["x", "c", "d", "a", "b"])
  }

  @Test func theEditThatIsRefusedIsNamed() throws {
    let cases: [([Edit], Int)] = [
      ([.patch(row: "a", ["title": "1"]), .patch(row: "none", [:])], 1),
      ([.patch(row: "a", ["title": "1"]), .patch(row: "b", ["n": "c"]), .delete(row: "d")], 1),
      ([.delete(row: "a"), .patch(row: "a", [:])], 1),
      ([.patch(row: "c", ["title": "1"]), .patch(row: "d", ["title": 7])], 1),
    ]
    for (edits, number) in cases {
      var session = session
      do throws(EditSession.Refusal) {
        _ = try session.apply(edits)
        Issue.record("\(edits) was taken")
      } catch {
        #expect(error.edit == number, "\(edits): \(error.error)")
      }
    }
  }

  /// The same edits in one batch and one by one, by chance: the same table, the same refusals.
  @Test(arguments: UInt64(1)...20) func aBatchIsItsEditsOneByOne(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let names = ["a", "b", "c", "d", "e"]
      func name() -> String { names.randomElement(using: &generator) ?? "a" }
      let edits: [Edit] = (0..<Int.random(in: 1...6, using: &generator)).map { number in
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: .insert(item: ["n": .string("new\(number)"), "title": "N"], .end)
        case 1: .patch(row: name(), ["title": .string("T\(number)")])
        case 2: .delete(row: name())
        case 3: .move(row: name(), .before(name()))
        default: .insert(item: ["n": .string("at\(number)"), "title": "P"], .after(name()))
        }
      }
      var (batch, single) = (session, session)
      var refused: Int?
      for (number, edit) in edits.enumerated() where refused == nil {
        if (try? single.apply([edit])) == nil { refused = number }
      }
      do throws(EditSession.Refusal) {
        _ = try batch.apply(edits)
        #expect(refused == nil, "seed \(seed): \(edits)")
        #expect(rows(batch) == rows(single), "seed \(seed): \(edits)")
      } catch {
        #expect(error.edit == refused, "seed \(seed): \(edits): \(error.error)")
      }
    }
  }
}
