import Definitions
import Dispatch
import Queues
import Synchronization
import TableModel
import TableStore
import Testing

@testable import TableEngine

@Suite struct MemberMakingTests {
  private func engine() throws -> Engine {
    let definition = try ServiceDefinition.read(
      """
      locales: [en, de]
      cells: {Note: {nib: Note, fields: {title: string, language: string}}}
      sources: {notes: {local: {items: [{owner: a, title: A}, {owner: b, title: B}]}}}
      tables:
        by:
          source: notes
          parameters: {owner: {}}
          cell: Note
          payload: {title: "${title}", language: "${$locale}"}
          sections: [{id: main, where: owner == $params.owner}]
      """
    )
    let environment = EngineEnvironment.silent(MemoryStore())
    return try Engine(definition, environment)
  }

  private func member(_ segment: String, in locale: String, of engine: Engine) throws -> LiveTable {
    var budget = MemberBudget(.max)
    return try engine.catalog.table(
      try #require(TableReference(segment: segment)),
      in: locale,
      for: CallerFields([]),
      &budget
    )
  }

  /// Whoever makes a member may be an event loop: it must not wait for what is to run on a thread that others have.
  @Test func aMemberIsMadeWhileEveryThreadIsTaken() throws {
    let engine = try engine()
    let gate = DispatchSemaphore(value: 0)
    let isOpen = Mutex(false)
    let taken = 64
    // Dispatch notices after a second, and adds one thread.
    for _ in 0..<taken { DispatchQueue.global().async { gate.wait() } }
    let open: @Sendable () -> Void = {
      let isFirst = isOpen.withLock { isOpen in
        defer { isOpen = true }
        return !isOpen
      }
      guard isFirst else { return }
      for _ in 0..<taken { gate.signal() }
    }
    DispatchQueue(label: "watch").asyncAfter(deadline: .now() + 10, execute: open)
    defer { open() }
    let table = try member("by;owner=a", in: "de", of: engine)
    let hasWaited = isOpen.withLock { $0 }
    #expect(!hasWaited, "the member waited for a thread")
    open()
    // Its languages are shown all the same.
    let original = try #require(table.original)
    let settled = DispatchSemaphore(value: 0)
    original.content.queue.async {
      table.writer.afterFollowing { settled.signal() }
    }
    settled.wait()
    #expect(!table.isAwaitingUpstream && table.current.table.rowCount == 1)
    let row = try #require(table.current.table.sections.first?.rows.first)
    #expect(String(decoding: row.encoded, as: UTF8.self).contains(#""language":"de""#))
  }
}
