internal import TableModel

extension ItemLayout {
  /// Returns the place where a row stands among rows in their order; nil where it doesn't. As the other one.
  ///
  /// - Parameter guess: looked at first.
  func place(
    standing row: Row,
    of item: LayoutItem,
    among rows: RowList,
    _ arrangement: Arrangement?,
    near guess: Int = -1
  ) -> Int? {
    if rows.indices.contains(guess), rows[guess] === row { return guess }
    let place = place(of: row, of: item, among: rows, arrangement)
    return place < rows.count && rows[place] === row ? place : nil
  }

  /// Returns a row's place among rows in their order. O(log² rows).
  ///
  /// - Parameter arrangement: nil: rows in the order of their items.
  func place(of row: Row, of item: LayoutItem, among rows: RowList, _ arrangement: Arrangement?) -> Int {
    guard let arrangement, arrangement.sorts else { return place(ofRank: item.rank, among: rows) }
    let keys = item.mapped.sortKeys(of: row)
    return Self.firstPlace(in: 0..<rows.count) { place in
      let other = rows[place]
      return self.item(of: other).map { precedes(other, $0, keys, item.rank, arrangement) } ?? false
    }
  }

  /// The same in the order of the items, whose ranks are spread evenly where few have come between others: the search
  /// begins where the row would then stand, and takes O(log distance) steps from there.
  private func place(ofRank rank: Int64, among rows: RowList) -> Int {
    func precedes(_ place: Int) -> Bool { item(of: rows[place]).map { $0.rank < rank } ?? false }
    guard rows.count > 16, let first = item(of: rows[0]), let last = item(of: rows[rows.count - 1]) else {
      return Self.firstPlace(in: 0..<rows.count, after: precedes)
    }
    let share = (Double(rank) - Double(first.rank)) / max(Double(last.rank) - Double(first.rank), 1)
    let guess = Int(Double(rows.count - 1) * min(max(share, 0), 1))
    var (low, high, step) = (guess, guess, 1)
    if precedes(guess) {
      (low, high) = (guess + 1, guess + 1)
      while high < rows.count, precedes(high) {
        low = high + 1
        high = min(high + step, rows.count)
        step *= 2
      }
    } else {
      while low > 0, !precedes(low - 1) {
        high = low - 1
        low = max(low - step, 0)
        step *= 2
      }
    }
    return Self.firstPlace(in: low..<high, after: precedes)
  }

  /// The first place of a range, or its end, before which all are passed.
  private static func firstPlace(in range: Range<Int>, after isPassed: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isPassed(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func precedes(
    _ row: Row,
    _ item: LayoutItem,
    _ keys: [SortKey],
    _ rank: Int64,
    _ arrangement: Arrangement
  ) -> Bool {
    let order = arrangement.order(item.mapped.sortKeys(of: row), keys)
    return order == 0 ? item.rank < rank : order < 0
  }
}
