import Definitions
import Foundation
import Queues
import Synchronization
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// A reload puts another table in one's place, and what that has become can't be stored.
@Suite struct UnstoredSuccessorTests {
  private let store = GatedStore()
  private let items = ItemLogTests()

  private static func word(_ ending: WaitEnding?) -> String {
    switch ending {
    case nil: "living"
    case .refused(let error): "refused \(error.kind)"
    case .withoutNews: "without news"
    case .replaced: "replaced"
    }
  }

  private func adopt(_ definition: ServiceDefinition, _ engine: Engine) throws {
    try engine.adopt(try engine.prepare(definition))
  }

  /// A language comes back with the rows that it had when it was there last: whoever waits has seen newer ones.
  @Test func whoWaitsIsNotShownWhatWasStoredEarlier() throws {
    let engine = try Engine(.tasks("de, en"), .silent(store))
    try adopt(.tasks("en, de"), engine)
    let former = try #require(engine.catalog.tablesByName["todo"])
    _ = try items.add("C", to: former).answer()
    #expect(former.current.table.rowCount == 3)
    let next = try engine.prepare(.tasks("de, en"))
    store.fail(.full)
    try engine.adopt(next)
    let present = former.latest
    #expect(present !== former && present.locale == "en" && present.current.table.rowCount == 2)
    #expect(Self.word(former.ending) == "refused unavailable")
    store.fail(nil)
    while Self.word(former.ending) != "replaced" { sched_yield() }
    #expect(present.current.table.rowCount == 3)
  }

  /// What the former table could not store may be an edit that its upstream has accepted.
  @Test(arguments: [true, false])
  func readsWaitForTheSources(isBehind: Bool) throws {
    func definition(_ title: String, _ locales: String) throws -> ServiceDefinition {
      try ServiceDefinition.read(
        """
        locales: [\(locales)]
        sources: {news: {url: "http://127.0.0.1:1/news"}}
        cells: {Label: {fields: {title: string}}}
        tables: {news: {source: news, row: {id: "${id}"}, cell: Label, payload: {title: "\(title) ${title}"}}}
        """
      )
    }
    let engine = try Engine(definition("a", "en, de"), .silent(store))
    let former = try #require(engine.catalog.tablesByName["news"]?.localized("de"))
    if isBehind {
      former.writer.following.add(1, ordering: .acquiringAndReleasing)
      former.writer.content.queue.sync { former.writer.followed(.unreadable) }
    }
    try adopt(definition("a", "de, en"), engine)
    let present = try #require(engine.catalog.tablesByName["news"])
    let outcome = Monitor<LookOutcome?>(nil)
    present.readBarrier(view: nil) { read, _ in outcome.change { $0 = read } }
    #expect(try outcome.wait(for: "the read") { $0 } == (isBehind ? .late : .read))
  }
}
