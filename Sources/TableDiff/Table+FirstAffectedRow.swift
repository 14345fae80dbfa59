public import TableModel

extension Table {
  /// From which row on, in display order, two versions of a table show something else; nil where they nowhere do.
  ///
  /// A window of `n` rows shows another table if and only if `n` is greater: so whoever publishes a version asks once,
  /// and wakes only the waiters whose windows reach that far. 0 where what stands around the rows changed, which every
  /// window shows. What says how large the whole is (`counts`, the window's `of`) is no such thing: nobody is woken
  /// for that.
  ///
  /// Both are whole, or cut alike. A view, or the cells that a client can show, change rows where they stand: so what is
  /// found here holds there, though a change may not be seen.
  ///
  /// - Complexity: O(sections), and O(log² rows) in the first that changed (``RowList/firstDifference(_:_:)``).
  public static func firstAffectedRow(from old: Table, to new: Table) -> Int? {
    guard
      old.state == new.state, old.problem == new.problem, old.title == new.title, old.animation == new.animation,
      old.isTruncated == new.isTruncated
    else { return 0 }
    var before = 0
    for (old, new) in zip(old.sections, new.sections) {
      if old === new || old.id == new.id && Section.sameFrame(old, new) && Section.sameRows(old, new) {
        before += old.rows.count
        continue
      }
      guard old.id == new.id, Section.sameFrame(old, new) else { return before }
      return before + (RowList.firstDifference(old.rows, new.rows) ?? 0)
    }
    return old.sections.count == new.sections.count ? nil : before
  }
}
