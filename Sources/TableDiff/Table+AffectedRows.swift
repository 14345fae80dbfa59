internal import FieldValues
public import TableModel

extension Table {
  /// Returns whether everything around the rows, which every window shows, is the same in two versions of a table.
  static func sameAround(_ old: Table, _ new: Table) -> Bool {
    old.state == new.state && old.problem == new.problem && old.title.isExactly(new.title)
      && old.animation == new.animation && old.isTruncated == new.isTruncated && old.isForEdges == new.isForEdges
  }

  /// Returns whether a window shows something else of one version of a table than of another; both are whole.
  ///
  /// The number of a section's rows before the cut doesn't count, nor do the sizes of the whole: nobody is woken for
  /// them. Exact, where ``affectedRows(from:to:)`` tells at once of most windows that they show the same.
  ///
  /// - Parameter seen: a row as it is looked at, where that may hide what has changed in it. Nil: as it is.
  /// - Complexity: O(window), at the speed of memory where `seen` is nil.
  public static func isAffected(
    _ window: WindowRange,
    from old: Table,
    to new: Table,
    seenAs seen: ((Row) -> Row)? = nil
  ) -> Bool {
    isAffected(window, from: old, to: new, seenAs: seen, within: .unbounded) ?? true
  }

  /// The same, within a budget; nil where that is used up.
  package static func isAffected(
    _ window: WindowRange,
    from old: Table,
    to new: Table,
    seenAs seen: ((Row) -> Row)? = nil,
    within budget: RowBudget
  ) -> Bool? {
    guard sameAround(old, new) else { return true }
    let (parts, newParts) = (old.parts(in: window), new.parts(in: window))
    guard parts.count == newParts.count else { return true }
    var left = budget
    for (one, other) in zip(parts, newParts) {
      let (before, after) = (old.sections[one.section], new.sections[other.section])
      if before === after, one.rows == other.rows { continue }
      guard Section.sameIdentity(before, after), Section.sameFrame(before, after), one.rows.count == other.rows.count
      else { return true }
      if RowList.haveSame(before.rows, one.rows, after.rows, other.rows) { continue }
      for (first, second) in zip(before.rows.part(one.rows), after.rows.part(other.rows)) {
        guard left.compare() else { return nil }
        if Row.looksSame(first, second) { continue }
        guard let seen, first.id == second.id else { return true }
        guard left.draw() else { return nil }
        if !Row.looksSame(seen(first), seen(second)) { return true }
      }
    }
    return false
  }

  /// The rows that differ between two versions of a table, in display order, from the first to the last; nil for none.
  /// A window that reaches into them may show something else. A window that ends before them or begins behind them
  /// shows the same, with as many rows of its sections before the cut.
  ///
  /// Both are whole. The upper bound is `Int.max` where what stands behind has moved, or where what stands around the rows
  /// changed.
  ///
  /// - Complexity: as ``firstAffectedRow(from:to:seenAs:)`` without `seen`.
  public static func affectedRows(from old: Table, to new: Table) -> Range<Int>? {
    guard let first = firstAffectedRow(from: old, to: new) else { return nil }
    guard sameAround(old, new), old.rowCount == new.rowCount else { return first..<Int.max }
    var (one, other, end) = (old.sections.count, new.sections.count, old.rowCount)
    while one > 0, other > 0, isSame(old.sections[one - 1], new.sections[other - 1]) {
      (one, other) = (one - 1, other - 1)
      end -= old.sections[one].rows.count
    }
    let (last, newLast) = (one > 0 ? old.sections[one - 1] : nil, other > 0 ? new.sections[other - 1] : nil)
    if last?.rows.isEmpty ?? false || newLast?.rows.isEmpty ?? false {
      // A section without rows stands in the windows that begin here.
      end += 1
    } else if let last, let newLast, Section.sameIdentity(last, newLast), last.rows.count == newLast.rows.count,
      Section.sameFrame(last, newLast)
    {
      end -= RowList.sameEnd(last.rows, newLast.rows)
    }
    return first..<max(end, first + 1)
  }

  static func isSame(_ old: Section, _ new: Section) -> Bool {
    old === new || Section.sameIdentity(old, new) && Section.sameFrame(old, new) && Section.sameRows(old, new)
  }
}
