import Definitions
import Dispatch
import FieldValues
import JSON
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// Members of items that no cell shows: the store is told of them, also where the version stays the same.
@Suite final class UntoldObjectsTests: Sendable {
  private let store = GatedStore()
  private let engine: Engine
  private let table: LiveTable

  init() throws {
    engine = try Engine(
      .read(
        """
        sources: {a: {url: "http://127.0.0.1:1/", every: 0s}}
        cells: {Label: {fields: {title: string}}}
        tables: {a: {source: a, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}}
        """
      ),
      .silent(store)
    )
    table = try #require(engine.catalog.tablesByName["a"])
    receive(notes: [1, 1], 1)
  }

  /// The source answers with an item for each note.
  private func receive(title: String = "A", notes: [Int], _ answer: UInt64) {
    let told = DispatchSemaphore(value: 0)
    let items = notes.enumerated().map { place, note in
      SourceItem(bytes: Array(#"{"id": \#(place), "title": "\#(title)", "note": \#(note)}"#.utf8))
    }
    table.writer.receive(.content(.items(items), answer), from: "a", isEdit: false) { told.signal() }
    told.wait()
    table.settle()
  }

  private func change(_ body: @escaping @Sendable (inout TableContent) -> Void) {
    table.writer.content.queue.sync { [self] in table.writer.content.access { body(&$0) } }
  }

  /// The notes that the store has, by the items' identities.
  private func stored() throws -> [String: JSONValue] {
    let answered = Monitor<Result<StoredTable, StoreError>?>(nil)
    store.restore("a") { result in answered.change { $0 = result } }
    let objects = try answered.wait(for: "the stored table") { $0 }.get().objects
    var notes: [String: JSONValue] = [:]
    for (row, bytes) in objects { notes[row.text] = try JSONValue(parsing: bytes)["note"] }
    return notes
  }

  @Test(arguments: [true, false]) func whatCouldNotBeStoredIsStoredLater(isKnown: Bool) throws {
    #expect(try stored() == ["0": 1, "1": 1])
    if !isKnown { change { $0.noteRestored() } }
    store.fail(.full)
    receive(notes: [1, 2], 2)
    #expect(try stored() == ["0": 1, "1": 1])
    store.fail(nil)
    let version = table.current.cursor
    receive(notes: [1, 2], 3)
    #expect(try stored() == ["0": 1, "1": 2])
    #expect(table.current.cursor == version)
  }

  /// A leader that has lost its lease, and has it again, may know what it could not store.
  @Test(arguments: [true, false], [true, false]) func whatWasLetGoOfIsStoredLater(isKnown: Bool, isSaidAgain: Bool)
    throws
  {
    if !isKnown { change { $0.noteRestored() } }
    store.fail(.full)
    receive(notes: [1, 2], 2)
    store.fail(nil)
    let shown = table.current.table
    change { content in
      content.drop(showing: shown)
      content.restored = shown
    }
    if isSaidAgain {
      receive(notes: [1, 2], 3)
    } else {
      table.writer.content.queue.async { [table] in table.writer.publishContent() }
    }
    table.settle()
    #expect(try stored() == ["0": 1, "1": 2])
  }

  /// As a database does that was set back.
  @Test func theStoreIsToldWhatItLacksOfRowsThatAreAsTheyWere() throws {
    let objects = Mutex<[String]>([])
    change { content in
      let sections = content.result?.sections ?? []
      content.noteRestored()
      content.restoredObjects = [ByteText("0"): Array(#"{"id": 0, "title": "A", "note": 0}"#.utf8)]
      objects.withLock { $0 = content.objectChanges(from: sections, to: sections).map(\.row) }
    }
    #expect(objects.withLock { $0 } == ["0"])
  }

  @Test func ofVeryManyNoneIsForgotten() throws {
    receive(notes: Array(repeating: 1, count: 150), 2)
    for isKnown in [true, false] {
      if !isKnown { change { $0.noteRestored() } }
      let note = isKnown ? 2 : 3
      receive(notes: Array(repeating: note, count: 150), 3 + UInt64(note))
      receive(title: "B\(note)", notes: Array(repeating: note, count: 150), 9 + UInt64(note))
      #expect(try Set(stored().values.map { "\($0)" }) == ["\(JSONValue.integer(Int64(note)))"])
    }
  }
}
