import Definitions
import Dispatch
import Foundation
import JSON
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// Answers to clients where a version, or an answer, can't be stored.
@Suite final class FailedStoringTests: Sendable {
  private let store = GatedStore()
  private let engine: Engine
  private let original: LiveTable
  private let translation: LiveTable
  private let outcomes = Mutex<[String]>([])

  init() throws {
    engine = try Engine(.tasks("en, de", sharedTaps: true), .silent(store))
    original = try #require(engine.catalog.tables.first)
    translation = original.localized("de")
    original.settle()
    store.shut()
  }

  /// Until something is so, which happens on other threads.
  private func wait(until isDone: () -> Bool) { while !isDone() { sched_yield() } }

  /// Lets the next commit go on, or fails it.
  private func release(failing error: StoreError? = nil) {
    wait { store.waitingCount > 0 }
    store.release(failing: error)
    original.settle()
  }

  private var answered: [String] { outcomes.withLock { $0 } }

  private func tap(_ key: String) {
    let terms = EditPreconditions(idempotency: Idempotency(key: key, route: "TAP todo", content: [1]))
    original.tap("1", Lens(view: "mine"), terms, CallerFields([])) { [self] outcome in
      outcomes.withLock { $0.append("\(key) \(word(outcome))") }
    }
    original.settle()
  }

  /// After a failed sync it may be there when the service has started again: a client has to repeat it then, rather than give it up.
  @Test func afterAFailedSyncNobodyIsToldThatNothingHasChanged() {
    let error = TableError(StoreError.stopped("the disk failed"))
    #expect(error.kind == .unavailable && error.retryAfter != nil)
    #expect(!error.detail.contains("nothing has changed"))
  }

  /// Its answer is the only thing that a repeat could be told from.
  @Test func aTapWhoseAnswerCantBeStoredIsNotMade() {
    func taps() -> UInt32 { engine.context.views.state(of: "mine", table: original.current.cursor.epoch)?.taps ?? 0 }
    tap("first")
    release(failing: .full)
    wait { !answered.isEmpty }
    #expect(answered == ["first storeFull"] && taps() == 0)
    tap("first")
    wait { store.waitingCount > 0 }
    #expect(taps() == 0, "nobody is shown what may not be done")
    release()
    wait { answered.count == 2 }
    tap("first")
    wait { answered.count == 3 }
    #expect(answered == ["first storeFull", "first done", "first done"] && taps() == 1)
    #expect(store.waitingCount == 0)
  }

  /// What is read of an item may not be gone after a restart.
  @Test func anItemIsReadWhenItsEditIsStored() throws {
    func edit() {
      original.edit(EditRequest([.patch(row: "1", ["title": "C"])], caller: CallerFields([]))) { [self] outcome in
        outcomes.withLock { $0.append("edit \(word(outcome))") }
      }
      wait { store.waitingCount == 1 }
    }
    func read() {
      original.item("1", orHidden: true) { [self] found in
        let text = (try? found.get()).map { String(decoding: $0.bytes, as: UTF8.self) }
        outcomes.withLock { $0.append("read \(text?.contains("\"C\"") ?? false)") }
      }
      original.settle()
    }
    edit()
    read()
    #expect(answered == [])
    release(failing: .full)
    wait { answered.count == 2 }
    #expect(answered.sorted() == ["edit storeFull", "read false"])
    edit()
    read()
    release()
    wait { answered.count == 4 }
    #expect(answered.suffix(2).sorted() == ["edit done", "read true"])
  }

  /// The items have an edit that no version of the table shows.
  @Test func aReadIsRefusedWhereTheVersionThatShowsAnEditCantBeStored() {
    let edit = Edit.insert(item: ["title": "C"], .end)
    translation.edit(EditRequest([edit], caller: CallerFields([]))) { [self] outcome in
      outcomes.withLock { $0.append(word(outcome)) }
    }
    release()
    wait { answered == ["done"] && store.waitingCount == 1 }
    let read = Mutex<LookOutcome?>(nil)
    original.readBarrier(view: nil) { outcome, _ in read.withLock { $0 = outcome } }
    original.settle()
    #expect(read.withLock { $0 } == nil)
    release(failing: .full)
    // On a busy machine storing is tried again before the read has its turn, which then waits for that.
    wait {
      if store.waitingCount > 0 { store.release(failing: .full) }
      return read.withLock { $0 } != nil
    }
    #expect(read.withLock { $0 } == .late)
    #expect(original.current.table.rowCount == 2)
  }

