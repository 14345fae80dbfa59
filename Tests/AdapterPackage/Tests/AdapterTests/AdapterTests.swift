import AppKit
import Foundation
import TablecastTesting
import UIKit
import XCTest

@testable import Adapters
@testable import TablecastClient

/// The adapters against views that note what Apple's raise exceptions for.
///
/// XCTest: Swift Testing looks for overlays of its own beside modules named UIKit and AppKit.
final class AdapterTests: XCTestCase {
  /// A client whose service never answers: the tests give the changes.
  @MainActor
  private static func client() -> TablecastClient<AnyCell> {
    var options = ClientOptions()
    (options.transport, options.scheduler) = (ScriptedTransport(), ManualScheduler())
    return TablecastClient(url: URL(fileURLWithPath: "/"), options: options)
  }

  func testATableViewShowsTheTable() async {
    for seed in UInt64(0)..<10 { await Self.showInATableView(seed: seed) }
  }

  func testAnAppKitViewShowsTheTable() async {
    for seed in UInt64(0)..<10 { await Self.showInAnAppKitView(seed: seed) }
  }

  func testASwipeDeletesAndOffersActions() async throws { try await Self.swipe() }

  @MainActor
  private static func showInATableView(seed: UInt64) {
    let view = UITableView()
    view.window = UIWindow()
    for cell in ["Label", "Other"] { view.register(UITableViewCell.self, forCellReuseIdentifier: cell) }
    let driver = TableDriver(client().table("t"), view) { cell, row in
      cell.textLabel?.text = row.row.json["payload"]?["title"]?.string
    }
    drive(driver, seed: seed) { chance in
      if chance(3) { view.isDragging.toggle() }
      if chance(5) { view.hasUncommittedUpdates.toggle() }
      if chance(12) { view.window = view.window == nil ? UIWindow() : nil }
      if chance(2) { view.completeAnimations() }
    }
    (view.isDragging, view.hasUncommittedUpdates, view.window) = (false, false, UIWindow())
    for _ in 0..<10 {
      view.completeAnimations()
      driver.proceed()
    }
    XCTAssertEqual(view.exceptions, [])
    XCTAssertTrue(view.batches > 0)
    let titles = driver.sections.map { $0.rows.map { $0.json["payload"]?["title"]?.string } }
    XCTAssertEqual(view.cells.map { $0.map { $0.textLabel?.text } }, titles)
    XCTAssertEqual(driver.sections, driver.snapshot?.sections)
  }

  @MainActor
  private static func showInAnAppKitView(seed: UInt64) {
    let view = NSTableView()
    view.window = NSWindow()
    let driver = TableDriver(client().table("t"), view) { _, row in
      NSTextField(labelWithString: row.row.json["payload"]?["title"]?.string ?? "")
    }
    drive(driver, seed: seed) { chance in
      if chance(3) { view.editedRow = view.editedRow < 0 ? 0 : -1 }
      if chance(12) { view.window = view.window == nil ? NSWindow() : nil }
    }
    (view.editedRow, view.window) = (-1, NSWindow())
    for _ in 0..<10 { driver.proceed() }
    XCTAssertEqual(view.exceptions, [])
    XCTAssertTrue(view.batches > 0)
    let titles = driver.sections.flatMap { section in
      [section.header?["payload"]?["title"]?.string].compactMap(\.self)
        + section.rows.compactMap { $0.json["payload"]?["title"]?.string }
    }
    XCTAssertEqual(view.views.map { ($0 as? NSTextField)?.stringValue }, titles)
  }

  @MainActor
  private static func swipe() throws {
    let view = UITableView()
    view.window = UIWindow()
    view.register(UITableViewCell.self, forCellReuseIdentifier: "Label")
    let client = client()
    let driver = TableDriver(client.table("t"), view) { _, _ in }
    var snapshot = TableSnapshot(TableAddress("t"))
    var section = TableSection(id: "s")
    let json = """
      {"id":"1","cellIdentifier":"Label","payload":{},"can":{"edit":true,"move":true,"select":true},
       "actions":[{"id":"archive","title":"Archive"}]}
      """
    section.rows = [try TableRow(JSONText(json))]
    snapshot.sections = [section]
    driver.take(TableChange(kind: .reset, from: 0, snapshot: snapshot))
    let adapter = try XCTUnwrap(view.dataSource as? UITableViewAdapter<AnyCell>)
    let path = IndexPath(row: 0, section: 0)
    let swipe = adapter.tableView(view, trailingSwipeActionsConfigurationForRowAt: path)
    XCTAssertEqual(swipe?.actions.map(\.title), [nil, "Archive"])
    XCTAssertTrue(adapter.tableView(view, canMoveRowAt: path))
    // Held while the row is swiped open.
    adapter.tableView(view, willBeginEditingRowAt: path)
    snapshot.sections = []
    snapshot.revision = 1
    driver.take(
      TableChange(kind: .stages(snapshot.stages(from: TableSnapshot(TableAddress("t")))), from: 0, snapshot: snapshot)
    )
    XCTAssertEqual(view.cells.count, 1)
    adapter.tableView(view, didEndEditingRowAt: path)
    XCTAssertTrue(view.cells.isEmpty)
    XCTAssertEqual(view.exceptions, [])
  }

  @MainActor
  private static func drive(_ driver: TableDriver<AnyCell>, seed: UInt64, gesture: ((Int) -> Bool) -> Void) {
    var table = RandomTable(seed: seed)
    var snapshot = TableSnapshot(TableAddress("t"))
    for _ in 0..<150 {
      let former = snapshot
      table.change()
      snapshot.sections = table.sections
      snapshot.revision += 1
      driver.take(TableChange(kind: .stages(snapshot.stages(from: former)), from: former.revision, snapshot: snapshot))
      gesture { table.chance($0) }
      driver.proceed()
    }
  }
}
