package import TableModel

extension RowList {
  /// Returns the places of rows that two lists have in the same order, as far as no search is needed to tell: in parts
  /// that both lists have, and between these at both ends of the rest.
  ///
  /// The caller looks for the rest: after edits and refreshes, little more than the rows that changed.
  ///
  /// - Parameter areSame: asked of rows that are two objects with the same key.
  /// - Returns: in order, in both lists; none is empty.
  /// - Complexity: O(log rows) for each edit that one list was made from the other by; O(rows) where they share nothing.
  package static func inStep(
    _ old: RowList,
    _ new: RowList,
    where areSame: (Row, Row) -> Bool
  ) -> [(old: Range<Int>, new: Range<Int>)] {
    var step = RowStep(old, new)
    var (from, to) = (0, 0)
    for run in SharedParts(old.root, new.root).runs + [Run(from: old.count, to: new.count, count: 0)] {
      step.compare(from..<Int(run.from), to..<Int(run.to), where: areSame)
      (from, to) = (Int(run.from + run.count), Int(run.to + run.count))
      step.append(Int(run.from)..<from, Int(run.to)..<to)
    }
    return step.runs
  }
}

/// Compares parts of two lists, which must live as long, row by row.
private struct RowStep {
  private var old: RowCursor
  private var new: RowCursor
  private(set) var runs: [(old: Range<Int>, new: Range<Int>)] = []

  init(_ old: RowList, _ new: RowList) { (self.old, self.new) = (RowCursor(old), RowCursor(new)) }

  mutating func append(_ old: Range<Int>, _ new: Range<Int>) {
    guard !old.isEmpty else { return }
    if let last = runs.last, last.old.upperBound == old.lowerBound, last.new.upperBound == new.lowerBound {
      runs[runs.count - 1] = (last.old.lowerBound..<old.upperBound, last.new.lowerBound..<new.upperBound)
    } else {
      runs.append((old, new))
    }
  }

  /// Notes what is the same at both ends, and of parts that are equally long what is in between. O(rows).
  mutating func compare(_ old: Range<Int>, _ new: Range<Int>, where areSame: (Row, Row) -> Bool) {
    let shorter = min(old.count, new.count)
    var head = 0
    while head < shorter, isSame(old.lowerBound + head, new.lowerBound + head, areSame) { head += 1 }
    append(old.prefix(head), new.prefix(head))
    var tail = 0
    while tail < shorter - head, isSame(old.upperBound - 1 - tail, new.upperBound - 1 - tail, areSame) { tail += 1 }
    if old.count == new.count {
      for offset in head..<shorter - tail where isSame(old.lowerBound + offset, new.lowerBound + offset, areSame) {
        append(old[offset], new[offset])
      }
    }
    append(old.suffix(tail), new.suffix(tail))
  }

  private mutating func isSame(_ from: Int, _ to: Int, _ areSame: (Row, Row) -> Bool) -> Bool {
    let (one, other) = (old[from], new[to])
    if one.row.toOpaque() == other.row.toOpaque() { return true }
    guard one.key == other.key else { return false }
    return one.row._withUnsafeGuaranteedRef { one in other.row._withUnsafeGuaranteedRef { areSame(one, $0) } }
  }
}

extension Range<Int> {
  fileprivate subscript(offset: Int) -> Range { lowerBound + offset..<lowerBound + offset + 1 }
}

/// Reads rows of a list, which must live as long: those that stand side by side without looking for each.
private struct RowCursor {
  private let list: RowList
  private var range = 0..<0
  private var rows = UnsafeRows(keys: UnsafeBufferPointer(start: nil, count: 0), rows: .init(start: nil, count: 0))

  init(_ list: RowList) { self.list = list }

  /// O(1) in the chunk of the row before, else O(log rows).
  subscript(index: Int) -> UnsafeRow {
    mutating get {
      if !range.contains(index) {
        let (chunk, start) = list.chunk(with: index)
        (range, rows) = (start..<start + chunk.count, chunk.unsafeRows)
      }
      return rows[index - range.lowerBound]
    }
  }
}
