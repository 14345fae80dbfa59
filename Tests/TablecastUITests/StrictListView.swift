import TablecastClient

@testable import TablecastUI

/// A table view without pixels that refuses everything UIKit raises an exception for.
///
/// It keeps rows of its own, to which it applies each batch as UIKit does, and holds the result against what the data
/// source says.
@MainActor
final class StrictListView: StrictView {
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  typealias Shown = (id: String, rows: TableRows)

  /// What the data source has: the driver's sections.
  var dataSource: () -> [TableSection] = { [] }
  /// Called where a real view fills cells, which may ask the driver for anything.
  var whileFilling: () -> Void = {}
  var isInWindow = true
  var isInteracting = false
  private(set) var violations: [String] = []
  private(set) var batches = 0
  private(set) var reloads = 0
  /// What is on the screen: what the cells were filled with.
  private(set) var shown: [Shown] = []
  private var hasLoaded = false
  private var isInBatch = false
  private var completions: [@MainActor () -> Void] = []
  var anchorRow: String?
  private(set) var scrolledTo: RowPath?
  private(set) var selection: Set<String> = []

  var rowCounts: [Int]? { hasLoaded ? shown.map(\.rows.count) : nil }

  /// Calls the completions of batches, in whatever order a run loop may.
  func complete() {
    let due = completions
    completions = []
    for completion in due { completion() }
  }

  var hasPending: Bool { !completions.isEmpty }

  /// Forgets a row: as when an app has meddled with the view.
  func loseCount() {
    guard completions.isEmpty, let section = shown.indices.first(where: { !shown[$0].rows.isEmpty }) else { return }
    shown[section].rows.removeLast()
  }

  /// The user drags a row to another place, which the view shows before anybody knows.
  func drag(_ origin: RowPath, to destination: RowPath) {
    let row = shown[origin.section].rows.remove(at: origin.row)
    shown[destination.section].rows.insert(row, at: destination.row)
  }

  func reload(_ setData: () -> Void) {
    check(!isInBatch, "reloadData inside a batch")
    check(completions.isEmpty, "reloadData while a batch is animated")
    reloads += 1
    setData()
    whileFilling()
    hasLoaded = true
    shown = dataSource().map { ($0.id, $0.rows) }
    selection = []
  }

  func perform(
    _ stage: TableStage,
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  ) {
    check(!isInBatch, "a batch inside a batch")
    check(completions.isEmpty, "a batch while another one is animated")
    check(isInWindow, "a batch outside a window")
    check(!isInteracting, "a batch while the user holds a row")
    check(dataSource().map(\.rows.count) == shown.map(\.rows.count), "the data was changed before the batch")
    isInBatch = true
    batches += 1
    setData()
    whileFilling()
    do { shown = try batch(stage) } catch { violations.append("\(error)") }
    isInBatch = false
    compare("after the batch")
    completions.append(completion)
  }

  func refill(_ rows: [RowPath], reloaded: [RowPath], sections: [Int], animation: TableAnimation, _ setData: () -> Void)
  {
    check(!isInBatch, "a refill inside a batch")
    check(completions.isEmpty, "a refill while a batch is animated")
    setData()
    whileFilling()
    let data = dataSource()
    check(Set(rows).isDisjoint(with: reloaded), "a row is reconfigured and reloaded")
    check(Set(rows).count == rows.count && Set(reloaded).count == reloaded.count, "a row is filled twice")
    for path in rows + reloaded {
      guard shown.indices.contains(path.section), shown[path.section].rows.indices.contains(path.row),
        data.indices.contains(path.section), data[path.section].rows.indices.contains(path.row)
      else {
        violations.append("a refill of a row that isn't there: \(path)")
        continue
      }
      let (old, new) = (shown[path.section].rows[path.row], data[path.section].rows[path.row])
      let staysOfItsKind = Self.kind(old) == Self.kind(new)
      if !reloaded.contains(path) { check(staysOfItsKind, "a cell of another kind for a row that is reconfigured") }
      shown[path.section].rows[path.row] = new
    }
    for section in sections { check(shown.indices.contains(section), "a refill of the section \(section)") }
    compare("after the refill")
  }

  static func kind(_ row: TableRow) -> String { row.shownIdentifier(as: SimulatedCell.self) }

