import Definitions
import JSON
import Queues
import TableStore
import TestSupport
import Testing
import Upstream

@testable import TableEngine

/// What replicas tell each other of an edit, and when what could not be stored is tried again.
@Suite struct HandedEditTests {
  @Test func editsAreReadAsTheyWereSaid() throws {
    let item: JSONValue = ["title": "a \"b\" é"]
    let edits: [(Edit, [UInt8]?)] = [
      (.insert(item: item, .end), Array(#"{"id":7}"#.utf8)), (.insert(item: item, .section("s", at: 2)), nil),
      (.put(row: "a/b é", item: item, .section("s", at: 2), .none), Array(#"{"id":7}"#.utf8)),
      (.put(row: "q", item: item, .end, .none), nil), (.patch(row: "a b", ["x": nil]), nil), (.delete(row: "r"), nil),
      (.move(row: "r", .before("q")), nil),
      (.move(row: "r", .after("q")), nil), (.move(row: "r", .section(nil, at: 0)), nil),
      (.action(row: "r", id: "mark", body: [1, nil]), nil), (.action(row: "r", id: "mark", body: nil), nil),
    ]
    for (edit, item) in edits {
      let handed = HandedEdit(table: "t;q=a b", source: "s", edit: edit, item: item, before: "00ff")
      let text = try #require(handed.text)
      let read = try #require(HandedEdit(text))
      #expect(read.text == text && read.table == "t;q=a b" && read.source == "s")
      #expect(read.item == item && read.before == "00ff")
      #expect("\(read.edit)" == "\(edit)")
    }
    for text in ["", "{}", "[]", #"{"table":"t","source":"s","edit":{"op":"none"}}"#] {
      #expect(HandedEdit(text) == nil, "\(text)")
    }
  }

  /// By the leader's configuration the source is called otherwise: what was sent to it can't be shown here.
  @Test func anEditOfASourceThatIsNotThereIsNotShown() throws {
    let engine = try Engine(
      .read(
        """
        sources: {b: {url: "http://127.0.0.1:1/", every: 0s}}
        cells: {Label: {fields: {}}}
        tables: {t: {source: b, row: {id: "${id}"}, cell: Label, payload: {}}}
        """
      ),
      .silent(MemoryStore())
    )
    let table = try #require(engine.catalog.tablesByName["t"])
    let answered = Monitor<String?>(nil)
    let edit = HandedEdit(table: "t", source: "a", edit: .delete(row: "1"), item: nil, before: nil)
    AcceptedEdits(writer: table.writer).show(edit) { outcome in
      answered.change { $0 = if case .failure = outcome { "refused" } else { "shown" } }
    }
    #expect(try answered.wait(for: "an answer") { $0 } == "refused")
  }

  @Test func tasksAreReadAsTheyWereSaid() throws {
    let tasks: [LeaderTask] = [
      .refresh("t"), .refreshSource("s"), .showItems("t;q=a%20b"), .knowRows("t"), .findTable("t;q=a%20b", source: nil),
      .findTable("t", source: "s"),
    ]
    for task in tasks {
      let (signal, text) = task.words
      let read = try #require(LeaderTask(signal, text[...]))
      #expect("\(read)" == "\(task)")
    }
  }

  /// Another replica may have a configuration with tables and sources that the leader's lacks.
  @Test(
    arguments: [
      (.findTable("t", source: nil), "done"), (.findTable("t", source: "b"), "done"),
      (.findTable("t", source: "a"), LeaderTask.lacking), (.findTable("x", source: nil), LeaderTask.lacking),
      (.showItems("x"), "failed"), (.refresh("x"), "failed"), (.refreshSource("x"), "failed"),
    ] as [(LeaderTask, String)]
  )
  func theLeaderSaysWhatItLacks(task: LeaderTask, expected: String) throws {
    let engine = try Engine(
      .read(
        """
        sources: {b: {url: "http://127.0.0.1:1/", every: 0s}}
        cells: {Label: {fields: {}}}
        tables: {t: {source: b, row: {id: "${id}"}, cell: Label, payload: {}}}
        """
      ),
      .silent(MemoryStore())
    )
    let answered = Monitor<String?>(nil)
    engine.carryOut(task) { outcome in
      answered.change { $0 = if case .success(let word) = outcome { word ?? "done" } else { "failed" } }
    }
    #expect(try answered.wait(for: "an answer") { $0 } == expected)
  }

  /// This replica leads since a moment ago: members that the leader before has kept up are read, and are not told of the edit yet.
  @Test func anEditIsAnsweredWhenMembersHaveBegun() throws {
    var environment = EngineEnvironment.silent(MemoryStore())
    environment.carrier = SilentCarrier()
    let engine = try Engine(
      .read(
        """
        sources: {a: {url: "http://upstream.test/", every: 10s}}
        cells: {Label: {fields: {title: string}}}
        tables:
          t:
            source: a
            row: {id: "${id}"}
            cell: Label
            payload: {title: "${title}"}
            edits: {patch: {url: "http://upstream.test/${$id}", body: "${$edit}"}}
        """
      ),
      environment
    )
    engine.start()
    let table = try #require(engine.catalog.tablesByName["t"])
    let source = try #require(table.sources.first)
    let queue = engine.context.client.queue
    let answer = FetchedContent(form: .pages([Array(#"[{"id": 1, "title": "A"}]"#.utf8)]), itemCount: 1)
    queue.sync { source.listeners.receive(.content(answer)) }
    table.settle()
    let seen = table.current.number
    let begun = engine.context.replica.membersToBegin.entered()
    let answered = Monitor<Bool?>(nil)
    let item = Array(#"{"id": 1, "title": "B"}"#.utf8)
    let edit = HandedEdit(table: "t", source: "a", edit: .patch(row: "1", ["title": "B"]), item: item, before: nil)
    AcceptedEdits(writer: table.writer).show(edit) { outcome in
      answered.change { $0 = if case .success = outcome { true } else { false } }
    }
    #expect(throws: TimeOut.self) { try answered.wait(for: "an answer", seconds: 0.3) { $0 } }
    #expect(table.current.number > seen, "it is shown")
    begun()
    #expect(try answered.wait(for: "an answer") { $0 })
  }

  @Test func whatIsTooLongIsNotSaid() {
    for count in [3000, 4000] {
      let text = JSONValue.string(String(repeating: "x", count: count))
      let inside = HandedEdit(table: "t", source: "s", edit: .patch(row: "r", ["x": text]), item: nil, before: nil)
      let isTooLong = count == 4000
      #expect((inside.text == nil) == isTooLong)
      let answered = HandedEdit(table: "t", source: "s", edit: .delete(row: "r"), item: text.bytes, before: nil)
      #expect((answered.text == nil) == isTooLong)
    }
  }

  @Test func oneTryIsUnderWayAtATime() {
    var retries = StoringRetries()
    let first = retries.fail()
    #expect(first.map { (50...100).contains($0) } == true && retries.fail() == nil)
    var last = first
    for _ in 0..<10 {
      retries.resume()
      last = retries.fail()
    }
    #expect(last.map { (2500...5000).contains($0) } == true)
    retries.resume()
    retries.succeed()
    let next = retries.fail()
    #expect(next.map { (50...100).contains($0) } == true)
  }
}
