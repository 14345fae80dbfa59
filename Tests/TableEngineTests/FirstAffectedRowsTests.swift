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
}
