import TableModel

/// The rows of a section as its record tells them, run by run: the list shares with that of the version before what both
/// have, so that reading a version costs what changed, and holding it too.
struct RowsBeingRead {
  private let base: RowList
  /// Replacements of parts of the base, ascending: the parts between them stay.
  private var replacements: [(range: Range<Int>, rows: [Row])] = []
  /// How far the base is done with.
  private var done = 0
  /// The rows behind them.
  private var rows: [Row] = []

  /// Shorter runs are taken for so many rows.
  private static let shortestKept = 64

  init(onto base: RowList) { self.base = base }

  mutating func append(_ rows: some Sequence<Row>) { self.rows.append(contentsOf: rows) }

  /// Rows of the base, within it.
  mutating func append(_ range: Range<Int>) {
    guard range.count >= Self.shortestKept, range.lowerBound >= done else {
      rows += base[range]
      return
    }
    replacements.append((done..<range.lowerBound, rows))
    (done, rows) = (range.upperBound, [])
  }

  /// O(chunks of the base with another row in its place · rows of a chunk), and O(log rows + rows that are not kept) for each
  /// run of more or fewer rows than stood there.
  var list: RowList {
    if done == 0 { return RowList(rows) }
    let all = replacements + [(done..<base.count, rows)]
    let inPlace = all.lazy.filter { $0.range.count == $0.rows.count }
    var list = base.replacing(inPlace.flatMap { zip($0.range, $0.rows).map { (place: $0, row: $1) } })
    // From behind, so that places stay what they are.
    for (range, rows) in all.reversed() where range.count != rows.count { list = list.replacing(range, with: rows) }
    return list
  }
}
