import Foundation
import TablecastTesting
import UIKit
import XCTest

@testable import Adapters
@testable import TablecastClient

/// A search field and a menu in the navigation bar, as the service offers them.
final class FindingTests: XCTestCase {
  func testTheFieldAndTheMenuAreTheServices() async throws { try await Self.find() }
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
