import Configuration
import Definitions
import Dispatch
import HTTPServer
import JSON
import Logging
import Synchronization
import TableModel
import TableStore
import Testing

@testable import TableService

/// What becomes of changes that were built on one that could not be stored.
@Suite struct CommitOrderTests {
  private let store = GatedStore()
  private let service: TableService
  private let table: LiveTable
  private let outcomes = Outcomes()

  init() throws {
    let (definition, diagnostics) = ConfigurationReader.read(
      text: """
        cells:
          Task: {fields: {title: string, isExpanded: boolean}, expands: isExpanded}
        tables:
          todo:
            source: {local: {items: [{title: A}, {title: B}]}}
            cell: Task
            payload: {title: "${title}", isExpanded: false}
            sharedTaps: true
        """,
      file: "test",
      environment: [:]
    )
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let environment = ServiceEnvironment(store: store, logger: logger, isOpenForEdits: true)
    service = try TableService(try #require(definition, "\(diagnostics)"), environment: environment)
    table = try #require(service.catalog.all.first)
    store.shut()
  }

  private func add(_ title: String) {
    let edit = Edit.insert(item: ["title": .string(title)], .end)
    let command = EditCommand(edits: [edit], answer: .created, terms: EditTerms(), caller: CallerFields([]))
    table.edit(command) { [outcomes] response in outcomes.add(title, "\(response.status.code)") }
  }

  private func tap(_ row: String) {
    table.tap(row, Lens(), EditTerms()) { [outcomes] response in
      outcomes.add("tap \(row)", "\(response.status.code)")
    }
  }

  /// All that was asked of the table so far has been laid out.
  private func settle() {
    table.content.queue.sync {}
    table.content.queue.sync {}
  }

  private func release(failing error: StoreError? = nil) {
    store.release(failing: error)
    settle()
  }

  private var shown: [String] {
    table.feed.current.table.sections.flatMap(\.rows).map { String(decoding: $0.encoded, as: UTF8.self) }
  }

  @Test func aTapBuiltOnAnEditThatFailedIsMadeAnewAndTakesNothingAlong() throws {
    let before = table.feed.current.number
    add("lost")
    tap("1")
    settle()
    #expect(store.waitingCount == 2)
    release(failing: .full)
    #expect(outcomes.all == ["lost": "507"])
    // Comes while the first is undone: it waits until all that was built on it has come back.
    add("kept")
    settle()
    #expect(store.waitingCount == 1)
    release(failing: .superseded)
    #expect(store.waitingCount == 2)
    while store.waitingCount > 0 { release() }
    try outcomes.wait(for: 3)
    #expect(outcomes.all == ["lost": "507", "tap 1": "200", "kept": "201"])
    #expect(shown.count == 3)
    #expect(shown[0].contains("\"isExpanded\":true") && shown[2].contains("kept"), "\(shown)")
    #expect(table.feed.current.number == before + 2)
    #expect(table.feed.latest === table.feed.current)
  }

  @Test func aTapThatCouldNotBeStoredIsUndone() throws {
    tap("1")
    settle()
    release(failing: .full)
    try outcomes.wait(for: 1)
    #expect(outcomes.all == ["tap 1": "507"])
    #expect(shown.allSatisfy { $0.contains("\"isExpanded\":false") })
    tap("2")
    settle()
    release()
    try outcomes.wait(for: 2)
    #expect(shown.map { $0.contains("\"isExpanded\":true") } == [false, true])
  }
}

/// How each request was answered.
private final class Outcomes: Sendable {
  private let outcomes = Mutex<[String: String]>([:])

  private let arrivals = DispatchSemaphore(value: 0)

  func add(_ name: String, _ outcome: String) {
    outcomes.withLock { $0[name] = outcome }
    arrivals.signal()
  }

  var all: [String: String] { outcomes.withLock { $0 } }

  func wait(for count: Int) throws {
    while all.count < count {
      guard arrivals.wait(timeout: .now() + 10) == .success else { throw TimeOut(outcomes: all) }
    }
  }

  struct TimeOut: Error {
    var outcomes: [String: String]
  }
}
