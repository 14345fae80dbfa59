import Definitions
import Dispatch
import Queues
import TableMapping
import TableModel
import TableStore
import TestSupport
import Testing
import Upstream

@testable import TableEngine

/// A source that is asked in another one's place: what each has said first are two things.
@Suite struct ReplacedSourceTests {
  /// An edit is sent, a reload puts another source in the place of the one before, and that one answers while the table through which
  /// was edited has not been told yet. The edit is laid over the former answer then, and no other table is shown that again.
  @Test func anEditOverAFormerAnswerIsNotToldToOthers() throws {
    let engine = try Engine(definition(every: 10), environment)
    engine.start()
    let (edited, other) = (engine.catalog.tables[0], engine.catalog.tables[1])
    let queue = engine.context.client.queue
    let former = try #require(edited.sources.first)
    queue.sync { former.listeners.receive(Self.answer(revision: 1)) }
    for table in [edited, other] { table.settle() }
    #expect(Self.row(other).contains(#"{"revision":1}"#))
    try engine.adopt(try engine.prepare(definition(every: 20)))
    let present = try #require(edited.sources.first)
    #expect(present !== former && former.latest === present)
    // Its queue is busy while the edit and the answer come.
    let isFree = DispatchSemaphore(value: 0)
    edited.writer.content.queue.async { isFree.wait() }
    queue.sync {
      present.listeners.edit(through: edited) { isAnswered in
        #expect(!isAnswered)
        return edited.writer.content.access { content in
          content.inputs["news"].flatMap { input in input.content.map { ($0, input.answer ?? 0) } }
        }
      } _: {
        #expect(!$0, "others are to wait for the next answer")
      }
    }
    queue.sync { present.listeners.receive(Self.answer(revision: 2)) }
    isFree.signal()
    edited.settle()
    queue.sync {}
    for table in [edited, other] { table.settle() }
    for table in [edited, other] {
      #expect(Self.row(table).contains(#"{"revision":2}"#), "\(table.name): \(Self.row(table))")
    }
  }

  private func definition(every seconds: Int) throws -> ServiceDefinition {
    try .read(
      """
      cells: {Item: {fields: {revision: integer}}}
      sources: {news: {url: "http://upstream.test/", every: \(seconds)s}}
      tables:
        edited: {source: news, row: {id: "${id}"}, cell: Item, payload: {revision: "${revision}"}}
        other: {source: news, row: {id: "${id}"}, cell: Item, payload: {revision: "${revision}"}}
      """
    )
  }

  private var environment: EngineEnvironment {
    var environment = EngineEnvironment.silent(MemoryStore())
    environment.carrier = SilentCarrier()
    return environment
  }

  private static func answer(revision: Int) -> SourceUpdate {
    .content(FetchedContent(form: .pages([Array(#"[{"id": 1, "revision": \#(revision)}]"#.utf8)]), itemCount: 1))
  }

  /// The row as clients get it.
  private static func row(_ table: LiveTable) -> String {
    let row = table.writer.versions.latest.table.sections.first?.rows.first
    return String(decoding: row?.encoded ?? [], as: UTF8.self)
  }
}

/// The way to an upstream that never answers.
final class SilentCarrier: TransferCarrier {
  func carry(
    _ request: TransferRequest,
    completion: @escaping @Sendable (Result<TransferResponse, UpstreamError>) -> Void
  ) {}
}
