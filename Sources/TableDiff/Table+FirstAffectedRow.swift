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
  ///   `seen` also O(rows from the first that changed to the last), for ``patience`` of them at most: behind so many
  ///   the next one counts as seen.
  public static func firstAffectedRow(from old: Table, to new: Table, seenAs seen: ((Row) -> Row)? = nil) -> Int? {
    guard sameAround(old, new) else { return 0 }
    var (before, left) = (0, patience)
    for (old, new) in zip(old.sections, new.sections) {
      if isSame(old, new) {
        before += old.rows.count
        continue
      }
      guard Section.sameIdentity(old, new), Section.sameFrame(old, new) else { return before }
      let first = RowList.firstDifference(old.rows, new.rows) ?? 0
      guard let seen = seen ?? (isFound(old.rows, first) || isFound(new.rows, first) ? { $0 } : nil) else {
        return before + first
      }
      if let found = firstSeen(old.rows, new.rows, from: first, seen, &left) { return before + found }
      before += old.rows.count
    }
    return old.sections.count == new.sections.count ? nil : before
  }

  /// How many rows are looked at for a change that is seen.
  private static let patience = 20_000

  /// Returns whether a row is found by something: then that may be all that has changed in it.
  private static func isFound(_ rows: RowList, _ index: Int) -> Bool {
    index < rows.count && !rows[index].findable.isEmpty
  }

  private static func firstSeen(
    _ old: RowList,
    _ new: RowList,
    from first: Int,
    _ seen: (Row) -> Row,
    _ left: inout Int
  ) -> Int? {
    let shorter = min(old.count, new.count)
    let end = shorter - min(RowList.commonEnd(old, new), shorter)
    var index = first
    while index < end {
      guard left > 0 else { return index }
      left -= 1
      let (one, other) = (old[index], new[index])
      if !Row.same(one, other), one.id != other.id || !Row.looksSame(seen(one), seen(other)) { return index }
      index += 1
    }
    return old.count == new.count ? nil : max(first, end)
  }
}
