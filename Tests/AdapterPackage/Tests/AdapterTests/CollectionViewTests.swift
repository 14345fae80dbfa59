import Foundation
import TablecastTesting
import UIKit
import XCTest

@testable import Adapters
@testable import TablecastClient

/// `UICollectionView`, by stages and by a diffable data source, against a view that notes what Apple's raises exceptions
/// for.
final class CollectionViewTests: XCTestCase {
  func testRandomChangesAndGestures() async {
    for seed in UInt64(0)..<6 {
      await Self.show(seed: seed, isDiffable: false)
      await Self.show(seed: seed, isDiffable: true)
    }
  }

  func testWithoutGesturesEachStageIsOneBatch() async {
    for seed in UInt64(0)..<6 { await Self.showEachStage(seed: seed) }
  }

  func testTheUsersOwnMoveIsNotDoneAgain() async throws { try await Self.move() }

  func testTheRowThatWasDraggedIsMoved() async throws {
    for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 0)] { try await Self.drag(from, to) }
  }

  func testAMovedWindowAndAResetKeepThePlace() async throws {
    for isDiffable in [false, true] {
      try await Self.jump(isDiffable: isDiffable, isReset: false)
      try await Self.jump(isDiffable: isDiffable, isReset: true)
    }
  }

  func testAReloadOutsideAWindowKnowsOfTheBars() async throws {
    for y in [-6.0, 40, 75] {
      try await Self.leaveWindow(at: y, isDiffable: false)
      try await Self.leaveWindow(at: y, isDiffable: true)
    }
  }

  @MainActor
  private static func view() -> UICollectionView {
    let view = UICollectionView()
    view.window = UIWindow()
    for cell in ["Label", "Other"] { view.register(UICollectionViewCell.self, forCellWithReuseIdentifier: cell) }
    return view
  }

  @MainActor
  private static func driver(_ view: UICollectionView, isDiffable: Bool) -> TableDriver<AnyCell> {
    let configure: UICollectionViewAdapter<AnyCell>.Configure = { cell, row in
      var content = (cell as? UICollectionViewListCell)?.defaultContentConfiguration()
      content?.text = AdapterRun.title(row)
      cell.contentConfiguration = content
    }
    let table = AdapterRun.client().table("t")
    return isDiffable
      ? TableDriver(table, diffable: view, configure: configure) : TableDriver(table, view, configure: configure)
  }

  @MainActor
  private static func texts(_ view: UICollectionView) -> [[String?]] {
    view.cells.map { $0.map { ($0.contentConfiguration as? UIListContentConfiguration)?.text } }
  }

  @MainActor
  private static func show(seed: UInt64, isDiffable: Bool) {
    let view = view()
    let driver = driver(view, isDiffable: isDiffable)
    AdapterRun.drive(driver, seed: seed) { chance in
      if chance(3) { view.hasActiveDrag.toggle() }
      if chance(5) { view.hasUncommittedUpdates.toggle() }
      if chance(12) { view.window = view.window == nil ? UIWindow() : nil }
      if chance(2) { view.completeAnimations() }
    }
    (view.hasActiveDrag, view.hasUncommittedUpdates, view.window) = (false, false, UIWindow())
    for _ in 0..<10 {
      view.completeAnimations()
      driver.proceed()
    }
    XCTAssertEqual(view.exceptions, [], "seed \(seed)")
    XCTAssertEqual(texts(view), AdapterRun.titles(driver.snapshot), "seed \(seed)")
    XCTAssertEqual(driver.sections, driver.snapshot?.sections)
    let headers = view.headers.map { header in
      ((header as? UICollectionViewListCell)?.contentConfiguration as? UIListContentConfiguration)?.text
    }
    XCTAssertEqual(headers, driver.sections.map { AdapterRun.header($0) }, "seed \(seed)")
  }

  @MainActor
  private static func showEachStage(seed: UInt64) {
    let view = view()
    let driver = driver(view, isDiffable: false)
    let structural = AdapterRun.drive(driver, seed: seed) { _ in
      for _ in 0..<3 { view.completeAnimations() }
    }
    XCTAssertEqual(view.exceptions, [], "seed \(seed)")
    XCTAssertEqual(view.batches, structural, "seed \(seed)")
    XCTAssertEqual(view.reloads, 2, "the view's own first load, and the first state")
  }

  @MainActor
  private static func move() throws {
    let view = view()
    let driver = driver(view, isDiffable: true)
    AdapterRun.take(driver, try AdapterRun.snapshot(["1", "2", "3"], revision: 0))
    let source = try XCTUnwrap(view.dataSource as? UICollectionViewDiffableDataSource<Identity, Identity>)
    let before = source.applied
    source.drag(IndexPath(item: 0, section: 0), to: IndexPath(item: 2, section: 0))
    XCTAssertEqual(driver.sections[0].rows.map(\.id), ["2", "3", "1"])
    XCTAssertEqual(source.applied, before, "it has the row there already")
    AdapterRun.take(driver, try AdapterRun.snapshot(["2", "9", "1"], revision: 1))
    for _ in 0..<3 { view.completeAnimations() }
    XCTAssertEqual(texts(view), [["2", "9", "1"]])
    XCTAssertEqual(view.exceptions, [])
  }

  /// Neighbours that change places look the same, whichever of them was dragged.
  @MainActor
  private static func drag(_ from: Int, _ to: Int) throws {
    let view = view()
    let transport = ScriptedTransport()
    let client = AdapterRun.client(transport)
    let driver = TableDriver(client.table("t"), diffable: view) { _, _ in }
    AdapterRun.take(driver, try AdapterRun.snapshot(["1", "2", "3"], revision: 0))
    let source = try XCTUnwrap(view.dataSource as? UICollectionViewDiffableDataSource<Identity, Identity>)
    source.drag(IndexPath(item: from, section: 0), to: IndexPath(item: to, section: 0))
    client.engine.settle()
    let moved = transport.requests.map(\.url).filter { $0.contains("/move") }
    XCTAssertEqual(moved.count, 1)
    XCTAssertTrue(moved.allSatisfy { $0.contains("/items/\(from + 1)/move") }, "\(from) to \(to): \(moved)")
    withExtendedLifetime(driver) {}
  }

  /// Rows come above what is seen: the window moves, or another state replaces what is shown.
  @MainActor
  private static func jump(isDiffable: Bool, isReset: Bool) throws {
    let view = view()
    let driver = driver(view, isDiffable: isDiffable)
    var first = try AdapterRun.snapshot(["1", "2", "3"], revision: 0)
    first.attributes.window = TableWindow(try JSONText(#"{"from":2,"rows":3,"of":9}"#))
    AdapterRun.take(driver, first)
    let reloads = view.reloads
    view.contentOffset.y = -4
    var next = try AdapterRun.snapshot(["8", "9", "1", "2", "3"], revision: 1)
    next.attributes.window = TableWindow(try JSONText(#"{"from":\#(isReset ? 2 : 0),"rows":5,"of":9}"#))
    driver.take(TableChange(kind: isReset ? .reset : .stages([]), from: -1, snapshot: next))
    XCTAssertEqual(texts(view), [["8", "9", "1", "2", "3"]])
    XCTAssertEqual(view.reloads, reloads + 1)
    XCTAssertEqual(view.contentOffset.y, 16)
    // The same rows once more are filled in place.
    next.revision = 2
    driver.take(TableChange(kind: .reset, from: -1, snapshot: next))
    for _ in 0..<3 { view.completeAnimations() }
    XCTAssertEqual(view.reloads, reloads + 1)
    XCTAssertEqual(view.exceptions, [])
  }

  /// Ten items between bars of 6 and 5 points, which are in a view's insets only while it has a window.
  @MainActor
  private static func leaveWindow(at y: Double, isDiffable: Bool) throws {
    let view = view()
    let driver = driver(view, isDiffable: isDiffable)
    AdapterRun.take(driver, try AdapterRun.snapshot((1...10).map { "\($0)" }, revision: 0))
    view.bounds.height = 30
    view.contentOffset.y = CGFloat(y)
    view.window = nil
    let reloads = view.reloads
    AdapterRun.take(driver, try AdapterRun.snapshot((1...10).map { "\($0)" }, revision: 1))
    XCTAssertEqual(view.reloads, reloads + 1)
    XCTAssertEqual(Double(view.contentOffset.y), y)
  }
}
