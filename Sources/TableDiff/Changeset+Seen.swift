public import TableModel

extension Changeset {
  /// The same changes as they are to whoever is shown rows otherwise, each in the place of its own: what differs between the
  /// two tables as they show it, if this is what differs between them as they are.
  ///
  /// Rows come, go and move by their identities, which no lens changes. So only what changed in them has to be looked at
  /// again: it may not be seen, and what did not change may be seen otherwise now.
  ///
  /// - Parameters:
  ///   - before: a row as it was shown.
  ///   - after: a row as it is shown now.
  ///   - turned: rows of both tables that are not updated, and that may be shown otherwise now, by their places in the
  ///     new table; each with what it was.
  /// - Complexity: O(operations + rows of sections that come), without a look at what did not change.
  public func seen(
    before: (Row) -> Row,
    after: (Row) -> Row,
    turned: [RowUpdate] = []
  ) -> Changeset {
    var stages = stages
    var updates: [RowUpdate] = []
    for index in stages.indices {
      for place in stages[index].sections.insert.indices {
        let section = stages[index].sections.insert[place].section
        stages[index].sections.insert[place].section = section.seen(as: after)
      }
      for place in stages[index].rows.insert.indices {
        stages[index].rows.insert[place].row = after(stages[index].rows.insert[place].row)
      }
      // They stand in the last stage.
      updates += stages[index].rows.update.compactMap { $0.seen(before, after) }
      stages[index].rows.update = []
    }
    let others = turned.compactMap { $0.seen(before, after) }
    if !others.isEmpty {
      updates += others
      updates.sort { ($0.at.section, $0.at.row) < ($1.at.section, $1.at.row) }
    }
    if !updates.isEmpty {
      if stages.isEmpty { stages.append(Stage()) }
      stages[stages.count - 1].rows.update = updates
    }
    return Changeset(stages: stages.filter { !$0.isEmpty })
  }
}

extension Changeset.RowUpdate {
  /// Nil where the two look the same.
  fileprivate func seen(_ before: (Row) -> Row, _ after: (Row) -> Row) -> Changeset.RowUpdate? {
    let (old, new) = (former.map(before), after(row))
    if let old, Row.looksSame(old, new) { return nil }
    let reload = old.map { $0.cellIdentifier != new.cellIdentifier } ?? reload
    return Changeset.RowUpdate(at: at, row: new, reload: reload, former: old)
  }
}

extension Section {
  /// With rows as they are shown; itself where that is as they are. O(rows).
  fileprivate func seen(as shown: (Row) -> Row) -> Section {
    var isOther = false
    let rows = rows.map { row in
      let seen = shown(row)
      if seen !== row { isOther = true }
      return seen
    }
    return isOther ? with(RowList(rows)) : self
  }
}
