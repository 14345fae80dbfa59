import TableModel

/// Pairs of sections gone through in step: the first part of matching rows, and of nearly all changes nearly all of it.
///
/// Rows that kept their neighbours are paired, in *runs*. Those in the gaps between runs are *strays*: of them the sweep
/// knows only how many there are.
struct RowSweep {
  /// A section that stays, and whose rows changed.
  struct Pair {
    /// Index in `SectionMatching.pairs`.
    let index: Int
    /// The rows between the common head and the common tail, old and new. Outside of them nothing moved.
    var oldMiddle = 0..<0
    var newMiddle = 0..<0
    /// This section's part of `runs`.
    var runs = 0..<0
    /// This section's strays among all of them.
    var oldStrays = 0..<0
    var newStrays = 0..<0
  }

  /// In the order of the new table, as everything here.
  private(set) var pairs: [Pair] = []
  /// Rows in the middle that stand side by side in both sections.
  private(set) var runs: [Run] = []
  private(set) var updates: [RowUpdate] = []

  /// O(rows in sections that changed), and O(1) for each section that did not.
  init(from old: [Section], to new: [Section], sections: SectionMatching) {
    for (index, pair) in sections.pairs.enumerated() where !Section.sameRows(old[pair.from], new[pair.to]) {
      old[pair.from].withUnsafeRows { old in new[pair.to].withUnsafeRows { new in sweep(old, new, index) } }
    }
  }

  /// How many strays there are.
  var oldStrays: Int { pairs.last?.oldStrays.upperBound ?? 0 }
  var newStrays: Int { pairs.last?.newStrays.upperBound ?? 0 }

  /// Calls `body` with the strays of each gap, old and new, by their indexes in the sections; either may be empty.
  @inline(__always)
  func forEachGap(of pair: Pair, _ body: (_ old: Range<Int>, _ new: Range<Int>) -> Void) {
    var (from, to) = (pair.oldMiddle.lowerBound, pair.newMiddle.lowerBound)
    for run in runs[pair.runs] {
      body(from..<Int(run.from), to..<Int(run.to))
      (from, to) = (Int(run.from + run.count), Int(run.to + run.count))
    }
    body(from..<pair.oldMiddle.upperBound, to..<pair.newMiddle.upperBound)
  }

  /// How far ahead the sweep looks for a row when both sections go on differently.
  private static let window = 16
  /// How often it may look in vain, before and per `matchesPerFailure` paired rows. Then all the rest are strays:
  /// hashing a row costs less than looking through the window again and again.
  private static let failures = 24
  private static let matchesPerFailure = 16

  private mutating func sweep(_ old: UnsafeRows, _ new: UnsafeRows, _ index: Int) {
    let head = pairRows(old, new, at: Place(pair: index, row: 0))
    let shorter = min(old.count, new.count) - head
    var tail = 0
    while tail < shorter, old[old.count - 1 - tail].match(new[new.count - 1 - tail]) != nil { tail += 1 }

    var pair = Pair(index: index)
    pair.oldMiddle = head..<(old.count - tail)
    pair.newMiddle = head..<(new.count - tail)
    let firstRun = runs.count
    let paired = sweepMiddle(old[pair.oldMiddle], new[pair.newMiddle], at: Place(pair: index, row: head))
    pair.runs = firstRun..<runs.count
    pair.oldStrays = oldStrays..<(oldStrays + pair.oldMiddle.count - paired)
    pair.newStrays = newStrays..<(newStrays + pair.newMiddle.count - paired)
    pairs.append(pair)
    // Gone through again only now, so that updates are found in order.
    _ = pairRows(
      old.dropFirst(pair.oldMiddle.upperBound),
      new.dropFirst(pair.newMiddle.upperBound),
      at: Place(pair: index, row: pair.newMiddle.upperBound)
    )
  }

  /// Notes the runs, and returns how many rows they have. Both begin at `place`.
  private mutating func sweepMiddle(_ old: UnsafeRows, _ new: UnsafeRows, at place: Place) -> Int {
    var (from, to) = (0, 0)
    var (failures, matches) = (0, 0)
    while from < old.count, to < new.count {
      let (oldRest, newRest) = (old.dropFirst(from), new.dropFirst(to))
      let count = pairRows(oldRest, newRest, at: place.advanced(by: to))
      if count > 0 {
        runs.append(Run(from: Int(place.row) + from, to: Int(place.row) + to, count: count))
        (from, to, matches) = (from + count, to + count, matches + count)
        continue
      }
      guard failures <= Self.failures + matches / Self.matchesPerFailure else { break }
      // Rows were removed before `from + removed`, or arrived before `to + arrived`; or both, as when a row was
      // exchanged for another, and then the next two may fit again.
      let (removed, arrived) = Self.resync(oldRest, newRest)
      if removed == 1, arrived == 1 { failures += 1 }
      (from, to) = (from + removed, to + arrived)
    }
    return matches
  }

  /// How many rows, from the first ones on, are the same in both; notes those that changed. The new ones begin at `place`.
  @inline(__always)
  private mutating func pairRows(_ old: UnsafeRows, _ new: UnsafeRows, at place: Place) -> Int {
    let shorter = min(old.count, new.count)
    var row = 0
    while row < shorter, let match = old[row].match(new[row]) {
      if match == .changed { updates.append(RowUpdate(old[row], new[row], at: place.advanced(by: row))) }
      row += 1
    }
    return row
  }

  /// How many rows to leave out on one side, so that the next ones pair; one on each side where none is in sight.
  /// Neither side is empty.
  @inline(__always)
  private static func resync(_ old: UnsafeRows, _ new: UnsafeRows) -> (removed: Int, arrived: Int) {
    let (oldIdentity, newIdentity) = (old.keys[0].identity, new.keys[0].identity)
    for distance in 1...window {
      if distance < old.count, old.keys[distance].identity == newIdentity { return (distance, 0) }
      if distance < new.count, new.keys[distance].identity == oldIdentity { return (0, distance) }
    }
    return (1, 1)
  }
}
