import Foundation
import TablecastTesting
import UIKit
import XCTest

@testable import Adapters
@testable import TablecastClient

/// A search field and a menu in the navigation bar, as the service offers them.
final class FindingTests: XCTestCase {
  func testTheFieldAndTheMenuAreTheServices() async throws { try await Self.find() }
  func testABarsNextDriverReplacesThePartsOfTheOneBefore() async throws { try await Self.replace() }
  func testAnAppsOwnPartsStay() async throws { try await Self.ownParts() }
  func testRowsInAChosenOrderCannotBeMoved() async throws { try await Self.order() }

  private static let offer = """
    {"prompt":"Search tasks","sorts":[{"id":"new","title":"Newest"}],"filters":[{"id":"state","title":"State","values":[\
    {"value":"open","title":"Open","count":2,"selected":false}]}]}
    """

  @MainActor
  private static func find() async throws {
    let transport = ScriptedTransport()
    let client = AdapterRun.client(transport)
    let view = UITableView()
    view.window = UIWindow()
    view.register(UITableViewCell.self, forCellReuseIdentifier: "Label")
    let table = client.table("t")
    let driver = TableDriver(table, view) { _, _ in }
    let controller = UIViewController()
    driver.offerFinding(in: controller.navigationItem)
    var snapshot = try AdapterRun.snapshot(["1"], revision: 0)
    AdapterRun.take(driver, snapshot)
    XCTAssertNil(controller.navigationItem.searchController, "nothing is offered yet")
    snapshot.attributes.find = TableFind(try JSONText(offer))
    snapshot.revision = 1
    AdapterRun.take(driver, snapshot)
    let search = try XCTUnwrap(controller.navigationItem.searchController)
    XCTAssertEqual(search.searchBar.placeholder, "Search tasks")
    let button = try XCTUnwrap(controller.navigationItem.rightBarButtonItems?.first)
    let menu = try XCTUnwrap(button.menu)
    let filter = try XCTUnwrap(menu.children.first as? UIMenu)
    let open = try XCTUnwrap(filter.children.first as? UIAction)
    XCTAssertEqual(open.title, "Open (2)")
    XCTAssertEqual(open.state, .off)
    search.type("swi")
    open.perform()
    let marked = ((button.menu?.children.first as? UIMenu)?.children.first as? UIAction)?.state
    XCTAssertEqual(marked, .on, "marked before the answer")
    XCTAssertEqual(button.image?.systemName, "line.3.horizontal.decrease.circle.fill")
    let sorts = try XCTUnwrap(button.menu?.children.last as? UIMenu).children.compactMap { $0 as? UIAction }
    XCTAssertEqual(sorts.map(\.title), ["Default order", "Newest"])
    XCTAssertEqual(sorts.map(\.state), [.on, .off])
    sorts[1].perform()
    client.engine.settle()
    let asked = client.engine.follower.tables[table.address]?.wantedSearch
    XCTAssertEqual(asked, TableSearch(q: "swi", filters: ["state": ["open"]], sort: "new"))
    withExtendedLifetime(driver) {}
  }

  /// A driver that offers finding in a bar.
  @MainActor
  private static func driver(_ table: LiveTable<AnyCell>, in item: UINavigationItem) -> TableDriver<AnyCell> {
    let driver = TableDriver(table, UITableView()) { _, _ in }
    driver.offerFinding(in: item)
    return driver
  }

  /// The driver takes a state that has no rows, and offers that.
  @MainActor
  private static func show(_ offer: String, _ driver: TableDriver<AnyCell>, revision: Int) throws {
    var snapshot = try AdapterRun.snapshot([], revision: revision)
    snapshot.attributes.find = TableFind(try JSONText(offer))
    AdapterRun.take(driver, snapshot)
  }

  @MainActor
  private static func replace() throws {
    let client = AdapterRun.client()
    let (table, next) = (client.table("t"), client.table("u"))
    let item = UINavigationItem()
    let first = driver(table, in: item)
    try show(offer, first, revision: 0)
    let former = (field: try XCTUnwrap(item.searchController), button: try XCTUnwrap(item.rightBarButtonItems?.first))
    let second = driver(next, in: item)
    XCTAssertNil(item.searchController)
    XCTAssertEqual(item.rightBarButtonItems?.count, 0)
    // The first driver lives on, and hears of other counts.
    try show(offer.replacingOccurrences(of: #""count":2"#, with: #""count":3"#), first, revision: 1)
    XCTAssertNil(item.searchController)
    try show(offer, second, revision: 0)
    let field = try XCTUnwrap(item.searchController)
    XCTAssertFalse(field === former.field)
    XCTAssertEqual(item.rightBarButtonItems?.count, 1)
    XCTAssertFalse(item.rightBarButtonItems?.first === former.button)
    field.type("swi")
    client.engine.settle()
    let asked = [table, next].map { client.engine.follower.tables[$0.address]?.wantedSearch?.q }
    XCTAssertEqual(asked, ["", "swi"])
    withExtendedLifetime((first, second)) {}
  }

  @MainActor
  private static func ownParts() throws {
    let client = AdapterRun.client()
    let item = UINavigationItem()
    let (field, button) = (UISearchController(searchResultsController: nil), UIBarButtonItem(title: "mine"))
    (item.searchController, item.rightBarButtonItems) = (field, [button])
    for name in ["t", "u"] {
      let driver = driver(client.table(name), in: item)
      try show(offer, driver, revision: 0)
      XCTAssertTrue(item.searchController === field)
      XCTAssertTrue(item.rightBarButtonItems?.first === button)
      XCTAssertEqual(item.rightBarButtonItems?.count, 2, "the app's and the adapter's")
    }
  }

  @MainActor
  private static func order() async throws {
    let view = UITableView()
    view.window = UIWindow()
    view.register(UITableViewCell.self, forCellReuseIdentifier: "Label")
    let client = AdapterRun.client()
    let driver = TableDriver(client.table("t"), view) { _, _ in }
    var snapshot = try AdapterRun.snapshot(["1"], revision: 0)
    AdapterRun.take(driver, snapshot)
    let first = IndexPath(row: 0, section: 0)
    XCTAssertEqual(view.dataSource?.tableView(view, canMoveRowAt: first), true)
    (snapshot.search, snapshot.revision) = (TableSearch(sort: "new"), 1)
    AdapterRun.take(driver, snapshot)
    XCTAssertEqual(view.dataSource?.tableView(view, canMoveRowAt: first), false)
    withExtendedLifetime(driver) {}
  }
}
