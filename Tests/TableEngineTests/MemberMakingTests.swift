import Definitions
import Dispatch
import JSON
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Testing

@testable import TableEngine

@Suite struct MemberMakingTests {
  private func definition(_ locales: String) throws -> ServiceDefinition {
    try ServiceDefinition.read(
      """
      locales: [\(locales)]
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
  }

  private func engine(_ locales: String = "en, de") throws -> Engine {
    try Engine(definition(locales), EngineEnvironment.silent(MemoryStore()))
  }

  private func member(_ segment: String, in locale: String?, of engine: Engine) throws -> LiveTable {
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

  /// No upstream tells it anything: what it shows is the service's own.
  @Test func aLanguageThatAReloadAddsIsNotWaitedFor() throws {
    let engine = try engine("en")
    let table = try member("by;owner=a", in: "en", of: engine)
    try engine.adopt(try engine.prepare(definition("en, de")))
    let german = try member("by;owner=a", in: "de", of: engine)
    #expect(german !== table && german.original === table.writer)
    table.settle()
    #expect(!german.isAwaitingUpstream && german.current.table.rowCount == 1)
  }

  /// What an upstream has said to the readers of a member, or has yet to say, is nothing to them where the member has that upstream no more.
  @Test(arguments: [false, true]) func aSourceThatAReloadTakesAwayRefusesNobody(hasAnother: Bool) throws {
    func definition(_ section: String) throws -> ServiceDefinition {
      try ServiceDefinition.read(
        """
        sources:
          notes: {\(hasAnother ? "url: 'http://127.0.0.1:1/notes', every: 0s" : "local: {items: [{id: 1, owner: a}]}")}
          others: {url: "http://127.0.0.1:1/others", every: 0s}
        cells: {Label: {nib: Label, fields: {}}}
        tables:
          by:
            source: notes
            row: {id: "${id}"}
            parameters: {owner: {}}
            cell: Label
            payload: {}
            sections: [{id: main, where: owner == $params.owner}\(section)]
        """
      )
    }
    let engine = try Engine(definition(", {id: more, source: others}"), EngineEnvironment.silent(MemoryStore()))
    let table = try member("by;owner=a", in: "de", of: engine)
    // Both have failed, and are asked again after a pause.
    for source in table.sources {
      let answered = DispatchSemaphore(value: 0)
      source.whenAnswered { answered.signal() }
      answered.wait()
    }
    if hasAnother {
      let told = DispatchSemaphore(value: 0)
      let item = SourceItem(bytes: Array(#"{"id": 1, "owner": "a"}"#.utf8))
      table.writer.receive(.content(.items([item]), 1), from: "notes") { told.signal() }
      told.wait()
    }
    table.settle(false, refusal: nil)
    table.refuse(TableError(.unknown, detail: "There is no such owner."))
    #expect(table.isAwaitingUpstream && table.refusal != nil)
    try engine.adopt(try engine.prepare(definition("")))
    #expect(try member("by;owner=a", in: "de", of: engine) === table)
    table.settle()
    #expect(!table.isAwaitingUpstream && table.refusal == nil)
    #expect(table.writer.versions.latest.table.rowCount == 1)
  }

  /// Members of a list of the service's own share its rows, as those of an upstream's do: each holds what it shows. What they hold is
  /// counted from the first read on.
  @Test func membersOfTheServicesOwnItemsShareRows() throws {
    let kinds = Array(repeating: "none", count: 498) + ["a", "all"]
    let notes = kinds.enumerated().map { "{title: T\($0 + 1), kind: \($1)}" }.joined(separator: ", ")
    let definition = try ServiceDefinition.read(
      """
      cells: {Note: {fields: {title: string}}}
      sources: {notes: {local: {items: [\(notes)]}}}
      tables:
        all: {source: notes, cell: Note, payload: {title: "${title}"}}
        of:
          source: notes
          parameters: {kind: {}}
          cell: Note
          payload: {title: "${title}"}
          sections: [{id: main, where: "kind == $params.kind || kind == 'all'"}]
      """
    )
    var environment = EngineEnvironment.silent(MemoryStore())
    environment.mostPrivateItems = 0
    let engine = try Engine(definition, environment)
    let members = try ["a", "b", "c"].map { try member("of;kind=\($0)", in: nil, of: engine) }
    func rows(_ member: LiveTable) -> [Row] { member.current.table.sections.flatMap(\.rows) }
    func settle() {
      for member in members { member.settle() }
    }
    settle()
    #expect(members.map { rows($0).count } == [2, 1, 1])
    #expect(rows(members[0])[1] === rows(members[1])[0])
    let held = members.map(\.heldBytes)
    #expect(held[0] > held[1] && held[1] > held[2] && held[2] > 0, "each has a share of what they have in common")
    let all = try #require(engine.catalog.tablesByName["all"])
    // One that all of them show, and another one.
    for (row, item) in [("500", #"{"title": "New"}"#), ("1", #"{"kind": "all"}"#)] {
      let edited = DispatchSemaphore(value: 0)
      let patch = EditRequest([.patch(row: row, try JSONValue(parsing: Array(item.utf8)))], caller: CallerFields([]))
      all.edit(patch) { _ in edited.signal() }
      edited.wait()
      settle()
    }
    #expect(members.map { rows($0).count } == [3, 2, 2])
    #expect(rows(members[0])[2] === rows(members[1])[1] && rows(members[1])[0] === rows(members[2])[0])
    #expect(String(decoding: rows(members[1])[1].encoded, as: UTF8.self).contains("New"))
    // From an item's row its object is found.
    let found = Mutex<Result<RepresentedObject, TableError>?>(nil)
    let read = DispatchSemaphore(value: 0)
    members[2].item("1", orHidden: false) { result in
      found.withLock { $0 = result }
      read.signal()
    }
    read.wait()
    let object = try #require(try found.withLock { $0 }?.get())
    #expect(String(decoding: object.bytes, as: UTF8.self).contains(#""title":"T1""#) && !object.isHidden)
  }
}
