import Definitions
import Dispatch
import TableModel
import TableStore
import Testing

@testable import TableEngine

/// A tap ends the wait of a client that can see it, and nobody else's.
@Suite struct TapStandingTests {
  private let table: LiveTable
  private let engine: Engine

  private static func definition(title: String = "T", expands: String = "expands: isOpen,") throws -> ServiceDefinition
  {
    try ServiceDefinition.read(
      """
      cells:
        Label: {nib: Label, fields: {title: string}}
        Fold: {class: Fold, fields: {title: string, isOpen: boolean}, \(expands) fallback: Label}
      tables:
        t:
          title: "\(title)"
          source: {local: {items: [{n: a, k: odd}, {n: b, k: even}, {n: c, k: odd}, {n: d, k: even}]}}
          find: {search: [k]}
          row: {id: "${n}"}
          cell: Fold
          payload: {title: "${n}", isOpen: false}
          sections: [{id: first, where: n != 'd'}, {id: last}]
      """
    )
  }

  init() throws {
    let definition = try Self.definition()
    engine = try Engine(
      definition,
      EngineEnvironment.silent(MemoryStore())
    )
    table = try #require(engine.catalog.tables.first)
  }

  private func tap(_ row: String, _ lens: Lens) throws {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var answer: Result<TapAnswer, TableError>?
    table.tap(row, lens, EditPreconditions(), CallerFields([])) { outcome in
      answer = outcome
      done.signal()
    }
    done.wait()
    _ = try #require(answer).get()
  }

  @Test(
    arguments: [
      // Without a window every row is seen; a second tap on a row undoes the first.
      (nil, false, ["b"], true), (nil, false, ["b", "b"], false), (nil, false, ["b", "b", "c"], true),
      (2, false, ["b"], true), (2, false, ["c"], false), (2, false, ["c", "d"], false), (2, false, ["d", "a"], true),
      (4, false, ["d"], true), (3, false, ["d"], false),
      // A client that is shown the fallback sees nothing of it.
      (nil, true, ["b"], false), (2, true, ["a", "c"], false),
    ] as [(Int?, Bool, [String], Bool)]
  )
  func isSeen(rows: Int?, fallbackAlone: Bool, taps: [String], isSeen: Bool) throws {
    let window: LensRequest.Window = rows.flatMap { WindowRange($0) }.map { .rows($0) } ?? .all
    let cells = fallbackAlone ? try AcceptedCells(["Label"]) : nil
    let lens = table.lens(LensRequest(cells: cells, view: "v", window: window), after: nil)
    // From before the first tap, and from behind another one.
    for _ in 0..<2 {
      let before = table.state(for: TableQuery(.snapshot, lens)).to
      for row in taps { try tap(row, lens) }
      let standing = table.state(for: TableQuery(.changes(after: before), lens))
      #expect(standing.isCurrent == !isSeen)
      #expect(standing.to != before && standing.to.taps == before.taps + UInt64(taps.count))
      // Where it is answered all the same, as the wait is over, it leads there with no stages.
      let reply = self.reply(to: TableQuery(.changes(after: before), lens))
      #expect(reply.contains(#""to":"\#(standing.to)""#) && reply.contains(#""stages":[]"#) == !isSeen, "\(reply)")
    }
  }

  /// The window is one of what is found, which is a, c (odd) and b, d (even).
  @Test(
    arguments: [
      ("odd", nil, ["c"], true), ("odd", nil, ["b"], false), ("odd", 1, ["a"], true), ("odd", 1, ["c"], false),
      ("odd", 2, ["c"], true), ("odd", 2, ["b", "d"], false), ("even", 1, ["d"], false), ("even", 2, ["d"], true),
      ("even", 1, ["b", "b"], false), ("even", 1, ["a", "b"], true),
    ] as [(String, Int?, [String], Bool)]
  )
  func isSeenInASearch(word: String, rows: Int?, taps: [String], isSeen: Bool) throws {
    let window: LensRequest.Window = rows.flatMap { WindowRange($0) }.map { .rows($0) } ?? .all
    let search = FindSearch(words: [Array(word.utf8)])
    let lens = table.lens(LensRequest(view: "v", window: window, find: search), after: nil)
    let whole = table.lens(LensRequest(view: "v"), after: nil)
    for _ in 0..<2 {
      let before = table.state(for: TableQuery(.snapshot, lens)).to
      for row in taps { try tap(row, whole) }
      let standing = table.state(for: TableQuery(.changes(after: before), lens))
      #expect(standing.isCurrent == !isSeen)
      #expect(standing.to != before && standing.to.taps == before.taps + UInt64(taps.count))
    }
  }

  private func reply(to query: TableQuery) -> String {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var reply = ""
    table.render(query, for: ReplyAsker(share: 1)) { made in
      reply = String(decoding: made.body, as: UTF8.self)
      done.signal()
    }
    done.wait()
    return reply
  }

  /// The rows' bytes are the same, and who has a row open in a view is shown another one: no stage says so.
  @Test(arguments: [nil, 1] as [Int?]) func aCellThatNoLongerExpandsSetsViewsBack(rows: Int?) throws {
    let window: LensRequest.Window = rows.flatMap { WindowRange($0) }.map { .rows($0) } ?? .all
    func asked() -> (LensRequest, Lens) {
      let request = LensRequest(view: "v", window: window)
      return (request, table.lens(request, after: nil))
    }
    func reload(_ title: String, _ expands: String) throws {
      let before = table.current.number
      try engine.adopt(try engine.prepare(try Self.definition(title: title, expands: expands)))
      while table.current.number == before { table.settle() }
    }
    try tap("a", asked().1)
    let open = table.state(for: TableQuery(.snapshot, asked().1)).to
    try reload("Other", "")
    #expect(!table.state(for: TableQuery(.changes(after: open), asked().1)).isCurrent)
    let closed = reply(to: TableQuery(.changes(after: open), asked().1))
    #expect(closed.contains(#""reset":"lens""#), "\(closed)")
    let shut = table.state(for: TableQuery(.snapshot, asked().1)).to
    try reload("Third", "expands: isOpen,")
    let again = reply(to: TableQuery(.changes(after: shut), asked().1))
    #expect(again.contains(#""reset":"lens""#), "\(again)")
  }
}
