import Definitions
import Dispatch
import JSON
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

@Suite struct ReloadTests {
  /// The second table of the new configuration can't be made: the first has not begun to follow it.
  @Test func aReloadThatFailsLeavesAllAsItWas() throws {
    let store = GatedStore()
    let engine = try Engine(
      definition(title: "before", tables: ["a"]),
      EngineEnvironment.silent(store)
    )
    store.lose("b")
    #expect(throws: (any Error).self) { try engine.prepare(definition(title: "after", tables: ["a", "b"])) }
    let table = try #require(engine.catalog.tables.first)
    table.writer.content.queue.sync {}
    #expect(engine.catalog.tables.map(\.name) == ["a"])
    #expect(table.current.table.title == "before" && table.current.number == 1)
    try engine.adopt(try engine.prepare(definition(title: "after", tables: ["a"])))
    table.writer.content.queue.sync {}
    #expect(engine.catalog.tables.first === table)
    #expect(table.writer.versions.latest.table.title == "after")
  }

  /// What a source says while nobody knows yet whose the table will be is not lost: it is said once.
  @Test func anAnswerDuringAReloadThatIsGivenUp() throws {
    let engine = try Engine(
      try definition("a: {url: 'http://127.0.0.1:1/', every: 0s}", locales: ""),
      EngineEnvironment.silent(GatedStore())
    )
    let table = try #require(engine.catalog.tables.first)
    let next = try engine.prepare(
      try definition("a: {url: 'http://127.0.0.1:1/', every: 0s}", locales: "locales: [en]")
    )
    let item = SourceItem(bytes: Array(#"{"id": 1}"#.utf8))
    table.writer.receive(.content(.items([item]), 1), from: "a") {}
    let told = Mutex<[Bool]>([])
    let decided = DispatchSemaphore(value: 0)
    table.writer.whenDecided {
      defer { decided.signal() }
      told.withLock { $0.append(table.writer.versions.latest.table.rowCount == 1) }
    }
    table.writer.content.queue.sync {}
    #expect(table.writer.versions.latest.table.rowCount == 0 && told.withLock { $0 } == [])
    engine.cancel(next)
    #expect(decided.wait(timeout: .now() + 60) == .success)
    #expect(table.writer.versions.latest.table.rowCount == 1 && told.withLock { $0 } == [true])
  }

  /// Without rows, nothing but the offer itself tells that there are other menus.
  @Test func anEmptyTableWithOtherMenusIsAnotherVersion() throws {
    func definition(prompt: String) throws -> ServiceDefinition {
      let text = "tables: {t: {source: {local: {items: []}}, find: {prompt: \(prompt), search: [title]}}}"
      return try ServiceDefinition.read(text)
    }
    let engine = try Engine(
      definition(prompt: "Look"),
      EngineEnvironment.silent(MemoryStore())
    )
    let table = try #require(engine.catalog.tables.first)
    var numbers = [table.writer.versions.latest.number]
    for prompt in ["Look", "Find", "Find"] {
      try engine.adopt(try engine.prepare(definition(prompt: prompt)))
      table.writer.content.queue.sync {}
      numbers.append(table.writer.versions.latest.number)
    }
    #expect(numbers.map { $0 - numbers[0] } == [0, 0, 1, 1])
  }

  /// Whoever may not edit is shown rows without their offers, until there are none.
  @Test func rowsThatOfferEditsAreShownToReadersWithoutUntilTheyAreGone() throws {
    func definition(_ can: Bool) throws -> ServiceDefinition {
      let source = "{local: {items: [{title: A}]}}"
      return try ServiceDefinition.read("tables: {t: {source: \(source), can: {edit: \(can), move: false}}}")
    }
    let store = GatedStore()
    let engine = try Engine(definition(true), EngineEnvironment.silent(store))
    let table = try #require(engine.catalog.tables.first)
    #expect(table.offersEdits)
    store.shut()
    try engine.adopt(try engine.prepare(definition(false)))
    table.settle()
    #expect(store.waitingCount == 1 && table.current.number == 1)
    #expect(table.offersEdits, "the version that is shown has rows that can be edited")
    store.release()
    try blocking { try await withCallback { store.flush(completion: $0) }.get() }
    table.settle()
    #expect(table.current.number == 2 && !table.offersEdits)
    try engine.adopt(try engine.prepare(definition(true)))
    #expect(table.offersEdits)
  }

  /// An edit through a caller's own table is done, or refused: it is not answered with success while the items that it changes
  /// are taken over under another name, and gone there.
  ///
  /// - Parameter isLate: the edit gets as far as to its plan when the items have their new name.
  @Test(arguments: [(true, false), (true, true), (false, false)])
  func anEditWhileItsSourceIsRenamed(isAdopted: Bool, isLate: Bool) throws {
    func definition(_ source: String) throws -> ServiceDefinition {
      try ServiceDefinition.read(
        """
        sources: {\(source): {local: {items: [{owner: ada, title: before}]}}}
        auth: {jwt: {issuer: "https://id.example.com", audience: test, jwks: keys.json}}
        tables:
          all: {source: \(source)}
          mine: {source: \(source), sections: [{id: mine, where: "owner == $caller.claims.sub"}]}
        """
      )
    }
    let store = MemoryStore()
    let engine = try Engine(definition("notes"), EngineEnvironment.silent(store))
    let caller = CallerFields([], values: ["claims": ["sub": "ada"]])
    func mine() throws -> LiveTable {
      var budget = MemberBudget()
      return try engine.catalog.table(TableReference(name: "mine"), in: nil, for: caller, &budget)
    }
    let member = try mine()
    let next = try engine.prepare(definition("lists"))
    let answer = Mutex<EditResult?>(nil)
    let (done, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    if isLate { member.writer.content.queue.async { goOn.wait() } }
    member.edit(EditRequest([.patch(row: "1", ["title": "after"])], caller: caller)) { outcome in
      answer.withLock { $0 = outcome }
      done.signal()
    }
    if !isLate { member.writer.content.queue.sync {} }
    #expect(answer.withLock { $0 } == nil)
    if isAdopted { try engine.adopt(next) } else { engine.cancel(next) }
    goOn.signal()
    #expect(done.wait(timeout: .now() + 60) == .success)
    let isDone: Bool
    switch answer.withLock({ $0 }) {
    case .success?: isDone = true
    case .failure(let error)?:
      #expect(error.kind == .unavailable && error.retryAfter != nil, "\(error)")
      isDone = false
    case nil: return
    }
    #expect(isDone != isAdopted)
    for table in [try #require(engine.catalog.tablesByName["all"]), try mine()] {
      table.writer.content.queue.sync {}
      let item = table.writer.content.queue.sync { table.writer.content.access { $0.object("1")?.bytes } }
      #expect(item.map { String(decoding: $0, as: UTF8.self).contains("after") } == isDone, "\(table.name)")
    }
    // Nobody has written to the record that has another name.
    let former = try blocking { try await engine.context.restore(ItemRecord.of("notes")) }
    #expect((former.items == nil) == isAdopted)
  }

  /// The table in one language has an answer that could not be stored in the other. It shows nothing, rather than the older rows of that
  /// one, where a reload has it begin anew before the upstream has answered.
  @Test func aLanguageDoesNotTakeTheOlderRowsOfAnother() throws {
    func definition(_ locales: String) throws -> ServiceDefinition {
      try self.definition("a: {url: 'http://127.0.0.1:1/', every: 0s}", locales: "locales: [\(locales)]")
    }
    func tell(_ writer: TableWriter, _ id: Int) {
      let item = SourceItem(bytes: Array(#"{"id": \#(id)}"#.utf8))
      let done = DispatchSemaphore(value: 0)
      writer.receive(.content(.items([item]), UInt64(id)), from: "a") { done.signal() }
      done.wait()
    }
    func rows(of locale: String, in engine: Engine) throws -> [String] {
      let table = try #require(engine.catalog.tables.first)
      return table.localized(locale).current.table.sections.flatMap(\.rows).map(\.id)
    }
    let store = MemoryStore()
    var engine = try Engine(definition("en, de"), EngineEnvironment.silent(store))
    let table = try #require(engine.catalog.tables.first)
    for table in table.all { tell(table.writer, 1) }
    tell(table.localized("de").writer, 2)
    #expect(try rows(of: "en", in: engine) == ["1"])
    #expect(try rows(of: "de", in: engine) == ["2"])
    // The process is another one, and is told to go on with the other order, and with the first one again.
    engine = try Engine(definition("de, en"), EngineEnvironment.silent(store))
    engine.start()
    #expect(try rows(of: "de", in: engine) == ["1"], "the language that comes first is stored with the table")
    try engine.adopt(try engine.prepare(definition("en, de")))
    #expect(try rows(of: "de", in: engine) == [])
    tell(try #require(engine.catalog.tables.first).localized("de").writer, 3)
    #expect(try rows(of: "de", in: engine) == ["3"])
  }

  /// A reload that adds a language is refused where the store can't be read. Once it is prepared it reads nothing more.
  @Test(arguments: ["source: a, row: {id: \"${id}\"}", "source: {local: {items: [{title: A}]}}"])
  func aLanguageThatComesWhileTheStoreIsAway(source: String) throws {
    func definition(_ locales: String) throws -> ServiceDefinition {
      try ServiceDefinition.read(
        """
        locales: [\(locales)]
        sources: {a: {url: "http://127.0.0.1:1/", every: 0s}}
        cells: {Label: {nib: Label, fields: {}}}
        tables: {a: {\(source), cell: Label, payload: {}}}
        """
      )
    }
    let store = GatedStore()
    let engine = try Engine(definition("en"), EngineEnvironment.silent(store))
    let table = try #require(engine.catalog.tables.first)
    let record = StoredName.of(table.name, in: "de")
    store.lose(record)
    #expect(throws: StartError.self) { try engine.prepare(definition("en, de")) }
    #expect(engine.catalog.tables.first === table && table.all.map(\.locale) == ["en"])
    store.find(record)
    let next = try engine.prepare(definition("en, de"))
    store.lose(record)
    try engine.adopt(next)
    #expect(engine.catalog.tables.first === table && table.all.map(\.locale) == ["en", "de"])
  }

  /// An answer for the former value of a variable is none for the new one, where that tells what is asked for. The rows
  /// are the former configuration's then. A renewed token asks for the same.
  @Test(arguments: [
    ("url: 'http://127.0.0.1:1/${env.NAME}/items'", false),
    ("url: 'http://127.0.0.1:1/', query: {of: '${env.NAME | lower}'}", false),
    ("url: 'http://127.0.0.1:1/', method: POST, body: {of: ['${env.NAME}']}", false),
    ("url: 'http://127.0.0.1:1/', headers: {Authorization: 'Bearer ${env.NAME}'}", true),
  ])
  func anotherValueInARequest(request: String, isKept: Bool) throws {
    func definition(_ value: String) throws -> ServiceDefinition {
      let text = """
        sources: {a: {\(request), every: 0s}}
        cells: {Label: {nib: Label, fields: {}}}
        tables: {a: {source: a, row: {id: "${id}"}, cell: Label, payload: {}}}
        """
      return try ServiceDefinition.read(text, environment: ["NAME": value])
    }
    let engine = try Engine(definition("one"), EngineEnvironment.silent(MemoryStore()))
    let table = try #require(engine.catalog.tables.first)
    let item = SourceItem(bytes: Array(#"{"id": 1}"#.utf8))
    let done = DispatchSemaphore(value: 0)
    table.writer.receive(.content(.items([item]), 1), from: "a") { done.signal() }
    done.wait()
    try engine.adopt(try engine.prepare(definition("two")))
    let (hasAnswer, showsFormer) = table.writer.content.queue.sync {
      table.writer.content.access { ($0.inputs["a"]?.content != nil, $0.showsFormerRows) }
    }
    #expect(hasAnswer == isKept && showsFormer != isKept)
    #expect(table.writer.versions.latest.table.rowCount == 1)
  }

  /// Another source has come in one's place, which a table of the configuration before still reads. Where a third configuration asks as the
  /// first one did, it has a source of its own: that one would never ask again.
  @Test func aSourceThatWasReplacedIsNotAskedAgain() throws {
    func definition(_ every: String) throws -> ServiceDefinition {
      try self.definition("a: {url: 'http://127.0.0.1:1/', every: \(every)}", locales: "locales: [en, de]")
    }
    let engine = try Engine(definition("1h"), EngineEnvironment.silent(MemoryStore()))
    let table = try #require(engine.catalog.tables.first)
    let first = try #require(table.sources.first)
    #expect(first.add(table.localized("de")))
    try engine.adopt(try engine.prepare(definition("2h")))
    let second = try #require(table.sources.first)
    #expect(!first.hasEnded && first.latest === second)
    try engine.adopt(try engine.prepare(definition("1h")))
    let third = try #require(table.sources.first)
    #expect(third !== first && first.latest === third && second.latest === third)
  }

  /// Requests are answered by the catalog before until a reload is done: a family that has gone makes no member for them.
  @Test func aFamilyThatHasGoneMakesNoMember() throws {
    func definition(_ family: String) throws -> ServiceDefinition {
      try ServiceDefinition.read(
        """
        sources: {notes: {local: {items: [{owner: a, title: A}]}}}
        cells: {Label: {nib: Label, fields: {title: string}}}
        tables:
          all: {source: notes, cell: Label, payload: {title: "${title}"}}
          \(family)
        """
      )
    }
    let family = #"by: {source: notes, parameters: {owner: {}}, cell: Label, payload: {title: "${title}"}}"#
    let engine = try Engine(definition(family), EngineEnvironment.silent(MemoryStore()))
    let before = engine.catalog
    func member(_ segment: String) throws -> LiveTable {
      var budget = MemberBudget()
      let reference = try #require(TableReference(segment: segment))
      return try before.table(reference, in: nil, for: CallerFields([]), &budget)
    }
    let known = try member("by;owner=a")
    try engine.adopt(try engine.prepare(definition("")))
    #expect(known.absence == .isGone(known.name))
    for segment in ["by;owner=a", "by;owner=b"] {
      #expect(throws: TableError.isGone("by")) { try member(segment) }
    }
    #expect(before.familiesByName["by"]?.tables.count == 0)
    // Another one of that name is another family.
    try engine.adopt(try engine.prepare(definition(family)))
    var budget = MemberBudget()
    let reference = try #require(TableReference(segment: "by;owner=a"))
    let next = try engine.catalog.table(reference, in: nil, for: CallerFields([]), &budget)
    #expect(next !== known && next.absence == nil)
  }

  private func definition(_ sources: String, locales: String) throws -> ServiceDefinition {
    let text = """
      \(locales)
      sources: {\(sources)}
      cells: {Label: {nib: Label, fields: {}}}
      tables: {a: {source: a, row: {id: "${id}"}, cell: Label, payload: {}}}
      """
    return try ServiceDefinition.read(text)
  }

  private func definition(title: String, tables: [String]) throws -> ServiceDefinition {
    let text = tables.map { "  \($0): {title: \(title), source: {local: {items: [{title: A}]}}}\n" }.joined()
    return try ServiceDefinition.read("tables:\n" + text)
  }
}
