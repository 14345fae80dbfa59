internal import Synchronization
internal import TableModel

/// The search texts of a chunk's rows, side by side. Made when they are first searched, and kept with the chunk:
/// versions, searches and tables that share it share this, and so does a chunk of other rows that are found alike.
final class FindChunk: Sendable {
  let mark: UInt64
  /// The beginnings of words, in order: the first six bytes from there on, then the row.
  private let starts: [UInt64]
  /// By filter.
  let columns: [FilterColumn]
  let census: ValueCensus

  /// The values that a chunk's rows have in one filter.
  struct FilterColumn: Equatable, Sendable {
    /// Each once, in the order in which rows first have them.
    var values: [[UInt8]] = []
    /// By row, how many entries there are up to its end.
    var ends: [UInt32] = []
    /// Among `values`.
    var entries: [UInt32] = []

    /// Returns a row's entries.
    @inline(__always)
    func entries(of row: Int) -> ArraySlice<UInt32> {
      entries[(row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])]
    }

    /// Rows with one of some values.
    func rows(with chosen: [[UInt8]]) -> RowSet {
      let wanted = values.map { chosen.contains($0) }
      guard wanted.contains(true) else { return .none }
      var bits = [UInt64](repeating: 0, count: RowSet.words(for: ends.count))
      for row in ends.indices where entries(of: row).contains(where: { wanted[Int($0)] }) {
        bits[row >> 6] |= 1 << UInt64(row & 63)
      }
      return RowSet(bits, of: ends.count)
    }
  }

  /// The chunk's, made once for a schema.
  static func of(_ node: RowNode, _ schema: FindSchema) -> FindChunk {
    node.findings.withLock { held in
      if let held = held as? FindChunk, held.mark == schema.mark { return held }
      let made = FindChunk(node.rows, schema)
      held = made
      return made
    }
  }

  /// The same of a chunk that stands where another one stood: that one's, where nothing differs that is searched. O(rows) the
  /// first time, beside the texts of the rows that differ.
  ///
  /// - Returns: and whether it is the other one's.
  static func of(_ node: RowNode, after old: RowNode, _ schema: FindSchema) -> (chunk: FindChunk, isFormer: Bool) {
    let former = old.findings.withLock { $0 as? FindChunk }
    return node.findings.withLock { held in
      if let held = held as? FindChunk, held.mark == schema.mark { return (held, held === former) }
      if let former, former.mark == schema.mark, Self.areFoundAlike(old.rows, node.rows) {
        held = former
        return (former, true)
      }
      let made = FindChunk(node.rows, schema)
      held = made
      return (made, false)
    }
  }

  private static func areFoundAlike(_ old: [Row], _ new: [Row]) -> Bool {
    old.count == new.count && zip(old, new).allSatisfy { $0 === $1 || $0.findable == $1.findable }
  }

  /// O(bytes + words · log words).
  private init(_ rows: [Row], _ schema: FindSchema) {
    mark = schema.mark
    var starts: [UInt64] = []
    starts.reserveCapacity(rows.count * 8)
    var columns = [FilterColumn](repeating: FilterColumn(), count: schema.filters.count)
    var known = [[[UInt8]: UInt32]](repeating: [:], count: schema.filters.count)
    for (row, found) in rows.enumerated() {
      if var reader = FindRecordReader(found.findable, of: schema), let words = reader.text() {
        Self.note(words, of: row, in: &starts)
        if let count = reader.count(), count == columns.count {
          for filter in columns.indices {
            for _ in 0..<(reader.count() ?? 0) {
              guard let value = reader.text().map({ Array($0) }) else { break }
              let number = known[filter][value] ?? UInt32(columns[filter].values.count)
              if Int(number) == columns[filter].values.count {
                known[filter][value] = number
                columns[filter].values.append(value)
              }
              columns[filter].entries.append(number)
            }
          }
        }
      }
      for filter in columns.indices { columns[filter].ends.append(UInt32(columns[filter].entries.count)) }
    }
    starts.sort()
    (self.starts, self.columns, census) = (starts, columns, ValueCensus(schema.mark, of: columns))
  }

  private static let keyBytes = 6

  private static func note(_ words: ArraySlice<UInt8>, of row: Int, in starts: inout [UInt64]) {
    words.withUnsafeBufferPointer { words in
      for place in words.indices where words[place] <= Folding.letter {
        // A word that begins with such a letter is found by that.
        if words[place] == Folding.word, place + 1 < words.count, words[place + 1] == Folding.letter { continue }
        var key: UInt64 = 0
        var end = place + 1
        while end < words.count, end <= place + keyBytes, words[end] != Folding.word {
          key = key << 8 | UInt64(words[end])
          end += 1
        }
        key <<= UInt64(8 * (keyBytes - (end - place - 1)))
        starts.append(key << 16 | UInt64(row))
      }
    }
  }

  /// The rows of which a word begins with a pattern.
  ///
  /// - Parameters:
  ///   - pattern: with the mark before it.
  ///   - rows: that are asked about.
  ///   - texts: of the rows, for what is longer than what is kept of each word.
  func rows(with pattern: Pattern, among rows: RowSet, of node: RowNode, _ schema: FindSchema) -> RowSet {
    let count = node.count
    if case .none = rows { return .none }
    let term = pattern.bytes.dropFirst()
    let head = term.prefix(Self.keyBytes)
    let key = head.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let shift = UInt64(16 + 8 * (Self.keyBytes - head.count))
    let (low, high) = (key << shift, (key + 1) << shift)
    var next = first(notBelow: low)
    guard next < starts.count, starts[next] < high else { return .none }
    var bits = [UInt64](repeating: 0, count: RowSet.words(for: count))
    while next < starts.count, starts[next] < high {
      let row = Int(starts[next] & 0xffff)
      bits[row >> 6] |= 1 << UInt64(row & 63)
      next += 1
    }
    let found = RowSet(bits, of: count).intersection(rows, of: count)
    guard term.count > Self.keyBytes else { return found }
    var sure = [UInt64](repeating: 0, count: bits.count)
    found.forEach(of: count) { row in
      if let words = FindRecord.words(in: node.rows[row].findable, of: schema), pattern.isIn(words) {
        sure[row >> 6] |= 1 << UInt64(row & 63)
      }
    }
    return RowSet(sure, of: count)
  }

  /// By halving.
  private func first(notBelow key: UInt64) -> Int {
    starts.withUnsafeBufferPointer { starts in
      var (low, high) = (0, starts.count)
      while low < high {
        let middle = (low + high) / 2
        if starts[middle] < key { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
