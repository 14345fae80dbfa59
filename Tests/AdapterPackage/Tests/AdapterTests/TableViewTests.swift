import Foundation
import UIKit
import XCTest

@testable import Adapters
@testable import TablecastClient

/// `UITableView`, by stages and by a diffable data source, against a view that notes what Apple's raises exceptions for.
///
/// XCTest: Swift Testing looks for overlays of its own beside modules named UIKit and AppKit.
final class TableViewTests: XCTestCase {
  func testRandomChangesAndGestures() async {
    for seed in UInt64(0)..<6 {
      await Self.show(seed: seed, isDiffable: false)
      await Self.show(seed: seed, isDiffable: true)
    }
  }

  func testWithoutGesturesEachStageIsOneBatch() async {
    for seed in UInt64(0)..<6 { await Self.showEachStage(seed: seed) }
  }

  func testTheUsersOwnMoveIsNotDoneAgain() async throws {
    try await Self.move(isDiffable: false)
    try await Self.move(isDiffable: true)
  }

  func testWhatComesDuringADragDoesNotTakeTheRowBack() async throws {
    try await Self.dragMeanwhile(isDiffable: false)
    try await Self.dragMeanwhile(isDiffable: true)
  }

  func testARowThatCannotBeReadAnyMoreChangesItsCell() async throws {
    try await Self.becomeMalformed(isDiffable: false)
    try await Self.becomeMalformed(isDiffable: true)
  }

  func testAReloadKeepsThePlaceAndTheSelection() async throws { try await Self.keepPlace() }

  func testAReloadDoesNotScrollPastTheEnds() async throws {
    for (rows, y) in [(10, 70.0), (4, 15), (2, -5), (1, -6)] { try await Self.shorten(to: rows, showsFrom: y) }
  }

  func testAReloadOutsideAWindowKnowsOfTheBars() async throws {
    // At the top, in the middle, at the end; then with fewer rows.
    for (y, rows, next) in [(-6.0, 10, -6.0), (40, 10, 40), (75, 10, 75), (75, 4, 15), (-6, 1, -6)] {
      for isDiffable in [false, true] {
        try await Self.leaveWindow(at: y, rows: rows, isDiffable: isDiffable, showsFrom: next)
      }
    }
  }

  func testAReloadKeepsTheEndWhereRowsSizeThemselves() async throws {
    try await Self.keepEnd(isDiffable: false)
    try await Self.keepEnd(isDiffable: true)
  }

  @MainActor
  private static func view() -> UITableView {
    let view = UITableView()
    view.window = UIWindow()
    for cell in ["Label", "Other"] { view.register(UITableViewCell.self, forCellReuseIdentifier: cell) }
    return view
  }

  @MainActor
  private static func driver(_ view: UITableView, isDiffable: Bool) -> TableDriver<AnyCell> {
    let configure: UITableViewAdapter<AnyCell>.Configure = { $0.textLabel?.text = AdapterRun.title($1) }
    let table = AdapterRun.client().table("t")
    return isDiffable
      ? TableDriver(table, diffable: view, configure: configure) : TableDriver(table, view, configure: configure)
  }

  @MainActor
  private static func show(seed: UInt64, isDiffable: Bool) {
    let view = view()
    let driver = driver(view, isDiffable: isDiffable)
    AdapterRun.drive(driver, seed: seed) { chance in
      if chance(3) { view.isDragging.toggle() }
      if chance(5) { view.hasUncommittedUpdates.toggle() }
      if chance(12) { view.window = view.window == nil ? UIWindow() : nil }
      if chance(2) { view.completeAnimations() }
      let rows = view.cells.first?.count ?? 0
      if chance(4), rows > 1, !view.isDragging {
        view.drag(IndexPath(row: 0, section: 0), to: IndexPath(row: rows - 1, section: 0))
      }
    }
    (view.isDragging, view.hasUncommittedUpdates, view.window) = (false, false, UIWindow())
    for _ in 0..<10 {
      view.completeAnimations()
      driver.proceed()
    }
    XCTAssertEqual(view.exceptions, [], "seed \(seed)")
    XCTAssertEqual(view.cells.map { $0.map { $0.textLabel?.text } }, AdapterRun.titles(driver.snapshot), "seed \(seed)")
    XCTAssertEqual(driver.sections, driver.snapshot?.sections)
    let headers = view.headers.map { $0?.textLabel?.text }
    XCTAssertEqual(headers, driver.sections.map { AdapterRun.header($0) }, "seed \(seed)")
  }

