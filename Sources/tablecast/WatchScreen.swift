import Foundation
import TablecastClient

/// The table drawn in a terminal: what changed is marked until the next change; a row can be chosen and tapped.
///
/// `@unchecked Sendable`: everything that changes is used with the lock held.
final class WatchScreen: WatchDisplay, @unchecked Sendable {
  private let table: LiveTable<AnyCell>
  private let lock = NSLock()
  private let terminal = WatchTerminal()
  private var snapshot: TableSnapshot?
  private var changed: Set<String> = []
  private var chosen: String?

  init(_ table: LiveTable<AnyCell>) { self.table = table }

  func show(_ change: TableChange) -> Bool {
    lock.withLock {
      if case .stages(let stages) = change.kind {
        changed = stages.reduce(into: Set<String>()) { $0.formUnion(Self.rows(changedBy: $1)) }
      } else if case .reset = change.kind {
        changed = []
      }
      snapshot = change.snapshot
      return draw()
    }
  }

  private static func rows(changedBy stage: TableStage) -> [String] {
    var rows: [String] = stage.insertedRows.map(\.row.id)
    rows += stage.updatedRows.map(\.row.id)
    rows += stage.movedRows.map(\.id)
    for insertion in stage.insertedSections { rows += insertion.section.rows.map(\.id) }
    return rows
  }

  func start(quit: @escaping @Sendable () -> Void) {
    terminal.start { [weak self] key in
      self?.take(key, quit: quit)
    } resized: { [weak self] in
      self?.redraw()
    }
  }

  private func redraw() { lock.withLock { _ = draw() } }

  private func take(_ key: WatchTerminal.Key, quit: () -> Void) {
    switch key {
    case .quit: quit()
    case .refresh: table.refresh()
    case .up: choose(-1)
    case .down: choose(1)
    case .tap: tap()
    case .more: table.loadMore()
    }
  }

  func end() { terminal.end() }

  private func choose(_ step: Int) {
    lock.withLock {
      let rows = snapshot?.sections.flatMap { $0.rows.map(\.id) } ?? []
      guard !rows.isEmpty else { return }
      let index = chosen.flatMap { rows.firstIndex(of: $0) } ?? (step > 0 ? -1 : rows.count)
      chosen = rows[min(max(index + step, 0), rows.count - 1)]
      _ = draw()
    }
  }

  private func tap() {
    if let row = lock.withLock({ chosen }) { table.tap(row) }
  }

  /// - Returns: false if the output can't be written.
  private func draw() -> Bool {
    guard let snapshot else { return true }
    let size = terminal.size
    let drawing = WatchDrawing(snapshot, changed: changed, chosen: chosen, width: size.columns, inColor: terminal.isOne)
    return terminal.show(drawing.lines(height: size.rows))
  }
}
