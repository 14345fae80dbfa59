import Definitions
import Dispatch
import Queues
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// Rows of a caller's own are nobody's to see after nobody has read them for a while, until the upstream has agreed again.
@Suite struct ConcealedRowsTests {
  /// Whoever comes before the table has got round to that waits for it, a poll too.
  @Test func aReaderWaitsUntilTheyAreConcealed() throws {
    let definition = try ServiceDefinition.read(
      """
      sources: {mine: {url: "http://127.0.0.1:1/mine", forward: [Authorization]}}
      cells: {Label: {fields: {title: string}}}
      tables: {mine: {source: mine, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}}
      """
    )
    let engine = try Engine(definition, EngineEnvironment.silent(GatedStore()))
    var budget = MemberBudget()
    let caller = CallerFields([("Authorization", "Bearer a")])
    let table = try engine.catalog.table(TableReference(name: "mine", parameters: []), in: nil, for: caller, &budget)
    let reading = { table.isBehind(LensRequest(), after: table.current.cursor, waits: true) && table.mayBeBehind }
    #expect(table.isPrivate && !reading())
    let goOn = DispatchSemaphore(value: 0)
    table.writer.content.queue.async { goOn.wait() }
    table.freeze()
    table.thaw()
    #expect(reading())
    goOn.signal()
    let isRead = DispatchSemaphore(value: 0)
    table.readBarrier(view: nil) { _, _ in isRead.signal() }
    #expect(isRead.wait(timeout: .now() + 60) == .success)
    #expect(!reading())
  }
}
