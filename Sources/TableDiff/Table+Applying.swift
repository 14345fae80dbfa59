public import TableModel

extension Table {
  /// The table that a changeset leads to. For users of this library, and the measure of its changesets in tests: the
  /// service makes changesets and applies none.
  ///
  /// Every operation is checked before it counts: that its place exists, holds the row or section that it names, is
  /// named once, and lies in no section that the same stage deletes, inserts or moves. So a changeset that was
  /// made for another version is refused rather than applied in part. That identities are unique is not checked.
  ///
  /// Linear: O(sections + operations + rows in the sections whose rows change), for each stage. Sections without a
  /// change are shared with this table, and all rows that are not new.
  ///
  /// - Throws: `ChangesetError` at the first operation that does not fit.
  public func applying(_ changeset: Changeset) throws(ChangesetError) -> Table {
    var table = self
    for (index, stage) in changeset.stages.enumerated() {
      table.sections = try Batch(applying: stage, at: index, to: table.sections).sections()
      try table.set(stage.attributes, stage: index)
    }
    return table
  }

  private mutating func set(_ attributes: Changeset.Attributes, stage: Int) throws(ChangesetError) {
    if let state = attributes.state { self.state = state }
    if let problem = attributes.problem { self.problem = problem }
    if let title = attributes.title { self.title = title }
    if let animation = attributes.animation { self.animation = animation }
    if let isTruncated = attributes.isTruncated { self.isTruncated = isTruncated }
    if let isForEdges = attributes.isForEdges { self.isForEdges = isForEdges }
    if let window = attributes.window { self.window = window }
    if let find = attributes.find { self.find = find }
    guard let counts = attributes.counts else { return }
    omittedSections = counts.omittedSections
    skippedItems = counts.skippedItems
    guard self.counts == counts else {
      throw ChangesetError(
        stage: stage,
        operation: "counts",
        reason: "\(counts.sections) sections with \(counts.rows) rows announced, "
          + "but there are \(self.counts.sections) with \(self.counts.rows)"
      )
    }
  }
}
