import Foundation
import TablecastTesting

@testable import Adapters
@testable import TablecastClient

/// What the tests of all adapters share: a client whose service never answers, so that the tests give the changes.
@MainActor
enum AdapterRun {
  static let changes = 150

  static func client(_ transport: ScriptedTransport = ScriptedTransport()) -> TablecastClient<AnyCell> {
    var options = ClientOptions()
    (options.transport, options.scheduler) = (transport, ManualScheduler())
    return TablecastClient(url: URL(fileURLWithPath: "/"), options: options)
  }

  /// Random changes, each followed by a gesture. Returns how many stages changed the structure after the
  /// first state, which is loaded.
  @discardableResult
  static func drive(_ driver: TableDriver<AnyCell>, seed: UInt64, gesture: ((Int) -> Bool) -> Void) -> Int {
    var table = RandomTable(seed: seed)
    var snapshot = TableSnapshot(TableAddress("t"))
    var structural = 0
    for _ in 0..<changes {
      let former = snapshot
      table.change()
      snapshot.sections = table.sections
      snapshot.revision += 1
      // Edits come and go: their rows are filled again.
      let rows = table.sections.flatMap { $0.rows.map(\.id) }
      snapshot.pendingRows = rows.isEmpty || !table.chance(3) ? [] : [rows[rows.count / 2]]
      snapshot.edits = edits(driver)
      let stages = snapshot.stages(from: former)
      if snapshot.revision > 1 { structural += stages.filter(\.changesStructure).count }
      driver.take(TableChange(kind: .stages(stages), from: former.revision, snapshot: snapshot))
      gesture { table.chance($0) }
      driver.proceed()
    }
    if driver.awaitedMove != nil {
      snapshot.revision += 1
      take(driver, snapshot)
    }
    return structural
  }

  /// The client has heard of the user's move.
  private static func edits(_ driver: TableDriver<AnyCell>) -> [EditStatus] {
    driver.awaitedMove.map { [EditStatus(id: $0, edit: .refresh, state: .sent)] } ?? []
  }

  /// One section of rows that may be edited and moved, and offer an action.
  static func snapshot(_ ids: [String], revision: Int) throws -> TableSnapshot {
    var section = TableSection(id: "s")
    section.header = try JSONText("{\"cellIdentifier\":\"Label\",\"payload\":{\"title\":\"Header \(revision)\"}}")
    let rows = try ids.map { id in
      let json = """
        {"id":"\(id)","cellIdentifier":"Label","payload":{"title":"\(id)"},"can":{"edit":true,"move":true,"select":true},
         "actions":[{"id":"archive","title":"Archive"}]}
        """
      return try TableRow(JSONText(json))
    }
    section.rows = TableRows(rows)
    var snapshot = TableSnapshot(TableAddress("t"))
    snapshot.sections = ids.isEmpty ? [] : [section]
    snapshot.cursor = TableCursor("00000000000a.\(revision + 1)")
    snapshot.connection = .live
    snapshot.attributes.state = ids.isEmpty ? .empty : .ready
    snapshot.revision = revision
    return snapshot
  }

  static func take(_ driver: TableDriver<AnyCell>, _ snapshot: TableSnapshot) {
    let kind: TableChange.Kind = snapshot.revision == 0 ? .reset : .stages([])
    var snapshot = snapshot
    snapshot.edits = edits(driver)
    driver.take(TableChange(kind: kind, from: -1, snapshot: snapshot))
  }

  static func title(_ row: DisplayedRow<AnyCell>) -> String { title(row.row) + (row.isPending ? "…" : "") }
  static func title(_ row: TableRow) -> String { row.json["payload"]?["title"]?.string ?? "" }

  /// What the cells of a state show.
  static func titles(_ snapshot: TableSnapshot?) -> [[String]] {
    (snapshot?.sections ?? []).map { section in
      section.rows.map { title($0) + (snapshot?.pendingRows.contains($0.id) ?? false ? "…" : "") }
    }
  }

  static func header(_ section: TableSection) -> String? { section.header?["payload"]?["title"]?.string }
}