  @MainActor
  private static func showEachStage(seed: UInt64) {
    let view = view()
    let driver = driver(view, isDiffable: false)
    let structural = AdapterRun.drive(driver, seed: seed) { _ in
      // Three stages at most, and updates between them.
      for _ in 0..<3 { view.completeAnimations() }
    }
    XCTAssertEqual(view.exceptions, [], "seed \(seed)")
    XCTAssertEqual(view.batches, structural, "seed \(seed)")
    XCTAssertEqual(view.reloads, 2, "the view's own first load, and the first state")
  }

  @MainActor
  private static func move(isDiffable: Bool) throws {
    let view = view()
    let driver = driver(view, isDiffable: isDiffable)
    AdapterRun.take(driver, try AdapterRun.snapshot(["1", "2", "3"], revision: 0))
    let before = view.cells[0]
    view.drag(IndexPath(row: 0, section: 0), to: IndexPath(row: 2, section: 0))
    XCTAssertEqual(driver.sections[0].rows.map(\.id), ["2", "3", "1"])
    XCTAssertTrue(view.cells[0].elementsEqual([before[1], before[2], before[0]], by: ===))
    let batches = view.batches
    AdapterRun.take(driver, try AdapterRun.snapshot(["2", "3", "1"], revision: 1))
    view.completeAnimations()
    XCTAssertEqual(view.batches, batches)
    AdapterRun.take(driver, try AdapterRun.snapshot(["2", "9", "1"], revision: 2))
    for _ in 0..<3 { view.completeAnimations() }
    XCTAssertEqual(view.cells[0].map { $0.textLabel?.text }, ["2", "9", "1"])
    XCTAssertEqual(view.exceptions, [])
  }

  @MainActor
  private static func dragMeanwhile(isDiffable: Bool) throws {
    let view = view()
    let driver = driver(view, isDiffable: isDiffable)
    AdapterRun.take(driver, try AdapterRun.snapshot(["1", "2", "3"], revision: 0))
    let (origin, destination) = (IndexPath(row: 0, section: 0), IndexPath(row: 2, section: 0))
    _ = view.delegate?.tableView(view, targetIndexPathForMoveFromRowAt: origin, toProposedIndexPath: destination)
    // The first state comes while the row is under the finger, the second one before the client has heard of the move.
    for revision in 1...2 {
      let rows = ["1", "2", "3"] + (4...3 + revision).map { "\($0)" }
      let snapshot = try AdapterRun.snapshot(rows, revision: revision)
      driver.take(TableChange(kind: .stages([]), from: -1, snapshot: snapshot))
      if revision == 1 { view.drag(origin, to: destination) }
      view.completeAnimations()
      XCTAssertEqual(view.cells[0].map { $0.textLabel?.text }, ["2", "3", "1"])
    }
    let batches = view.batches
    AdapterRun.take(driver, try AdapterRun.snapshot(["2", "3", "1", "4", "5"], revision: 3))
    for _ in 0..<3 { view.completeAnimations() }
    XCTAssertEqual(view.cells[0].map { $0.textLabel?.text }, ["2", "3", "1", "4", "5"])
    XCTAssertEqual(view.batches, batches + (isDiffable ? 0 : 1))
    XCTAssertEqual(view.exceptions, [])
  }

  /// Two kinds of cells, one of which has a title that must be a text.
  private enum Typed: CellModel {
    case plain
    case titled(String)
    static var acceptedCells: String? { nil }
    static func decodes(cellIdentifier: String) -> Bool { ["Label", "Other"].contains(cellIdentifier) }

