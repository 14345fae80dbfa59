import Definitions
import Dispatch
import FieldValues
import JSON
import Queues
import Synchronization
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// What becomes of changes that were built on one that could not be stored.
@Suite struct CommitOrderTests {
  private let store = GatedStore()
  private let engine: Engine
  private let table: LiveTable
  private let outcomes = Outcomes()

  init() throws {
    engine = try Engine(.tasks(sharedTaps: true), .silent(store))
    table = try #require(engine.catalog.tables.first)
    store.shut()
  }

  private func add(_ title: String) {
    let edit = Edit.insert(item: ["title": .string(title)], .end)
    table.edit(EditRequest([edit], caller: CallerFields([]))) { [outcomes] in outcomes.add(title, word($0)) }
  }

  private func tap(_ row: String) {
    table.tap(row, Lens(), EditPreconditions(), CallerFields([])) { [outcomes] in outcomes.add("tap \(row)", word($0)) }
  }

  private func release(failing error: StoreError? = nil, isDone: Bool = false) {
    store.release(failing: error, isDone: isDone)
    table.settle()
  }

  private var shown: [String] {
    table.current.table.sections.flatMap(\.rows).map { String(decoding: $0.encoded, as: UTF8.self) }
  }

  /// The version that it is answered with shows it: no other replica may store one after that which is made of the items before.
  @Test func anEditThatChangesNothingShownIsAnInputOfTheTable() throws {
    store.open()
    let edit = Edit.patch(row: "1", ["note": "not shown"])
    let before = table.current.cursor
    let answer = try ItemLogTests.Edited(EditRequest([edit], caller: CallerFields([])), of: table).answer()
    #expect(answer.cursor == before)
    let stored = Monitor<StoredTable?>(nil)
    store.restore("todo") { found in stored.change { $0 = try? found.get() } }
    let inputs = try stored.wait(for: "the store") { $0?.inputs }
    #expect(inputs[ItemRecord.of("$todo")] == table.writer.log?.committed.revision.number)
  }

  /// The toggles of rows that have gone go from the store with them: after a restart a row that came back would be open.
  @Test func togglesOfRowsThatHaveGoneAreNotKept() throws {
    store.open()
    func edit(_ edit: Edit) throws -> EditAnswer {
      try ItemLogTests.Edited(EditRequest([edit], caller: CallerFields([])), of: table).answer()
    }
    for row in ["1", "2"] { tap(row) }
    try outcomes.wait(for: 2)
    for row in ["1", "2"] { _ = try edit(.delete(row: row)) }
    let rows = try ["C", "D"].flatMap { try edit(.insert(item: ["title": .string($0)], .end)).rows.compactMap(\.self) }
    for row in rows { tap(row) }
    try outcomes.wait(for: 4)
    let stored = Monitor<StoredTable?>(nil)
    store.restore("todo") { found in stored.change { $0 = try? found.get() } }
    let toggled = try stored.wait(for: "the store") { $0?.toggled }
    #expect(Set(toggled.map(\.text)) == Set(rows))
  }

  @Test func aTapBuiltOnAnEditThatFailedIsMadeAnewAndTakesNothingAlong() throws {
    let before = table.current.number
    add("lost")
    tap("1")
    table.settle()
    #expect(store.waitingCount == 2)
    release(failing: .full)
    #expect(outcomes.all == ["lost": "storeFull"])
    // Comes while the first is undone: it waits until all that was built on it has come back.
    add("kept")
    table.settle()
    #expect(store.waitingCount == 1)
    release(failing: .superseded)
    #expect(store.waitingCount == 2)
    while store.waitingCount > 0 { release() }
    try outcomes.wait(for: 3)
    #expect(outcomes.all == ["lost": "storeFull", "tap 1": "done", "kept": "done"])
    #expect(shown.count == 3)
    #expect(shown[0].contains("\"isExpanded\":true") && shown[2].contains("kept"), "\(shown)")
    #expect(table.current.number == before + 2)
    #expect(table.writer.versions.latest === table.current)
  }

  /// The connection to the store breaks, and nobody can tell whether an edit is stored: it is, and so is what was built on it.
  @Test func whatIsBuiltOnAnEditThatWasStoredAllTheSameIsShownWithIt() throws {
    let before = table.current.number
    for title in ["first", "second"] { add(title) }
    tap("1")
    table.settle()
    #expect(store.waitingCount == 3)
    release(failing: .unavailable("the connection is broken"), isDone: true)
    release()
    release()
    try outcomes.wait(for: 3)
    #expect(outcomes.all["second"] == "done" && outcomes.all["tap 1"] == "done", "\(outcomes.all)")
    table.settle()
    #expect(shown.count == 4 && shown[0].contains("\"isExpanded\":true"), "\(shown)")
    #expect(shown[2].contains("first") && shown[3].contains("second"), "\(shown)")
    #expect(table.current.number == before + 3 && table.writer.versions.latest === table.current)
    add("third")
    table.settle()
    // At once, without one that is refused first.
    #expect(store.waitingCount == 1)
    release()
    try outcomes.wait(for: 4)
    #expect(shown.count == 5 && table.current.number == before + 4 && store.waitingCount == 0)
  }

  /// An upstream may say what is on its way to the store already: whoever waits for that is answered when it is there.
  @Test func whatIsOnItsWayIsNotShownYet() throws {
    add("on its way")
    table.settle()
    table.writer.content.queue.sync {
      table.writer.publishContent { [outcomes] error in outcomes.add("the same", error == nil ? "done" : "failed") }
    }
    table.settle()
    #expect(outcomes.all == [:] && store.waitingCount == 1)
    release()
    try outcomes.wait(for: 2)
    #expect(outcomes.all == ["on its way": "done", "the same": "done"])
  }

  /// Somebody else's version comes in between: who waits for one is answered when it is there after all. (An edit of items is planned
  /// again when these are read, for which nobody waits.)
  @Test func whatIsLaidOutAnewIsWaitedFor() throws {
    tap("1")
    table.settle()
    table.writer.afterFollowing { [outcomes, table] in
      let isOpen = table.current.table.sections[0].rows[0].encoded.containsOpen
      outcomes.add("follower", isOpen ? "open" : "closed")
    }
    table.settle()
    release(failing: .superseded)
    while store.waitingCount == 0 { table.settle() }
    #expect(outcomes.all == [:])
    release()
    try outcomes.wait(for: 2)
    #expect(outcomes.all == ["tap 1": "done", "follower": "open"])
  }

  @Test func aTapThatCouldNotBeStoredIsUndone() throws {
    tap("1")
    table.settle()
    release(failing: .full)
    try outcomes.wait(for: 1)
    #expect(outcomes.all == ["tap 1": "storeFull"])
    #expect(shown.allSatisfy { $0.contains("\"isExpanded\":false") })
    tap("2")
    table.settle()
    release()
    try outcomes.wait(for: 2)
    #expect(shown.map { $0.contains("\"isExpanded\":true") } == [false, true])
  }
}

extension Collection<UInt8> {
  fileprivate var containsOpen: Bool { String(decoding: self, as: UTF8.self).contains("\"isExpanded\":true") }
}

private func word<Answer>(_ outcome: Result<Answer, TableError>) -> String {
  switch outcome {
  case .success: "done"
  case .failure(let error): error.kind.rawValue
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
      guard arrivals.wait(timeout: .now() + 60) == .success else { throw TimeOut(outcomes: all) }
    }
  }

  struct TimeOut: Error {
    var outcomes: [String: String]
  }
}
