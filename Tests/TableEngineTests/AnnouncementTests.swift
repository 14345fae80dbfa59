import Definitions
import Dispatch
import Foundation
import JSON
import Logging
import Queues
import Synchronization
import TableFinding
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
      table.reader.beginWaiting(lens, after: first.cursor)
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

  /// Who waits with a search is woken by the version that changes something of it, when that is noted: not by those before it that are
  /// told of late. Else the versions that the short history has forgotten by then would be missing.
  ///
  /// - Parameter isLate: All is told of after the last edit. Else who waits has seen a version before the one that it waits at.
  @Test(arguments: [true, false]) func aSearchIsWokenByItsOwnVersion(isLate: Bool) throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let definition = try ServiceDefinition.read(
      """
      store: memory
      history: \(isLate ? 2 : 3)
      cells: {Label: {fields: {title: string}}}
      tables:
        t:
          source: {local: {items: [{title: a}, {title: b}]}}
          find: {search: [title]}
          cell: Label
          payload: {title: "${title}"}
      """
    )
    let waiter = LateWaiter()
    let engine = try Engine(definition, EngineEnvironment(store: store, logger: logger, notifier: waiter))
    let table = try #require(engine.catalog.tablesByName["t"])
    let search = FindSearch(words: [Array("a".utf8)])
    let lens = Lens(find: search)
    let query = TableQuery(.changes(after: table.cursor(of: table.current, lens)), lens)
    table.reader.render(TableQuery(.snapshot, lens), for: ReplyAsker(share: 0)) { _ in }
    func edit(_ row: String, _ title: String) throws {
      let edit = Edit.patch(row: row, ["title": .string(title)])
      _ = try ItemLogTests.Edited(EditRequest([edit], caller: CallerFields([])), of: table).answer()
      // It is on its way to the readers; or there.
      table.writer.content.queue.sync {}
      if !isLate { table.reader.maker.queue.sync {} }
    }
    if !isLate { try edit("2", "b 0") }
    table.beginWaiting(lens, after: query.after)
    waiter.begin(table, query)
    let hold = DispatchSemaphore(value: 0)
    if isLate { table.reader.inTurn(nil) { hold.wait() } }
    for number in 1...3 { try edit("2", "b \(number)") }
    try edit("1", "another a")
    hold.signal()
    let reply = try waiter.replies.wait(for: "the reply") { $0.first }
    #expect(!reply.isReset && !reply.isEmpty, "\(String(decoding: reply.body, as: UTF8.self))")
  }

  /// A digest in a cursor may be of the request's own search, whether that is still kept or not.
  @Test func aLongSearchThatWasDroppedOutlastsVersions() throws {
    let definition = try ServiceDefinition.read(
      """
      store: memory
      history: 2
      limits: {lensBytes: 16KB}
      cells: {Label: {fields: {title: string}}}
      tables:
        t:
          source: {local: {items: [{title: a, state: open}, {title: b, state: open}]}}
          find: {search: [title], filters: {state: {title: State, by: state}}}
          cell: Label
          payload: {title: "${title}"}
      """
    )
    let engine = try Engine(definition, EngineEnvironment.silent(store))
    let table = try #require(engine.catalog.tablesByName["t"])
    let value = [UInt8](repeating: UInt8(ascii: "x"), count: 400)
    let search = FindSearch(choices: [.init(filter: Array("state".utf8), value: value)])
    let lens = Lens(find: search)
    let after = table.cursor(of: table.current, lens)
    let query = TableQuery(.changes(after: after), lens)
    #expect(after.lensTag?.find == .digest(search.digest))
    table.beginWaiting(lens, after: after)
    for number in 1...6 {
      let edit = Edit.patch(row: "2", ["title": .string("b \(number)")])
      _ = try ItemLogTests.Edited(EditRequest([edit], caller: CallerFields([])), of: table).answer()
      table.writer.content.queue.sync {}
      table.reader.maker.queue.sync {}
    }
    #expect(table.reader.held(after) == nil && table.state(for: query).isCurrent)
    for number in 0..<100 {
      let other = Lens(find: FindSearch(words: [Array("b\(number)".utf8)]))
      let done = DispatchSemaphore(value: 0)
      table.find(TableQuery(.snapshot, other), for: ReplyAsker(share: 0)) { done.signal() }
      done.wait()
    }
    #expect(table.reader.finding.withLock { $0.search(search.digest) } == nil)
    #expect(table.state(for: query).isCurrent)
  }

  /// Nobody can ask for it any more, and it would hold the rows of its version.
  @Test func whatWasFoundInForgottenVersionsIsLetGo() throws {
    let definition = try ServiceDefinition.read(
      """
      store: memory
      history: 2
      cells: {Label: {fields: {title: string}}}
      tables:
        t:
          source: {local: {items: [{title: a}, {title: b}]}}
          find: {search: [title]}
          cell: Label
          payload: {title: "${title}"}
      """
    )
    let engine = try Engine(definition, EngineEnvironment.silent(store))
    let table = try #require(engine.catalog.tablesByName["t"])
    let (search, first) = (FindSearch(words: [Array("a".utf8)]), table.current)
    table.reader.render(TableQuery(.snapshot, Lens(find: search)), for: ReplyAsker(share: 0)) { _ in }
    table.reader.maker.queue.sync {}
    let finders = table.reader.finding.withLock { $0 }
    let finder = try #require(finders.current?.finder)
    for number in 1...2 {
      #expect(finder.known(search, Finder.Version(first.cursor)) != nil)
      let edit = Edit.patch(row: "2", ["title": .string("b \(number)")])
      _ = try ItemLogTests.Edited(EditRequest([edit], caller: CallerFields([])), of: table).answer()
      table.writer.content.queue.sync {}
      table.reader.maker.queue.sync {}
    }
    #expect(finder.known(search, Finder.Version(first.cursor)) == nil)
    #expect(engine.keptSearches.count == 0 && engine.keptSearches.bytes == 0)
  }

  /// Somebody who waits, and asks when it is woken.
  private final class LateWaiter: ChangeNotifier {
    let replies = Monitor<[EncodedReply]>([])
    private let waiting = Monitor<(LiveTable, TableQuery)?>(nil)

    func begin(_ table: LiveTable, _ query: TableQuery) { waiting.change { $0 = (table, query) } }

    func wake(_ topics: [ChangeTopic]) {
      guard let (table, query) = waiting.current, topics.contains(where: table.topics(query.lens).contains),
        !table.state(for: query).isCurrent
      else { return }
      waiting.change { $0 = nil }
      table.reader.render(query, for: ReplyAsker(share: 1)) { reply in self.replies.change { $0.append(reply) } }
      table.endWaiting(query.lens)
    }
  }
}