  /// The tap's failure brings the items back as they are committed, with the edit, before the table is told of that.
  @Test func anEditIsShownThatWasCommittedWhileATapCouldNotBeStored() {
    original.tap("1", Lens(), EditPreconditions(), CallerFields([])) { [self] outcome in
      outcomes.withLock { $0.append("tap \(word(outcome))") }
    }
    wait { store.waitingCount == 1 }
    let isHeld = DispatchSemaphore(value: 0)
    original.writer.content.queue.async { isHeld.wait() }
    translation.edit(EditRequest([.insert(item: ["title": "C"], .end)], caller: CallerFields([]))) { [self] outcome in
      outcomes.withLock { $0.append("edit \(word(outcome))") }
    }
    wait { store.waitingCount == 2 }
    store.release(failing: .full)
    store.release()
    wait { answered == ["edit done"] }
    store.open()
    isHeld.signal()
    let read = Mutex<(LookOutcome, rows: Int)?>(nil)
    original.readBarrier(view: nil) { [original] outcome, _ in
      read.withLock { $0 = (outcome, original.current.table.rowCount) }
    }
    wait {
      if store.waitingCount > 0 { store.release() }
      return read.withLock { $0 != nil }
    }
    #expect(answered.contains("tap storeFull"))
    #expect(read.withLock { $0?.0 } == .read && read.withLock { $0?.rows } == 3)
  }

