public import TableModel

extension Changeset {
  /// Makes the changeset that turns `old` into `new`: legal for `UITableView`, with the fewest moves, exact to the
  /// byte.
  ///
  /// Three steps, as in Heckel's algorithm, with a longest increasing subsequence in place of its greedy moves:
  ///
  /// 1. **Match.** Sections by identity, then rows by identity across all sections that changed. What is left
  ///    over on the old side was deleted, on the new side inserted.
  /// 2. **Order.** Of the rows that stay in their section, a longest increasing subsequence stays in place and all
  ///    others move; likewise for sections. A row that changes section moves. No changeset has fewer moves.
  /// 3. **Stage.** One stage, or two where a section moves whose rows are deleted, inserted or moved too:
  ///
  /// ```
  ///        from                stage 1                         stage 2                  to
  ///   ┌─────────────┐   sections that leave or move     everything else          ┌─────────────┐
  ///   │ 0  A  a b c │         ┌─────────────┐                                    │ 0  C  f a e │
  ///   │ 1  B  d     │  ─────▶ │ 0  C  e f   │  move row   [1,0] → [0,1]  ──────▶ │ 1  N  d g   │
  ///   │ 2  C  e f   │         │ 1  A  a b c │  move row   [0,0] → [0,2]          │ 2  A  b h   │
  ///   └─────────────┘         └─────────────┘  delete row [1,2]                  └─────────────┘
  ///                     delete section 1       insert row [2,1] h
  ///                     move section 0 → 1     insert section 1 with d, g
  ///                                            updates, attributes
  /// ```
  ///
  /// A batch that moves a section must not delete, insert or move rows in it. So sections move in stage 1, where
  /// no row does; stage 2 moves none, and every row operation is legal in it. Deleted sections go in stage 1, so a
  /// row of theirs that lives on can be inserted in stage 2; inserted ones come in stage 2, together with the
  /// deletion of the rows that they bring from elsewhere (`d` above, had B stayed). Either way no identity ever
  /// stands in the table twice. A third stage is never needed. If the rows of every section that moves only
  /// changed their content, both stages are one; which sections move is chosen, among the fewest, to make it so.
  ///
  /// Updates are in coordinates of `new`: they come after the rest of the last stage. Attributes of the table
  /// stand in the last stage; nothing changed, no stages.
  ///
  /// Linear in the rows of sections that changed, plus n log n in the rows that moved. A section whose digest is
  /// unchanged costs O(1), and what two long lists of rows share next to nothing: there it is the changes that count,
  /// and where rows moved, how far.
  ///
  /// Both tables are versions of one table: `name` is not compared. Identities are unique in each, as whoever makes
  /// a table sees to; should one stand in a table twice, its rows are paired in no particular way, and the
  /// changeset is still applicable and exact.
  public init(from old: Table, to new: Table) {
    // The matching refers to rows without retaining them.
    self = withExtendedLifetime((old, new)) {
      let sections = SectionMatching(from: old.sections, to: new.sections)
      let rows = RowMatching(from: old.sections, to: new.sections, sections: sections)
      let moves = RowMoves(rows)
      return Changeset(stages: Staging(from: old, to: new, sections: sections, rows: rows, moves: moves).stages())
    }
  }
}

extension Changeset.Stage {
  /// True if the stage does nothing.
  var isEmpty: Bool { sections.isEmpty && rows.isEmpty && attributes.isEmpty }
}
