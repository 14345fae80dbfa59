import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient
@testable import TablecastUI

/// The driver against a view that refuses what UIKit raises exceptions for.
@MainActor
@Suite struct TableDriverTests {
  private static let client = TablecastClient(url: URL(fileURLWithPath: "/"), cells: AnyCell.self)

  @Test func aReloadKeepsTheSelectionAndTheScrollPosition() {
    let view = StrictListView()
    let driver = TableDriver(Self.client.table("t"), view: view)
    view.dataSource = { driver.sections }
    take(driver, [["1", "2", "3"]], revision: 1, .reset)
    view.select([RowPath(section: 0, row: 1)])
    view.anchorRow = "3"
    take(driver, [["9"], ["3", "2"]], revision: 2, .reset)
    #expect(view.reloads == 2)
    #expect(view.selection == ["2"])
    #expect(view.scrolledTo == RowPath(section: 1, row: 0))
  }

  @Test func aResetOfTheSameRowsFillsThemInPlace() {
    let view = StrictListView()
    let driver = TableDriver(Self.client.table("t"), view: view)
    view.dataSource = { driver.sections }
    take(driver, [["1", "2"]], revision: 1, .reset)
    take(driver, [["1", "2"]], revision: 2, .reset, text: 7)
    view.compareContents()
    #expect(view.reloads == 1)
    #expect(view.violations.isEmpty)
  }

  @Test func whatComesWhileTheUserDragsArrivesAsOneBatch() {
    let view = StrictListView()
    let driver = TableDriver(Self.client.table("t"), view: view)
    view.dataSource = { driver.sections }
    take(driver, [["1", "2"]], revision: 1, .reset)
    view.isInteracting = true
    take(driver, [["1"]], revision: 2, .stages([]))
    take(driver, [["1", "5"]], revision: 3, .stages([]))
    take(driver, [["5", "6"]], revision: 4, .stages([]))
    #expect(view.batches == 0)
    view.isInteracting = false
    driver.proceed()
    view.complete()
    #expect(view.batches == 1)
    #expect(driver.sections.flatMap { $0.rows.map(\.id) } == ["5", "6"])
    #expect(view.violations.isEmpty)
  }

  /// Nothing waits for a move that no state will ever have.
  @Test func aMoveThatIsOverHoldsNothingBack() async throws {
    var options = ClientOptions()
    (options.transport, options.scheduler) = (ScriptedTransport(), ManualScheduler())
    let client = TablecastClient(url: URL(fileURLWithPath: "/"), cells: AnyCell.self, options: options)
    let view = StrictListView()
    let driver = TableDriver(client.table("t"), view: view)
    view.dataSource = { driver.sections }
    take(driver, [["1", "2"]], revision: 1, .reset)
    view.drag(RowPath(section: 0, row: 0), to: RowPath(section: 0, row: 1))
    driver.didMove(from: RowPath(section: 0, row: 0), to: RowPath(section: 0, row: 1))
    take(driver, [["1", "2", "3"]], revision: 2, .stages([]))
    #expect(driver.sections[0].rows.map(\.id) == ["2", "1"])
    driver.table.discard(try #require(driver.awaitedMove))
    for _ in 0..<500 where driver.awaitedMove != nil { try await Task.sleep(nanoseconds: 2_000_000) }
    view.complete()
    #expect(driver.sections[0].rows.map(\.id) == ["1", "2", "3"])
    #expect(view.violations.isEmpty)
  }

  private func take(
    _ driver: TableDriver<AnyCell>,
    _ rows: [[String]],
    revision: Int,
    _ kind: TableChange.Kind,
    text: Int = 1
  ) {
    var snapshot = TableSnapshot(TableAddress("t"))
    snapshot.sections = rows.enumerated().map { index, ids in
      var section = TableSection(id: "s\(index)")
      section.rows = TableRows(ids.compactMap { Int($0) }.map { RandomTable.row($0, text) })
      return section
    }
    snapshot.revision = revision
    driver.take(TableChange(kind: kind, from: revision - 1, snapshot: snapshot))
  }
}
