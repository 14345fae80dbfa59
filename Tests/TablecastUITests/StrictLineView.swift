import Foundation
import TablecastClient

@testable import TablecastUI

/// What simulations do with a view, beside what the driver does.
@MainActor
protocol StrictView: ListView {
  var dataSource: () -> [TableSection] { get set }
  var whileFilling: () -> Void { get set }
  var isInWindow: Bool { get set }
  var isInteracting: Bool { get set }
  var violations: [String] { get }
  var batches: Int { get }
  var hasPending: Bool { get }
  func complete()
  func loseCount()
  func drag(_ origin: RowPath, to destination: RowPath)
  func compareContents()
}

/// `StrictListView`'s twin for AppKit: one list of lines, in which every operation counts as the list is then, and a line
/// that moves takes along what it shows. What leads from one state to the next is what `NSTableViewList` does.
@MainActor
final class StrictLineView: StrictView {
  typealias Plan = (_ stage: TableStage, _ old: [TableSection], _ new: [TableSection]) -> [SequentialOperation]

  var dataSource: () -> [TableSection] = { [] }
  var whileFilling: () -> Void = {}
  var isInWindow = true
  var isInteracting = false
  /// The adapter's own; a test may give a wrong one.
  var plan: Plan = { stage, old, new in
    SequentialOperation.between(ListLine.all(of: old), ListLine.all(of: new), fresh: ListLine.entering(by: stage))
  }
  private(set) var violations: [String] = []
  private(set) var batches = 0
  private var lines: [Line] = []
  private var hasLoaded = false
  private var isUpdating = false
  var hasPending: Bool { false }

  /// A line, and what its view was filled with.
  private struct Line: Hashable {
    var id: ListLine
    var content: JSONText?
  }

  func complete() {}
  func loseCount() { if !lines.isEmpty { lines.removeLast() } }
  func drag(_ origin: RowPath, to destination: RowPath) {
    guard let from = ListLine.line(of: origin, in: dataSource()), lines.indices.contains(from) else { return }
    var moved = dataSource()
    moved[destination.section].rows.insert(moved[origin.section].rows.remove(at: origin.row), at: destination.row)
    guard let to = ListLine.line(of: destination, in: moved) else { return }
    lines.insert(lines.remove(at: from), at: min(to, lines.count))
  }

  var rowCounts: [Int]? {
    guard hasLoaded, lines.count == ListLine.count(of: dataSource()) else { return nil }
    return dataSource().map(\.rows.count)
  }

  func reload(_ setData: () -> Void) {
    check(!isUpdating, "reloadData inside updates")
    setData()
    whileFilling()
    hasLoaded = true
    lines = filled
  }

  func perform(
    _ stage: TableStage,
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  ) {
    check(!isUpdating, "updates inside updates")
    check(isInWindow, "updates outside a window")
    check(!isInteracting, "updates while the user holds a row")
    let old = dataSource()
    check(lines.map(\.id) == ListLine.all(of: old), "the data was changed before the updates")
    isUpdating = true
    batches += 1
    setData()
    whileFilling()
    var fresh: Set<Int> = []
    for operation in plan(stage, old, dataSource()) { perform(operation, &fresh) }
    isUpdating = false
    let now = filled
    check(lines.map(\.id) == now.map(\.id), "lines stand elsewhere after the updates")
    // Views of new lines are asked for when all have come.
    for (index, line) in now.enumerated() where lines.indices.contains(index) && lines[index].content == nil {
      lines[index] = line
    }
    completion()
  }

  private func perform(_ operation: SequentialOperation, _ fresh: inout Set<Int>) {
    switch operation {
    case .remove(let at):
      guard lines.indices.contains(at) else { return violations.append("line \(at) is removed, and isn't there") }
      lines.remove(at: at)
    case .insert(let at):
      guard at <= lines.count else { return violations.append("line \(at) is inserted beyond the end") }
      let ids = ListLine.all(of: dataSource())
      lines.insert(Line(id: ids.indices.contains(at) ? ids[at] : .row(Identity("")), content: nil), at: at)
    case .move(let from, let to):
      guard lines.indices.contains(from), to < lines.count else {
        return violations.append("line \(from) moves to \(to)")
      }
      lines.insert(lines.remove(at: from), at: to)
    }
  }

  func refill(_ rows: [RowPath], reloaded: [RowPath], sections: [Int], animation: TableAnimation, _ setData: () -> Void)
  {
    check(!isUpdating, "a refill inside updates")
    let old = dataSource()
    setData()
    whileFilling()
    let now = filled
    guard let refilled = ListLine.refilled(rows + reloaded, sections: sections, from: old, to: dataSource()) else {
      lines = now
      return
    }
    check(lines.count == now.count, "invalid number of lines at a refill")
    for line in refilled where lines.indices.contains(line) && now.indices.contains(line) { lines[line] = now[line] }
  }

  func compareContents() { check(lines == filled, "a line shows an old row") }

  private var filled: [Line] {
    dataSource().flatMap { section in
      (section.header == nil ? [] : [Line(id: .header(section: section.identity), content: section.header)])
        + section.rows.map { Line(id: .row($0.identity), content: $0.json) }
    }
  }

  private func check(_ isSo: Bool, _ violation: String) { if !isSo { violations.append(violation) } }

  var anchor: ScrollAnchor? { nil }
  func scroll(to path: RowPath, offset: Double) {}
  var selectedRows: [RowPath] { [] }
  func select(_ rows: [RowPath]) {}
}