    private enum Key: String, CodingKey { case cellIdentifier, payload, title }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      if try container.decode(String.self, forKey: .cellIdentifier) == "Other" {
        self = .plain
      } else {
        let payload = try container.nestedContainer(keyedBy: Key.self, forKey: .payload)
        self = .titled(try payload.decode(String.self, forKey: .title))
      }
    }
  }

  @MainActor
  private static func becomeMalformed(isDiffable: Bool) throws {
    let view = view()
    var options = ClientOptions()
    options.transport = AdapterRun.client().engine.setup.transport
    let table = TablecastClient(url: URL(fileURLWithPath: "/"), cells: Typed.self, options: options).table("t")
    let driver =
      isDiffable ? TableDriver(table, diffable: view) { _, _ in } : TableDriver(table, view) { _, _ in }
    let rows = [
      #"{"id":"1","cellIdentifier":"Label","payload":{"title":"a"},"fallback":{"cellIdentifier":"Other","payload":{}}}"#,
      #"{"id":"1","cellIdentifier":"Label","payload":{"title":3},"fallback":{"cellIdentifier":"Other","payload":{}}}"#,
      #"{"id":"1","cellIdentifier":"New","payload":{}}"#,
    ]
    var kinds: [String?] = []
    for (revision, json) in rows.enumerated() {
      var section = TableSection(id: "s")
      section.rows = [try TableRow(JSONText(json))]
      var snapshot = TableSnapshot(TableAddress("t"))
      (snapshot.sections, snapshot.revision) = ([section], revision)
      driver.take(TableChange(kind: revision == 0 ? .reset : .stages([]), from: -1, snapshot: snapshot))
      for _ in 0..<3 { view.completeAnimations() }
      kinds.append(view.cells[0][0].reuseIdentifier)
    }
    XCTAssertEqual(kinds, ["Label", "Other", placeholderCellIdentifier])
    XCTAssertEqual(view.exceptions, [])
  }

  @MainActor
  private static func keepPlace() throws {
    let view = view()
    let driver = driver(view, isDiffable: false)
    AdapterRun.take(driver, try AdapterRun.snapshot(["1", "2", "3"], revision: 0))
    view.selectRow(at: IndexPath(row: 1, section: 0), animated: false, scrollPosition: .none)
    view.contentOffset.y = -4
    view.window = nil
    AdapterRun.take(driver, try AdapterRun.snapshot(["8", "9", "1", "2"], revision: 1))
    XCTAssertEqual(view.contentOffset.y, 16)
    XCTAssertEqual(view.indexPathsForSelectedRows, [IndexPath(row: 3, section: 0)])
  }

  /// Ten rows, scrolled to the eighth, become fewer.
  @MainActor
  private static func shorten(to rows: Int, showsFrom y: Double) throws {
    let view = view()
    let driver = driver(view, isDiffable: false)
    AdapterRun.take(driver, try AdapterRun.snapshot((1...10).map { "\($0)" }, revision: 0))
    (view.bounds.height, view.adjustedContentInset.top, view.adjustedContentInset.bottom) = (30, 6, 5)
    view.contentOffset.y = 70
    view.window = nil
    AdapterRun.take(driver, try AdapterRun.snapshot((1...rows).map { "\($0)" }, revision: 1))
    XCTAssertEqual(Double(view.contentOffset.y), y, "\(rows) rows")
  }

  /// Ten rows between bars of 6 and 5 points, which are in a view's insets only while it has a window.
  @MainActor
  private static func leaveWindow(at y: Double, rows: Int, isDiffable: Bool, showsFrom next: Double) throws {
    let view = view()
    let driver = driver(view, isDiffable: isDiffable)
    AdapterRun.take(driver, try AdapterRun.snapshot((1...10).map { "\($0)" }, revision: 0))
    view.bounds.height = 30
    view.contentOffset.y = CGFloat(y)
    view.window = nil
    AdapterRun.take(driver, try AdapterRun.snapshot((1...rows).map { "\($0)" }, revision: 1))
    XCTAssertEqual(Double(view.contentOffset.y), next, "\(rows) rows, from \(y)")
  }

  /// After the reload, rows count for 6 points until they are seen to have 10.
  @MainActor
  private static func keepEnd(isDiffable: Bool) throws {
    let view = view()
    let driver = driver(view, isDiffable: isDiffable)
    AdapterRun.take(driver, try AdapterRun.snapshot((1...10).map { "\($0)" }, revision: 0))
    (view.bounds.height, view.estimatedRowHeight) = (30, 6)
    view.contentOffset.y = 70
    view.window = nil
    AdapterRun.take(driver, try AdapterRun.snapshot((1...10).map { "\($0)" }, revision: 1))
    view.layoutIfNeeded()
    XCTAssertEqual(view.contentOffset.y + view.bounds.height, view.contentSize.height)
  }
}
