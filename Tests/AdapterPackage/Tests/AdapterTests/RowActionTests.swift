import Foundation
import TablecastTesting
import UIKit
import XCTest

@testable import Adapters
@testable import TablecastClient

/// What rows offer, what holds changes back, what stands where there are no rows, and pulling to refresh.
final class RowActionTests: XCTestCase {
  func testSwipesAndMenusOfferTheSame() async throws { try await Self.offers() }
  func testWhatIsSwipedOpenOrHasAMenuIsNotTakenAway() async throws { try await Self.hold() }
  func testStatesAreShownWhereThereAreNoRows() async throws { try await Self.states() }
  func testAnAppsOwnBackgroundStays() async throws { try await Self.ownBackground() }
  func testAViewsNextDriverReplacesThePartsOfTheOneBefore() async throws { try await Self.replace() }
  func testPullingHasTheSourcesFetched() async throws { try await Self.pull() }

  private static let first = IndexPath(row: 0, section: 0)

  @MainActor
  private static func tableView(_ client: TablecastClient<AnyCell>) throws -> (UITableView, TableDriver<AnyCell>) {
    let view = UITableView()
    view.window = UIWindow()
    view.register(UITableViewCell.self, forCellReuseIdentifier: "Label")
    let driver = TableDriver(client.table("t"), view) { _, _ in }
    AdapterRun.take(driver, try AdapterRun.snapshot(["1"], revision: 0))
    return (view, driver)
  }

  /// What the client sends, once it is sent.
  @MainActor
  private static func request(_ transport: ScriptedTransport, _ client: TablecastClient<AnyCell>, _ path: String)
    async -> Bool
  {
    for _ in 0..<500 {
      client.engine.settle()
      if transport.requests.contains(where: { $0.url.contains(path) }) { return true }
      try? await Task.sleep(nanoseconds: 2_000_000)
    }
    return false
  }

  @MainActor
  private static func offers() async throws {
    let transport = ScriptedTransport()
    let client = AdapterRun.client(transport)
    let (view, shown) = try tableView(client)
    defer { withExtendedLifetime(shown) {} }
    let delegate = try XCTUnwrap(view.delegate)
    let swipe = try XCTUnwrap(delegate.tableView(view, trailingSwipeActionsConfigurationForRowAt: first))
    XCTAssertEqual(swipe.actions.map(\.title), ["Delete", "Archive"])
    XCTAssertEqual(swipe.actions.map(\.style), [.destructive, .normal])
    let menu = try XCTUnwrap(delegate.tableView(view, contextMenuConfigurationForRowAt: first, point: .zero)?.menu)
    let items = menu.children.compactMap { $0 as? UIAction }
    XCTAssertEqual(items.map(\.title), ["Delete", "Archive"])
    XCTAssertEqual(items.map(\.attributes), [.destructive, []])
    items[1].perform()
    let isSent = await request(transport, client, "/rows/1/actions/archive")
    XCTAssertTrue(isSent)
    XCTAssertEqual(view.dataSource?.tableView(view, canMoveRowAt: first), true)
    XCTAssertEqual(delegate.tableView(view, editingStyleForRowAt: first), .delete)
    XCTAssertNil(
      delegate.tableView(view, contextMenuConfigurationForRowAt: IndexPath(row: 7, section: 3), point: .zero)
    )

    let list = UICollectionView()
    list.window = UIWindow()
    list.register(UICollectionViewCell.self, forCellWithReuseIdentifier: "Label")
    let driver = TableDriver(client.table("u"), list) { _, _ in }
    AdapterRun.take(driver, try AdapterRun.snapshot(["1"], revision: 0))
    let adapter = try XCTUnwrap(list.delegate as? UICollectionViewAdapter<AnyCell>)
    XCTAssertEqual(adapter.swipeActions(at: first)?.actions.map(\.title), ["Delete", "Archive"])
    let other = adapter.collectionView(list, contextMenuConfigurationForItemAt: first, point: .zero)?.menu
    XCTAssertEqual(other?.children.map(\.title), ["Delete", "Archive"])
  }

  @MainActor
  private static func hold() throws {
    let (view, driver) = try tableView(AdapterRun.client())
    let delegate = try XCTUnwrap(view.delegate)
    delegate.tableView(view, willBeginEditingRowAt: first)
    AdapterRun.take(driver, try AdapterRun.snapshot([], revision: 1))
    XCTAssertEqual(view.cells.count, 1)
    delegate.tableView(view, didEndEditingRowAt: first)
    view.completeAnimations()
    XCTAssertTrue(view.cells.isEmpty)
    AdapterRun.take(driver, try AdapterRun.snapshot(["1", "2"], revision: 2))
    view.completeAnimations()
    let menu = try XCTUnwrap(delegate.tableView(view, contextMenuConfigurationForRowAt: first, point: .zero))
    delegate.tableView(view, willDisplayContextMenu: menu, animator: nil)
    AdapterRun.take(driver, try AdapterRun.snapshot(["2"], revision: 3))
    XCTAssertEqual(view.cells[0].count, 2)
    delegate.tableView(view, willEndContextMenuInteraction: menu, animator: nil)
    view.completeAnimations()
    XCTAssertEqual(view.cells[0].count, 1)
    XCTAssertEqual(view.exceptions, [])
  }

