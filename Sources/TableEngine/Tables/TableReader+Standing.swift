import Synchronization
import TableDiff
import TableEncoding
import TableModel
import TableStore

/// Where clients are, compared with what there is now: what decides whether a poll waits. On any queue.
extension TableReader {
  /// O(1); with a window O(changes) once for each pair of versions, and in a view O(rows toggled since).
  func standing(_ query: TableQuery) -> Standing {
    let (current, view) = (feed.current, view(query.lens))
    let to = cursor(current, query.lens, view)
    guard let after = query.after, after != to else { return Standing(isCurrent: query.after == to, to: to) }
    if isBeyondReach(after, query.lens) { return Standing(isCurrent: true, to: after) }
    return Standing(isCurrent: isSame(after, to, current, query.lens, view), to: to)
  }

  /// Whether a client at `after` sees through its lens what there is now: what has changed lies beyond its window, or in
  /// cells that it is not shown.
  private func isSame(_ after: Cursor, _ to: Cursor, _ current: Version, _ lens: Lens, _ view: TappedView?) -> Bool {
    guard after.epoch == to.epoch, after.version <= to.version, let from = after.lensTag, let tag = to.lensTag,
      from.rows == tag.rows, from.cells == tag.cells
    else { return false }
    if after.version < to.version {
      guard let rows = lens.rows, let old = feed.version(after.version), !isAffected(rows, from: old, to: current)
      else {
        return false
      }
    }
    guard let view else { return after.taps == 0 && from.view == nil }
    guard from.view == view.digest || from.view == nil && after.taps == 0, let tap = UInt32(exactly: after.taps),
      case .point = view.state.lookup(tap: after.taps)
    else { return false }
    // The plain rows are the same, so that the two differ in what was toggled between them alone.
    return !view.state.changed(from: tap, to: view.state.taps).contains { isSeen($0, in: current.table, lens) }
  }

  /// Whether it can be seen through a lens that a row is toggled. Expected O(sections + rows / 8,000).
  private func isSeen(_ identity: Fingerprint, in table: Table, _ lens: Lens) -> Bool {
    guard let row = table.firstRow(identity, within: lens.rows), row.expansion != nil else { return false }
    guard let accepted = lens.cells else { return true }
    let cells = drawing.withLock { $0 }
    return !Row.same(cells.variant(of: row, accepted), cells.variant(of: row.toggled(), accepted))
  }

  /// Whether a window shows another table at one version than at another. Found out once for all windows.
  func isAffected(_ rows: WindowSize, from old: Version, to new: Version) -> Bool {
    let known = changes.withLock { $0[old.number, new.number] }
    let first = known ?? Table.firstAffectedRow(from: old.table, to: new.table) ?? .max
    if known == nil { changes.withLock { $0[old.number, new.number] = first } }
    return first < rows.rows
  }
}

extension Table {
  /// The row with an identity, if it stands in a window.
  fileprivate func firstRow(_ identity: Fingerprint, within window: WindowSize?) -> Row? {
    var left = window?.rows ?? .max
    for section in sections {
      guard left > 0 else { return nil }
      if let place = section.rows.firstIndex(of: identity) { return place < left ? section.rows[place] : nil }
      left -= section.rows.count
    }
    return nil
  }
}

/// From which row on two versions differ: asked by each who waits with a window, found out once.
struct FirstAffectedRows {
  private struct Pair: Hashable {
    var from: UInt64
    var to: UInt64
  }
  private var rows: [Pair: Int] = [:]

  subscript(from: UInt64, to: UInt64) -> Int? {
    get { rows[Pair(from: from, to: to)] }
    set { rows[Pair(from: from, to: to)] = newValue }
  }

  /// What leads to versions that are no longer the current one.
  mutating func forget(before version: UInt64) { rows = rows.filter { $0.key.to >= version } }
}
