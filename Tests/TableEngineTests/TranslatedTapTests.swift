import Definitions
import Dispatch
import JSON
import Queues
import Synchronization
import TableModel
import TableStore
import Testing

@testable import TableEngine

/// A tap through a table in another language, on the condition that the client has seen the newest version.
@Suite final class TranslatedTapTests: Sendable {
  private let store = GatedStore()
  private let engine: Engine
  private let original: LiveTable
  private let translation: LiveTable
  private let outcomes = Mutex<[String: String]>([:])

  init() throws {
    engine = try Engine(.tasks("en, de", sharedTaps: true), .silent(store))
    original = try #require(engine.catalog.tables.first)
    translation = original.localized("de")
    original.settle()
    store.shut()
  }

  private func tap(_ name: String, _ row: String, ifMatch condition: Cursor) {
    let preconditions = EditPreconditions(condition: .oneOf([condition]))
    translation.tap(row, Lens(), preconditions, CallerFields([])) { [self] outcome in
      outcomes.withLock { $0[name] = word(outcome) }
    }
    original.settle()
  }

  private func add(_ title: String) {
    let edit = Edit.insert(item: ["title": .string(title)], .end)
    translation.edit(EditRequest([edit], caller: CallerFields([]))) { [self] outcome in
      outcomes.withLock { $0[title] = word(outcome) }
    }
    original.settle()
  }

  /// Lets all through that waits, until so many were answered.
  private func releaseAll(until count: Int) {
    while outcomes.withLock({ $0.count }) < count || store.waitingCount > 0 {
      if store.waitingCount > 0 { store.release() }
      original.settle()
    }
  }

  /// The version that an edit under way would make may never be.
  @Test func theNewestStoredVersionCounts() {
    let seen = translation.current.cursor
    add("lost")
    tap("seen", "1", ifMatch: seen)
    store.release(failing: .full)
    releaseAll(until: 2)
    #expect(outcomes.withLock { $0 } == ["lost": "storeFull", "seen": "done"])
  }

  /// As in the language that comes first: a condition names the version that the tap is built on, also where that is on its way.
  @Test func aVersionThatIsUnderWayIsBuiltOn() {
    let seen = translation.current.cursor
    add("kept")
    tap("guessed", "1", ifMatch: Cursor(epoch: seen.epoch, version: seen.version + 1))
    releaseAll(until: 2)
    #expect(outcomes.withLock { $0 } == ["kept": "done", "guessed": "done"])
  }

  @Test(arguments: [nil, StoreError.full]) func ofTwoTapsOnTheSameVersionOneIsMade(failing error: StoreError?) {
    let seen = translation.current.cursor
    tap("first", "1", ifMatch: seen)
    tap("second", "1", ifMatch: seen)
    store.release(failing: error)
    releaseAll(until: 2)
    // Where the first came to nothing the second one's condition holds.
    let expected = error == nil ? ["done", "conditionFailed"] : ["storeFull", "done"]
    #expect(outcomes.withLock { [$0["first"], $0["second"]] } == expected)
    let shown = translation.current.table.sections.flatMap(\.rows).map { String(decoding: $0.encoded, as: UTF8.self) }
    #expect(shown.map { $0.contains(#""isExpanded":true"#) } == [true, false])
  }

  /// A version is only named where all that the original has is in it.
  @Test func whatTheOriginalHasShownSinceCounts() {
    let seen = translation.current.cursor
    original.tap("2", Lens(), EditPreconditions(), CallerFields([])) { [self] outcome in
      outcomes.withLock { $0["other"] = word(outcome) }
    }
    original.settle()
    store.release()
    original.settle()
    // The translation's version of that is on its way.
    tap("late", "1", ifMatch: seen)
    releaseAll(until: 2)
    #expect(outcomes.withLock { $0 } == ["other": "done", "late": "conditionFailed"])
    tap("again", "1", ifMatch: translation.current.cursor)
    releaseAll(until: 3)
    #expect(outcomes.withLock { $0["again"] } == "done")
  }
}

private func word<Answer>(_ outcome: Result<Answer, TableError>) -> String {
  switch outcome {
  case .success: "done"
  case .failure(let error): error.kind.rawValue
  }
}
