public import TableModel

extension Table {
  /// The first row that differs between two versions of a table, in display order; nil for none.
  ///
  /// A window of `n` rows shows another table if and only if `n` is greater: so whoever publishes a version asks once,
  /// and wakes only the waiters whose windows reach that far. 0 where what stands around the rows changed, which every
  /// window shows. What says how large the whole is (`counts`, the window's `of`) is no such thing: nobody is woken
  /// for that.
  ///
  /// Both are whole, or cut alike. A view, or the cells that a client can show, change rows where they stand: so what is
  /// found here holds there, though a change may not be seen.
  ///
  /// - Parameter seen: a row as it is looked at, where that may hide what has changed in it. Nil: as it is.
  /// - Complexity: O(sections), and O(log² rows) in the first that changed (``RowList/firstDifference(_:_:)``). With
  ///   `seen` also O(rows from the first that changed to the last), for 20,000 that differ and 200,000 in all at most:
  ///   behind so many the next one counts as seen.
  public static func firstAffectedRow(from old: Table, to new: Table, seenAs seen: ((Row) -> Row)? = nil) -> Int? {
    let affected = affectedRow(from: old, to: new, seenAs: seen, within: .whole)
    return affected.row == .max ? nil : affected.row
  }

  /// The same, within a budget.
  ///
  /// - Returns: the row, `Int.max` where there is none; or the one at which the budget was used up, and that it is not certain.
  package static func affectedRow(
    from old: Table,
    to new: Table,
    seenAs seen: ((Row) -> Row)? = nil,
    within budget: RowBudget
  ) -> (row: Int, isCertain: Bool) {
    guard sameAround(old, new) else { return (0, true) }
    var (before, left) = (0, budget)
    for (old, new) in zip(old.sections, new.sections) {
      if isSame(old, new) {
        before += old.rows.count
        continue
      }
      guard Section.sameIdentity(old, new), Section.sameFrame(old, new) else { return (before, true) }
      let first = RowList.firstDifference(old.rows, new.rows) ?? 0
      guard seen != nil || isFound(old.rows, first) || isFound(new.rows, first) else { return (before + first, true) }
      if let found = firstSeen(old.rows, new.rows, from: first, seen, &left) {
        return (before + found.row, found.isCertain)
      }
      before += old.rows.count
    }
    return (old.sections.count == new.sections.count ? Int.max : before, true)
  }

  /// Returns whether a row is found by something: then that may be all that has changed in it.
  private static func isFound(_ rows: RowList, _ index: Int) -> Bool {
    index < rows.count && !rows[index].findable.isEmpty
  }

  private static func firstSeen(
    _ old: RowList,
    _ new: RowList,
    from first: Int,
    _ seen: ((Row) -> Row)?,
    _ left: inout RowBudget
  ) -> (row: Int, isCertain: Bool)? {
    let shorter = min(old.count, new.count)
    let end = shorter - min(RowList.commonEnd(old, new), shorter)
    var index = first
    while index < end {
      guard left.compare() else { return (index, false) }
      let (one, other) = (old[index], new[index])
      // Most that differ in what they are found by alone are the same to look at, however they are drawn.
      if !Row.looksSame(one, other) {
        guard let seen, one.id == other.id else { return (index, true) }
        guard left.draw() else { return (index, false) }
        if !Row.looksSame(seen(one), seen(other)) { return (index, true) }
      }
      index += 1
    }
    return old.count == new.count ? nil : (row: max(first, end), isCertain: true)
  }
}
