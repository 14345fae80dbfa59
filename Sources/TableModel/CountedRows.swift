import Synchronization

/// How many rows a table's sections have: counted once for all copies of the table.
final class CountedRows: Sendable {
  let count: Int
  private let ends = AtomicLazyReference<Ends>()

  /// By section: how many rows there are up to its end.
  private final class Ends: Sendable {
    let ends: [Int]

    init(of sections: [Section]) {
      var end = 0
      ends = sections.map { section in
        end += section.rows.count
        return end
      }
    }
  }

  init(_ count: Int) { self.count = count }

  /// The first section up to whose end there are so many rows, and how many stand before it. O(log sections), and
  /// O(sections) the first time.
  ///
  /// - Parameter sections: those that were counted.
  func firstSection(reaching rows: Int, of sections: [Section]) -> (index: Int, start: Int) {
    let ends = (ends.load() ?? ends.storeIfNil(Ends(of: sections))).ends
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] >= rows { high = middle } else { low = middle + 1 }
    }
    return (low, low == 0 ? 0 : ends[low - 1])
  }
}

extension Table {
  /// The first section up to whose end there are so many rows, and how many stand before it.
  func firstSection(reaching rows: Int) -> (index: Int, start: Int) {
    if rows == 0 { return (0, 0) }
    if let counted { return counted.firstSection(reaching: rows, of: sections) }
    var start = 0
    for (index, section) in sections.enumerated() {
      if start + section.rows.count >= rows { return (index, start) }
      start += section.rows.count
    }
    return (sections.count, start)
  }
}
