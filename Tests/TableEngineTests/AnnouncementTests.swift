import Definitions
import Dispatch
import Foundation
import JSON
import Logging
import Queues
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// Who waits is told of what was published, however many versions are published at once.
@Suite struct AnnouncementTests {
  private let store = GatedStore()
  private let woken = Woken()

  private final class Woken: ChangeNotifier {
    let topics = Monitor<[ChangeTopic]>([])
    func wake(_ topics: [ChangeTopic]) { self.topics.change { $0 += topics } }
  }

  private func release() {
    store.release()
    let isWritten = DispatchSemaphore(value: 0)
    store.flush { _ in isWritten.signal() }
    isWritten.wait()
  }

  /// One row becomes another and is the same again, in two versions that are stored together; between the two somebody begins to wait.
  @Test func whoComesBetweenTwoVersionsIsWoken() throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let engine = try Engine(.tasks(), EngineEnvironment(store: store, logger: logger, notifier: woken))
    let table = try #require(engine.catalog.tablesByName["todo"])
    let first = table.current
    let lens = Lens(rows: WindowRange(1))
    store.shut()
    let edits = ["X", "A"].map { title in
      let edit = Edit.patch(row: "1", ["title": .string(title)])
      return ItemLogTests.Edited(EditRequest([edit], caller: CallerFields([])), of: table)
    }
    let end = ContinuousClock.now + .seconds(60)
    while store.waitingCount < 2, ContinuousClock.now < end { sched_yield() }
    try #require(store.waitingCount == 2)
    let (queue, hold, seen) = (table.writer.content.queue, DispatchSemaphore(value: 0), Monitor<Version?>(nil))
    queue.async { hold.wait() }
    release()
    queue.async {
      table.reader.beginWaiting(lens)
      seen.change { $0 = table.current }
    }
    release()
    hold.signal()
    for edit in edits { _ = try edit.answer() }
    let between = try seen.wait(for: "the waiter") { $0 }
    #expect(between.number == first.number + 1 && table.current.number == first.number + 2)
    #expect(Table.same(first.table, table.current.table), "and whoever has waited since is told nothing")
    let topic = try #require(table.reader.topics(lens).first)
    try woken.topics.wait(for: "the waiter's waking") { $0.contains(topic) ? true : nil }
  }
}
