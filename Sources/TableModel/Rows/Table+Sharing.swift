extension Table {
  /// The same table, whose long sections share the rows that they have in common with another version's.
  ///
  /// A refresh makes its sections anew; so that the versions before and after it can be told apart as fast as those
  /// that an edit makes, whoever takes a version in passes it through here.
  ///
  /// - Complexity: O(sections) comparisons of references; for sections that are others, are long and share nothing yet, what it
  ///   takes to compare references to all rows.
  public func sharing(with other: Table) -> Table {
    let (own, theirs) = differingSections(from: other)
    // By fingerprints: texts as keys are normalized, and two spellings of “é” are one.
    var long: [Fingerprint: Section] = [:]
    for section in other.sections[theirs] where !section.rows.root.isChunk { long[section.identity] = section }
    guard !long.isEmpty else { return self }
    var table = self
    for index in own where !sections[index].rows.root.isChunk {
      let section = sections[index]
      guard let before = long[section.identity]?.rows, RowNode.sharedPrefix(before.root, section.rows.root) == 0,
        RowNode.sharedSuffix(before.root, section.rows.root) == 0
      else { continue }
      let rows = RowList(Array(section.rows), sharing: before)
      table.sections[index] = Section(id: section.id, header: section.header, footer: section.footer, rows: rows)
    }
    // Each has as many rows as before.
    table.counted = counted
    return table
  }

  /// Returns the memory of its rows that another version's rows don't take too, about: a row that has come into another
  /// section counts as its own.
  ///
  /// - Complexity: O(sections + rows of the chunks that differ), at the speed of memory; sections at the beginning and at the
  ///   end that both have cost a comparison of references.
  public func footprint(without other: Table?) -> Int { sum(without: other) { $0.footprint } }

  /// Returns the number of its rows that are other objects than another version's, about, as ``footprint(without:)`` does.
  public func rowCount(without other: Table?) -> Int { sum(without: other) { _ in 1 } }

  private func sum(without other: Table?, of measure: (Row) -> Int) -> Int {
    let (own, theirs) = other.map(differingSections(from:)) ?? (sections.indices, 0..<0)
    var others: [UInt64: RowNode] = [:]
    for section in other?.sections[theirs] ?? [] { others[section.identity.rawValue] = section.rows.root }
    return sections[own].reduce(0) { $0 + $1.rows.root.sum(without: others[$1.identity.rawValue], of: measure) }
  }

  /// The sections between those that two versions share at the beginning and at the end. O(sections) comparisons of
  /// references.
  func differingSections(from other: Table) -> (own: Range<Int>, others: Range<Int>) {
    sections.differing(from: other.sections, ===)
  }
}

extension Array {
  /// The elements between those that are shared at the beginning and at the end. O(count) comparisons.
  @inlinable
  package func differing(
    from other: [Element],
    _ areSame: (Element, Element) -> Bool
  ) -> (own: Range<Int>, others: Range<Int>) {
    let shorter = Swift.min(count, other.count)
    var start = 0
    while start < shorter, areSame(self[start], other[start]) { start += 1 }
    var end = 0
    while end < shorter - start, areSame(self[count - 1 - end], other[other.count - 1 - end]) { end += 1 }
    return (start..<count - end, start..<other.count - end)
  }
}

extension [Section] {
  /// Returns how many rows the sections have, by what differs from others whose rows were counted. O(count) comparisons
  /// of references, and a look at each section that is another.
  public func rowCount(knowing count: Int, of others: [Section]) -> Int {
    let (own, theirs) = differing(from: others, ===)
    return self[own].reduce(count) { $0 + $1.rows.count } - others[theirs].reduce(0) { $0 + $1.rows.count }
  }
}