  @MainActor
  private static func texts(_ view: UIView?) -> [String] {
    (view?.descendants ?? []).compactMap { ($0 as? UILabel)?.text }
  }

  @MainActor
  private static func states() throws {
    let (view, driver) = try tableView(AdapterRun.client())
    XCTAssertNil(view.backgroundView)
    AdapterRun.take(driver, try AdapterRun.snapshot([], revision: 1))
    XCTAssertEqual(texts(view.backgroundView), ["Nothing here yet"])
    var stale = try AdapterRun.snapshot(["1"], revision: 2)
    stale.attributes.state = .stale
    stale.attributes.problem = TableProblem(try JSONText(#"{"title":"Bad Gateway","detail":"The feed is down."}"#))
    AdapterRun.take(driver, stale)
    XCTAssertNil(view.backgroundView)
    XCTAssertEqual(view.subviews.flatMap { texts($0) }, ["This may be out of date", "The feed is down."])
    AdapterRun.take(driver, try AdapterRun.snapshot(["1"], revision: 3))
    XCTAssertTrue(view.subviews.isEmpty)
    var refused = try AdapterRun.snapshot([], revision: 4)
    refused.refusal = Problem(status: 403, title: "Forbidden", detail: "no token")
    AdapterRun.take(driver, refused)
    XCTAssertEqual(texts(view.backgroundView), ["Forbidden", "no token"])
    XCTAssertEqual(view.backgroundView?.descendants.filter { $0 is UIButton }.count, 1)
  }

  @MainActor
  private static func ownBackground() throws {
    let (view, driver) = try tableView(AdapterRun.client())
    let own = UIView()
    view.backgroundView = own
    AdapterRun.take(driver, try AdapterRun.snapshot([], revision: 1))
    AdapterRun.take(driver, try AdapterRun.snapshot(["1"], revision: 2))
    XCTAssertTrue(view.backgroundView === own)
  }

  @MainActor
  private static func replace() async throws {
    let transport = ScriptedTransport()
    let client = AdapterRun.client(transport)
    let (view, first) = try tableView(client)
    AdapterRun.take(first, try AdapterRun.snapshot([], revision: 1))
    XCTAssertNotNil(view.backgroundView)
    XCTAssertNotNil(view.refreshControl)
    // It may offer less than the one before.
    var options = AdapterOptions()
    options.refreshesByPull = false
    let second = TableDriver(client.table("u"), view, options: options) { _, _ in }
    XCTAssertNil(view.backgroundView)
    XCTAssertNil(view.refreshControl)
    var stale = try AdapterRun.snapshot(["1"], revision: 0)
    stale.attributes.state = .stale
    AdapterRun.take(second, stale)
    XCTAssertEqual(view.subviews.count, 1)
    // A view of this kind that the app has put there stays.
    let own = TableStatusView(TableStatus(.empty, title: "Mine")) {}
    view.backgroundView = own
    let third = TableDriver(client.table("v"), view) { _, _ in }
    XCTAssertTrue(view.subviews.isEmpty)
    XCTAssertTrue(view.backgroundView === own)
    let control = view.refreshControl
    let fourth = TableDriver(client.table("w"), view) { _, _ in }
    XCTAssertFalse(view.refreshControl === control)
    view.refreshControl?.sendActions(for: .valueChanged)
    let isSent = await request(transport, client, "/w/refresh")
    XCTAssertTrue(isSent)
    withExtendedLifetime((first, second, third, fourth)) {}
  }

  @MainActor
  private static func pull() async throws {
    let transport = ScriptedTransport()
    let client = AdapterRun.client(transport)
    let (view, driver) = try tableView(client)
    let control = try XCTUnwrap(view.refreshControl)
    control.beginRefreshing()
    control.sendActions(for: .valueChanged)
    let isSent = await request(transport, client, "/refresh")
    XCTAssertTrue(isSent)
    XCTAssertTrue(control.isRefreshing)
    for call in transport.waiting where call.request.url.contains("/refresh") {
      transport.answer(call.number, .failure(TransportFailure("no network")))
    }
    for _ in 0..<500 where control.isRefreshing { try await Task.sleep(nanoseconds: 2_000_000) }
    XCTAssertFalse(control.isRefreshing, "it doesn't turn until there is a network")
    withExtendedLifetime(driver) {}
  }
}
