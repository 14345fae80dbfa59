import Definitions
import Dispatch
import JSON
import TableModel
import TableStore
import Testing

@testable import TableEngine

/// What is found out once for two versions is theirs alone: another epoch has versions of the same numbers.
@Suite struct FirstAffectedRowsTests {
  @Test func anotherEpochIsAskedAnew() throws {
    let text = "tables: {t: {source: {local: {items: [{title: A}, {title: B}]}}}}"
    let definition = try ServiceDefinition.read(text)
    let environment = EngineEnvironment.silent(MemoryStore())
    let engine = try Engine(definition, environment)
    let table = try #require(engine.catalog.tables.first)
    var versions = [table.current]
    for row in ["2", "1"] {
      let done = DispatchSemaphore(value: 0)
      table.edit(EditRequest([.patch(row: row, ["title": "new"])], caller: CallerFields([]))) { _ in done.signal() }
      done.wait()
      versions.append(table.current)
    }
    #expect(versions.map(\.number) == [1, 2, 3])
    #expect(table.reader.firstAffectedRow(from: versions[0], to: versions[1], nil) == 1)
    let others = zip([1, 2] as [UInt64], versions.dropFirst()).map { number, version in
      Version(cursor: Cursor(epoch: Epoch(rawValue: 7), version: number), table: version.table)
    }
    #expect(table.reader.firstAffectedRow(from: others[0], to: others[1], nil) == 0)
  }

  /// A client that has missed versions that show it nothing is told by the last step what it sees.
  @Test func stepsAreJoined() {
    let epoch = Epoch(rawValue: 7)
    let versions = (1...5).map { Cursor(epoch: epoch, version: UInt64($0)) }
    func pair(_ from: Int, _ to: Int) -> FirstAffectedRows.Pair {
      .init(from: versions[from - 1], to: versions[to - 1])
    }
    var rows = FirstAffectedRows()
    rows[pair(1, 3)] = Int.max
    #expect(rows[pair(1, 4)] == nil)
    rows[pair(3, 4)] = 6
    #expect(rows[pair(1, 4)] == 6)
    rows[pair(1, 4)] = 6
    rows[pair(4, 5)] = Int.max
    #expect(rows[pair(1, 5)] == nil, "it has seen a change on the way")
    // Those that lead to the version before are gone on from.
    rows.forget(before: versions[3])
    #expect(rows[pair(1, 3)] == Int.max)
    rows.forget(before: versions[4])
    #expect(rows[pair(1, 3)] == nil && rows[pair(3, 4)] == 6)

    let kind = WaitedLenses.Kind(Lens(find: FindSearch(words: [Array("a".utf8)])))
    func found(_ from: Int, _ to: Int) -> FoundPair {
      .init(from: versions[from - 1], to: versions[to - 1], kind: kind)
    }
    rows[found(1, 3)] = false
    rows[found(3, 4)] = true
    #expect(rows[found(1, 4)] == true && rows[found(2, 4)] == nil)
  }

  /// A waiter that one version after the other shows nothing: each step is known when the next one is asked for.
  @Test func manyStepsAreJoined() {
    let (epoch, appearance) = (Epoch(rawValue: 7), LensTag.Digest(rawValue: 1))
    let kind = WaitedLenses.Kind(Lens(find: FindSearch(words: [Array("a".utf8)])))
    func cursor(_ version: Int) -> Cursor { Cursor(epoch: epoch, version: UInt64(version)) }
    func pair(_ from: Int, _ to: Int) -> FirstAffectedRows.Pair {
      .init(from: cursor(from), to: cursor(to), appearance: appearance)
    }
    func found(_ from: Int, _ to: Int) -> FoundPair {
      .init(from: cursor(from), to: cursor(to), kind: kind, appearance: appearance)
    }
    var rows = FirstAffectedRows()
    for version in 2...9 {
      rows.forget(before: cursor(version))
      rows[pair(version - 1, version)] = version == 9 ? 3 : Int.max
      rows[found(version - 1, version)] = version == 9
      #expect(rows[pair(1, version)] == (version == 9 ? 3 : Int.max), "version \(version)")
      #expect(rows[found(1, version)] == (version == 9), "version \(version)")
    }
  }

  /// An event loop looks at few rows: whether it is told by many what a client sees is found out on the table's queue, and kept.
  @Test func manyRowsAreLookedAtOnTheTablesQueue() throws {
    let items = (0..<200).map { "{n: r\($0), k: a}" }.joined(separator: ", ")
    let definition = try ServiceDefinition.read(
      """
      cells:
        Label: {nib: Label, fields: {title: string}}
        Note: {nib: Note, fields: {title: string, note: string}, fallback: Label}
      tables:
        t:
          source: {local: {items: [\(items)]}}
          row: {id: "${n}"}
          cell: Note
          payload: {title: "${n}", note: "${k}"}
      """
    )
    let engine = try Engine(definition, EngineEnvironment.silent(MemoryStore()))
    let table = try #require(engine.catalog.tables.first)
    let part = LensRequest.Window.rows(try #require(WindowRange(from: 2, rows: 150)))
    for (window, count, isFound) in [(LensRequest.Window.all, 200, false), (.all, 3, true), (part, 200, false)] {
      let lens = table.lens(LensRequest(cells: try AcceptedCells(["Label"]), window: window), after: nil)
      let before = table.state(for: TableQuery(.snapshot, lens)).to
      let edits = (0..<count).map { Edit.patch(row: "r\($0)", ["k": .string("\(before.version)")]) }
      let done = DispatchSemaphore(value: 0)
      table.edit(EditRequest(edits, caller: CallerFields([]))) { _ in done.signal() }
      done.wait()
      #expect(table.current.number == before.version + 1)
      let query = TableQuery(.changes(after: before), lens)
      #expect(table.isFound(query) == isFound, "\(window), \(count) rows")
      table.find(query, for: ReplyAsker(share: 1)) { done.signal() }
      done.wait()
      #expect(table.isFound(query) && table.state(for: query).isCurrent, "\(window), \(count) rows")
    }
  }
}
