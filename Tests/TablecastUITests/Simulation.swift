import Foundation
import TablecastTesting

@testable import TablecastClient
@testable import TablecastUI

/// Random tables of the service's differ and random gestures, on a driver whose view refuses what real ones refuse.
@MainActor
struct Simulation<View: StrictView> {
  let seed: UInt64
  let view: View
  let driver: TableDriver<SimulatedCell>
  private var table: RandomTable
  private var service: ServiceTable
  private var snapshot = TableSnapshot(TableAddress("t"))
  private var rounds = 0

  /// - Parameter shownTo: what the driver takes for the view; a fault stands there between the two.
  init(seed: UInt64, _ view: View, shownTo: (View) -> any ListView = { $0 }) throws {
    self.seed = seed
    self.view = view
    table = RandomTable(seed: seed)
    service = try ServiceTable()
    var options = ClientOptions()
    (options.transport, options.scheduler) = (ScriptedTransport(), ManualScheduler())
    let client = TablecastClient(url: URL(fileURLWithPath: "/"), cells: SimulatedCell.self, options: options)
    let driver = TableDriver(client.table("t"), view: shownTo(view))
    self.driver = driver
    view.dataSource = { [weak driver] in driver?.sections ?? [] }
    view.whileFilling = { [weak driver] in driver?.proceed() }
  }

  /// One change and what the user does meanwhile.
  mutating func step() throws {
    rounds += 1
    let former = snapshot
    let isStatus = table.chance(10)
    if !isStatus { table.change() }
    let stages = try service.show(table.sections)
    snapshot.sections = service.sections
    snapshot.revision += 1
    snapshot.edits = edits
    let rows = snapshot.sections.flatMap { $0.rows.map(\.id) }
    snapshot.pendingRows = rows.isEmpty || !table.chance(3) ? [] : [rows[rows.count / 2]]
    let kind: TableChange.Kind = isStatus ? .status : table.chance(20) ? .reset : .stages(stages)
    // Now and then a change is missed: `from` says so.
    let isMissed = table.chance(30)
    if !isMissed { driver.take(TableChange(kind: kind, from: former.revision, snapshot: snapshot)) }
    if table.chance(6) { view.isInteracting.toggle() }
    if table.chance(15) { view.isInWindow.toggle() }
    if table.chance(40) { view.loseCount() }
    if table.chance(12) { move() }
    if !view.isInteracting { driver.proceed() }
    if table.chance(2) { view.complete() }
  }

  /// The client has heard of the user's move.
  private var edits: [EditStatus] {
    driver.awaitedMove.map { [EditStatus(id: $0, edit: .refresh, state: .sent)] } ?? []
  }

  /// The user's own move, of a row that the view shows.
  private mutating func move() {
    let shown = driver.sections
    guard !view.hasPending, view.isInWindow, view.rowCounts == shown.map(\.rows.count),
      let from = shown.indices.first(where: { !shown[$0].rows.isEmpty })
    else { return }
    let to = RowPath(section: shown.count - 1, row: 0)
    let origin = RowPath(section: from, row: shown[from].rows.count - 1)
    view.drag(origin, to: to)
    driver.didMove(from: origin, to: to)
  }

  /// Lets everything come to rest. The view then shows what the service has.
  mutating func end() throws -> [String] {
    (view.isInteracting, view.isInWindow) = (false, true)
    snapshot.revision += 1
    snapshot.edits = edits
    driver.take(TableChange(kind: .status, from: -1, snapshot: snapshot))
    settle()
    // Where the app's meddling came last, the driver sees that the view has lost count at the next thing to do.
    if view.rowCounts != driver.sections.map(\.rows.count) {
      table.grow()
      let former = snapshot.revision
      let stages = try service.show(table.sections)
      snapshot.sections = service.sections
      snapshot.revision += 1
      driver.take(TableChange(kind: .stages(stages), from: former, snapshot: snapshot))
      settle()
    }
    view.compareContents()
    var violations = view.violations
    if view.rowCounts != driver.sections.map(\.rows.count) { violations.append("the view counts otherwise at the end") }
    if driver.sections != service.sections { violations.append("the mirror isn't what the service has") }
    if driver.sections != driver.snapshot?.sections { violations.append("the snapshot isn't what is shown") }
    return violations
  }

  private func settle() {
    for _ in 0..<8 {
      view.complete()
      driver.proceed()
    }
  }
}
