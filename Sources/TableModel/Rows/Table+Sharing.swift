extension Table {
  /// The same table, whose long sections share the rows that they have in common with another version's.
  ///
  /// A refresh makes its sections anew; so that the versions before and after it can be told apart as fast as those
  /// that an edit makes, whoever takes a version in passes it through here.
  ///
  /// - Complexity: O(sections), and for those that are long and share nothing yet, what it takes to compare references to all rows.
  public func sharing(with other: Table) -> Table {
    var long: [String: Section] = [:]
    for section in other.sections where !section.rows.root.isChunk { long[section.id] = section }
    guard !long.isEmpty else { return self }
    var table = self
    for (index, section) in sections.enumerated() where !section.rows.root.isChunk {
      guard let before = long[section.id]?.rows, RowNode.sharedPrefix(before.root, section.rows.root) == 0,
        RowNode.sharedSuffix(before.root, section.rows.root) == 0
      else { continue }
      let rows = RowList(Array(section.rows), sharing: before)
      table.sections[index] = Section(id: section.id, header: section.header, footer: section.footer, rows: rows)
    }
    table.countRows()
    return table
  }
}
