import AppKit
import Foundation
import TablecastTesting
import XCTest

@testable import Adapters
@testable import TablecastClient

/// `NSTableView`, whose indices count anew after every operation.
final class AppKitTests: XCTestCase {
  func testRandomChangesAndGestures() async {
    for seed in UInt64(0)..<10 { await Self.show(seed: seed) }
  }

  func testAReloadKeepsThePlaceAndTheSelection() async throws { try await Self.keepPlace() }
  func testASwipeOffersDeletionAndActions() async throws { try await Self.swipe() }
  func testAMenuOffersDeletionAndActions() async throws { try await Self.menu() }
  func testAViewsNextDriverReplacesThePartsOfTheOneBefore() async throws { try await Self.replace() }
  func testAnAppsOwnMenuStays() async { await Self.ownMenu() }

  @MainActor
  private static func driver(_ view: NSTableView, _ client: TablecastClient<AnyCell> = AdapterRun.client())
    -> TableDriver<AnyCell>
  {
    TableDriver(client.table("t"), view) { NSTextField(labelWithString: AdapterRun.title($1)) }
  }

  @MainActor
  private static func show(seed: UInt64) {
    let view = NSTableView()
    view.window = NSWindow()
    let driver = driver(view)
    AdapterRun.drive(driver, seed: seed) { chance in
      if chance(3) { view.editedRow = view.editedRow < 0 ? 0 : -1 }
      if chance(12) { view.window = view.window == nil ? NSWindow() : nil }
    }
    (view.editedRow, view.window) = (-1, NSWindow())
    for _ in 0..<10 { driver.proceed() }
    XCTAssertEqual(view.exceptions, [], "seed \(seed)")
    let titles = zip(driver.sections, AdapterRun.titles(driver.snapshot)).flatMap { section, rows in
      (section.header == nil ? [] : [AdapterRun.header(section) ?? ""]) + rows
    }
    let shown = view.views.map { ($0 as? NSTextField)?.stringValue ?? "" }
    XCTAssertEqual(shown.difference(from: titles).map { "\($0)" }, [], "seed \(seed)")
  }

  @MainActor
  private static func keepPlace() throws {
    let view = NSTableView()
    view.window = NSWindow()
    let driver = driver(view)
    AdapterRun.take(driver, try AdapterRun.snapshot(["1", "2", "3"], revision: 0))
    // Lines: the header, 1, 2, 3. From the middle of row 1 on.
    view.scroll(NSPoint(x: 0, y: 15))
    view.selectRowIndexes(IndexSet(integer: 2), byExtendingSelection: false)
    view.window = nil
    AdapterRun.take(driver, try AdapterRun.snapshot(["8", "9", "1", "2"], revision: 1))
    XCTAssertEqual(view.visibleRect.minY, 35)
    XCTAssertEqual(view.selectedRowIndexes, IndexSet(integer: 4))
  }

  @MainActor
  private static func menu() throws {
    let view = NSTableView()
    view.window = NSWindow()
    let transport = ScriptedTransport()
    let client = AdapterRun.client(transport)
    let driver = driver(view, client)
    AdapterRun.take(driver, try AdapterRun.snapshot(["1", "2"], revision: 0))
    // Not on the header, nor beside the rows.
    for line in [-1, 0, 9] {
      view.clickedRow = line
      XCTAssertNil(view.menu?.open(), "line \(line)")
    }
    view.clickedRow = 2
    let shorter = try AdapterRun.snapshot(["2"], revision: 1)
    let items = view.menu?.open { item in
      if item.title == "Archive" { (item as? RowMenuItem)?.choose() }
    } whileOpen: {
      AdapterRun.take(driver, shorter)
      XCTAssertEqual(view.views.count, 3, "what changes while it is open waits")
    }
    XCTAssertEqual(items?.map(\.title), ["Delete", "Archive"])
    XCTAssertEqual(view.views.count, 2)
    client.engine.settle()
    // Of the row that was clicked, wherever it stands by then.
    XCTAssertTrue(transport.requests.contains { $0.method == "POST" && $0.url.hasSuffix("/rows/2/actions/archive") })
    XCTAssertEqual(view.exceptions, [])
  }

  @MainActor
  private static func ownMenu() {
    let view = NSTableView()
    let menu = NSMenu(title: "mine")
    view.menu = menu
    let driver = driver(view)
    XCTAssertTrue(view.menu === menu && menu.delegate == nil)
    withExtendedLifetime(driver) {}
  }

  @MainActor
  private static func replace() throws {
    let view = NSTableView()
    view.window = NSWindow()
    let frame = NSScrollView()
    view.enclosingScrollView = frame
    let first = driver(view)
    AdapterRun.take(first, try AdapterRun.snapshot([], revision: 0))
    let menu = view.menu
    let second = driver(view)
    XCTAssertTrue(frame.subviews.isEmpty)
    XCTAssertFalse(view.menu === menu)
    AdapterRun.take(second, try AdapterRun.snapshot(["1"], revision: 0))
    view.clickedRow = 1
    XCTAssertEqual(view.menu?.open()?.map(\.title), ["Delete", "Archive"])
    withExtendedLifetime((first, second)) {}
  }

  @MainActor
  private static func swipe() throws {
    let view = NSTableView()
    view.window = NSWindow()
    let frame = NSScrollView()
    view.enclosingScrollView = frame
    let driver = driver(view)
    AdapterRun.take(driver, try AdapterRun.snapshot([], revision: 0))
    XCTAssertEqual(frame.subviews.compactMap { ($0 as? NSTextField)?.stringValue }, ["Nothing here yet"])
    AdapterRun.take(driver, try AdapterRun.snapshot(["1"], revision: 1))
    XCTAssertTrue(frame.subviews.isEmpty)
    let actions = view.delegate?.tableView(view, rowActionsForRow: 1, edge: .trailing)
    XCTAssertEqual(actions?.map(\.title), ["Delete", "Archive"])
    XCTAssertEqual(view.delegate?.tableView(view, rowActionsForRow: 0, edge: .trailing).count, 0)
    // Held while the row is swiped open.
    view.rowActionsVisible = true
    AdapterRun.take(driver, try AdapterRun.snapshot([], revision: 2))
    XCTAssertEqual(view.views.count, 2)
    view.rowActionsVisible = false
    driver.proceed()
    XCTAssertTrue(view.views.isEmpty)
    XCTAssertEqual(view.exceptions, [])
  }
}