  /// The table can't show an edit that was committed through another one. Each time that is tried, an edit of its own is built on it.
  @Test func anEditBehindAVersionThatCanNeverBeStoredIsRefusedSoon() throws {
    func add(_ title: String, to table: LiveTable) {
      let edit = Edit.insert(item: ["title": .string(title)], .end)
      table.edit(EditRequest([edit], caller: CallerFields([]))) { [self] outcome in
        outcomes.withLock { $0.append("\(title) \(word(outcome))") }
      }
    }
    add("other", to: translation)
    release()
    wait { answered == ["other done"] && store.waitingCount == 1 }
    add("own", to: original)
    wait { store.waitingCount == 2 }
    var rounds = 0
    let (log, content) = (try #require(original.writer.log), original.writer.content)
    while answered.count < 2, rounds < 40 {
      // All that is made again has been given to the store.
      original.settle()
      wait { log.progress { $0.commits.isGoingOn } }
      log.queue.sync {}
      wait { content.queue.sync { content.access { $0.commits.isGoingOn } } }
      original.settle()
      guard store.waitingCount > 0 else { continue }
      rounds += 1
      store.release(failing: .full)
      // All that is under way was built on that.
      while store.waitingCount > 0 { store.release(failing: .superseded) }
    }
    #expect(answered == ["other done", "own storeFull"])
    #expect(rounds <= ChangeProgress.mostConflicts / 5, "\(rounds)")
    store.open()
    original.settle()
    #expect(original.current.table.rowCount <= 3, "what was refused is not shown")
  }

  @Test func theSameReasonIsLoggedNowAndThen() {
    var retries = StoringRetries()
    let begin = ContinuousClock.now
    let told = [(0, StoreError.full), (1, .full), (9, .full), (10, .full), (11, .busy("")), (12, .full), (13, .full)]
      .map { retries.report($1, now: begin + .seconds($0)) }
    #expect(told == [1, nil, nil, 3, 1, 1, nil])
  }

  /// Who reads it would otherwise miss what was done to its items while it was made.
  @Test func aTableThatComesWithAConfigurationIsFoundWhenItsFirstVersionIsStored() throws {
    let next = try engine.prepare(try .tasks("de, en"))
    let isAdopted = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { [engine] in
      _ = try? engine.adopt(next)
      isAdopted.signal()
    }
    // The first versions of the table in both languages.
    wait { store.waitingCount == 2 }
    #expect(engine.catalog.tables.first === original)
    store.open()
    while store.waitingCount > 0 { store.release() }
    isAdopted.wait()
    #expect(engine.catalog.tables.first !== original)
  }

  @Test func aTableThatWasReplacedTwiceHasTheLastOneInItsPlace() throws {
    store.open()
    for locales in ["de, en", "en, de"] { try engine.adopt(try engine.prepare(try .tasks(locales))) }
    let last = try #require(engine.catalog.tables.first)
    #expect(original.present === last)
    #expect(translation.present === last.localized("de"))
  }

  /// An edit that an upstream has accepted is answered while a language's version with it is on its way to the disk: where that can't be
  /// stored then, reads wait for it all the same.
  @Test(arguments: [true, false]) func readsWaitForAnAcceptedEdit(fails: Bool) throws {
    let store = GatedStore()
    let engine = try Engine(
      .read(
        """
        sources: {a: {url: "http://127.0.0.1:1/", every: 0s}}
        cells: {Label: {fields: {}}}
        tables: {a: {source: a, row: {id: "${id}"}, cell: Label, payload: {}}}
        """
      ),
      .silent(store)
    )
    let table = try #require(engine.catalog.tablesByName["a"])
    let (told, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    store.shut()
    let item = SourceItem(bytes: Array(#"{"id": 1}"#.utf8))
    table.writer.receive(.content(.items([item]), 1), from: "a", isEdit: true) { told.signal() }
    table.writer.holdReads { held.signal() }
    held.wait()
    store.open()
    store.release(failing: fails ? .full : nil)
    told.wait()
    // Until it is tried again they are told to ask again.
    var outcome = LookOutcome.late
    while outcome == .late {
      let read = Monitor<LookOutcome?>(nil)
      table.readBarrier(view: nil) { outcome, _ in read.change { $0 = outcome } }
      outcome = try read.wait(for: "a read") { $0 }
    }
    #expect(outcome == .read && table.current.table.rowCount == 1)
  }

  /// What the upstream says could not be stored: the newest version is not what an edit would be laid over, and nothing is sent.
  @Test func aConditionIsNotJudgedOnAVersionThatIsBehind() throws {
    let store = GatedStore()
    let engine = try Engine(
      .read(
        """
        sources: {a: {url: "http://127.0.0.1:1/", every: 0s}}
        cells: {Label: {fields: {title: string}}}
        tables:
          a:
            source: a
            row: {id: "${id}"}
            cell: Label
            payload: {title: "${title}"}
            edits: {patch: {url: "http://127.0.0.1:1/${$id}", body: "${$edit}"}}
        """
      ),
      .silent(store)
    )
    let table = try #require(engine.catalog.tablesByName["a"])
    func receive(_ title: String, _ number: UInt64) {
      let told = DispatchSemaphore(value: 0)
      let item = SourceItem(bytes: Array(#"{"id": 1, "title": "\#(title)"}"#.utf8))
      table.writer.receive(.content(.items([item]), number), from: "a", isEdit: false) { told.signal() }
      told.wait()
      table.settle()
    }
    receive("A", 1)
    store.fail(.full)
    receive("B", 2)
    var request = EditRequest([.patch(row: "1", ["title": "C"])], caller: CallerFields([]))
    request.preconditions.condition = .oneOf([table.current.cursor])
    let answered = Monitor<EditResult?>(nil)
    table.edit(request) { outcome in answered.change { $0 = outcome } }
    let answer = word(try answered.wait(for: "an answer") { $0 })
    #expect(answer == TableError.notStoredForNow.kind.rawValue)
  }
}

private func word<Answer>(_ outcome: Result<Answer, TableError>) -> String {
  switch outcome {
  case .success: "done"
  case .failure(let error): error.kind.rawValue
  }
}