  /// Everything shown is what the data source has.
  func compareContents() {
    let data = dataSource()
    check(data.map(\.id) == shown.map(\.id), "the sections differ at the end")
    for (section, element) in zip(shown, data) {
      check(section.rows == element.rows, "a cell shows an old row")
    }
  }

  var anchor: ScrollAnchor? {
    for (section, element) in shown.enumerated() {
      if let row = element.rows.firstIndex(where: { $0.id == anchorRow }) {
        return ScrollAnchor(path: RowPath(section: section, row: row), offset: 3)
      }
    }
    return nil
  }

  func scroll(to path: RowPath, offset: Double) { scrolledTo = path }

  var selectedRows: [RowPath] {
    shown.enumerated().flatMap { section, element in
      element.rows.enumerated().filter { selection.contains($0.element.id) }
        .map { RowPath(section: section, row: $0.offset) }
    }
  }

  func select(_ rows: [RowPath]) { selection = Set(rows.map { shown[$0.section].rows[$0.row].id }) }

  private func check(_ isSo: Bool, _ violation: String) { if !isSo { violations.append(violation) } }

  private func compare(_ moment: String) {
    let data = dataSource()
    check(data.map(\.rows.count) == shown.map(\.rows.count), "invalid number of rows \(moment)")
    check(data.map { $0.rows.map(\.id) } == shown.map { $0.rows.map(\.id) }, "rows stand elsewhere \(moment)")
  }
}

extension StrictListView {
  /// What `performBatchUpdates` makes of the operations: deletions and moves from are in coordinates before.
  private func batch(_ stage: TableStage) throws -> [Shown] {
    func violation(_ text: String) -> Violation { Violation(description: text) }
    let data = dataSource()
    let leavingSections = stage.deletedSections.map(\.at) + stage.movedSections.map(\.from)
    let leaving = Set(leavingSections)
    guard leaving.count == leavingSections.count else { throw violation("a section leaves twice") }
    guard leaving.allSatisfy(shown.indices.contains) else { throw violation("a section leaves that isn't there") }
    let leavingRows = stage.deletedRows.map(\.at) + stage.movedRows.map(\.from)
    guard Set(leavingRows).count == leavingRows.count else { throw violation("a row leaves twice") }
    var moved: [RowPath: TableRow] = [:]
    var rest = shown
    for path in leavingRows.sorted(by: >) {
      guard rest.indices.contains(path.section), rest[path.section].rows.indices.contains(path.row) else {
        throw violation("a row leaves that isn't there: \(path)")
      }
      guard !leaving.contains(path.section) else { throw violation("a row operation in a section that moves") }
      moved[path] = rest[path.section].rows.remove(at: path.row)
    }
    var arriving: [Int: Shown] = [:]
    for insertion in stage.insertedSections {
      guard data.indices.contains(insertion.at) else { throw violation("a section enters beyond the end") }
      arriving[insertion.at] = (data[insertion.at].id, data[insertion.at].rows)
    }
    for move in stage.movedSections {
      guard arriving[move.to] == nil else { throw violation("two sections enter at \(move.to)") }
      arriving[move.to] = rest[move.from]
    }
    guard arriving.count == stage.insertedSections.count + stage.movedSections.count else {
      throw violation("two sections enter at one place")
    }
    var result = rest.indices.filter { !leaving.contains($0) }.map { rest[$0] }
    for (at, section) in arriving.sorted(by: { $0.key < $1.key }) {
      guard at <= result.count else { throw violation("a section enters beyond the end: \(at)") }
      result.insert(section, at: at)
    }
    var rows: [RowPath: TableRow] = [:]
    for insertion in stage.insertedRows { rows[insertion.at] = insertion.row }
    for move in stage.movedRows { rows[move.to] = moved[move.from] }
    guard rows.count == stage.insertedRows.count + stage.movedRows.count else {
      throw violation("two rows enter at one place")
    }
    for (path, row) in rows.sorted(by: { $0.key < $1.key }) {
      guard arriving[path.section] == nil, result.indices.contains(path.section),
        path.row <= result[path.section].rows.count
      else { throw violation("a row enters where none can be: \(path)") }
      result[path.section].rows.insert(row, at: path.row)
    }
    return result
  }
}
