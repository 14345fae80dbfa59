extension RowNode {
  /// Returns the sum of a measure over its rows that the other part doesn't have in their places.
  func sum(without other: RowNode?, of measure: (Row) -> Int) -> Int {
    guard self !== other else { return 0 }
    guard let other else {
      return isChunk
        ? rows.reduce(0) { $0 + measure($1) } : children.reduce(0) { $0 + $1.sum(without: nil, of: measure) }
    }
    // A list that has grown or shrunk by much is compared row by row.
    guard height == other.height else {
      return Self.own(Array(RowList(root: self)), Array(RowList(root: other)), measure)
    }
    return isChunk ? Self.own(rows, other.rows, measure) : ownChildren(without: other.children, measure)
  }

  private func ownChildren(without others: [RowNode], _ measure: (Row) -> Int) -> Int {
    let (own, theirs) = Self.middles(children, others)
    let shared = Set(theirs.map(ObjectIdentifier.init)).intersection(own.map(ObjectIdentifier.init))
    let left = theirs.filter { !shared.contains(ObjectIdentifier($0)) }
    return own.filter { !shared.contains(ObjectIdentifier($0)) }.enumerated().reduce(0) { sum, child in
      sum + child.element.sum(without: child.offset < left.count ? left[child.offset] : nil, of: measure)
    }
  }

  private static func own(_ rows: [Row], _ others: [Row], _ measure: (Row) -> Int) -> Int {
    var (own, theirs) = middles(rows, others)
    if own.count == theirs.count {
      // Most have changed where they stand.
      let changed = zip(own, theirs).filter { $0 !== $1 }
      (own, theirs) = (changed.map(\.0)[...], changed.map(\.1)[...])
    }
    let shared = Set(theirs.map(ObjectIdentifier.init))
    return own.reduce(0) { shared.contains(ObjectIdentifier($1)) ? $0 : $0 + measure($1) }
  }

  /// Returns the rest of two lists without what they have in common at both ends.
  private static func middles<Element: AnyObject>(
    _ first: [Element],
    _ second: [Element]
  ) -> (ArraySlice<Element>, ArraySlice<Element>) {
    let shorter = min(first.count, second.count)
    var start = 0
    while start < shorter, first[start] === second[start] { start += 1 }
    var end = 0
    while end < shorter - start, first[first.count - 1 - end] === second[second.count - 1 - end] { end += 1 }
    return (first[start..<first.count - end], second[start..<second.count - end])
  }
}
