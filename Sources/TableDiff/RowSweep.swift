import TableModel

/// Pairs of sections gone through in step: the first part of matching rows, and of nearly all changes nearly all of it.
///
/// Rows that kept their neighbours are paired, in *runs*. Those in the gaps between runs are *strays*: of them the sweep
/// knows only how many there are. Parts that long lists share are runs, and are not gone through.
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

  /// O(rows in sections that changed, without what they share), and O(1) for each section that did not.
  init(from old: [Section], to new: [Section], sections: SectionMatching) {
    for (index, pair) in sections.pairs.enumerated() where !Section.sameRows(old[pair.from], new[pair.to]) {
      sweep(old[pair.from].rows, new[pair.to].rows, index)
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

  private mutating func sweep(_ old: RowList, _ new: RowList, _ index: Int) {
    let firstRun = runs.count
    var (from, to) = (0, 0)
    if old.root.isChunk, new.root.isChunk {
      sweepWhole(old.root.unsafeRows, new.root.unsafeRows, index)
    } else {
      let (oldRows, newRows) = (RowReader(old), RowReader(new))
      for run in SharedParts(old.root, new.root).runs + [Run(from: old.count, to: new.count, count: 0)] {
        sweepParts(oldRows, from..<Int(run.from), newRows, to..<Int(run.to), index)
        if run.count > 0 { runs.append(run) }
        (from, to) = (Int(run.from + run.count), Int(run.to + run.count))
      }
    }
    finish(Pair(index: index, oldMiddle: 0..<old.count, newMiddle: 0..<new.count, runs: firstRun..<runs.count))
  }

  /// Takes what stands at both ends out of the middle, and counts the strays.
  private mutating func finish(_ whole: Pair) {
    var pair = whole
    if let head = runs[pair.runs].first, head.from == 0, head.to == 0 {
      pair.oldMiddle = Int(head.count)..<pair.oldMiddle.upperBound
      pair.newMiddle = Int(head.count)..<pair.newMiddle.upperBound
      pair.runs.removeFirst()
    }
    if let tail = runs[pair.runs].last, Int(tail.from + tail.count) == pair.oldMiddle.upperBound,
      Int(tail.to + tail.count) == pair.newMiddle.upperBound
    {
      pair.oldMiddle = pair.oldMiddle.lowerBound..<Int(tail.from)
      pair.newMiddle = pair.newMiddle.lowerBound..<Int(tail.to)
      pair.runs.removeLast()
    }
    let paired = runs[pair.runs].reduce(0) { $0 + Int($1.count) }
    pair.oldStrays = oldStrays..<(oldStrays + pair.oldMiddle.count - paired)
    pair.newStrays = newStrays..<(newStrays + pair.newMiddle.count - paired)
    pairs.append(pair)
  }

  /// Notes the runs of two lists, each of which is one chunk.
  private mutating func sweepWhole(_ old: UnsafeRows, _ new: UnsafeRows, _ index: Int) {
    let head = pairRows(old, new, at: RowSlot(pair: index, row: 0))
    if head > 0 { runs.append(Run(from: 0, to: 0, count: head)) }
    let shorter = min(old.count, new.count) - head
    var tail = 0
    while tail < shorter, old[old.count - 1 - tail].match(new[new.count - 1 - tail]) != nil { tail += 1 }
    let (oldEnd, newEnd) = (old.count - tail, new.count - tail)
    var budget = Budget()
    var block = Block(from: head, place: RowSlot(pair: index, row: head))
    sweepMiddle(old[head..<oldEnd], new[head..<newEnd], &block, &budget)
    // Gone through again only now, so that updates are found in order.
    _ = pairRows(old.dropFirst(oldEnd), new.dropFirst(newEnd), at: RowSlot(pair: index, row: newEnd))
    if tail > 0 { runs.append(Run(from: oldEnd, to: newEnd, count: tail)) }
  }

  /// Notes the runs of parts of two lists: goes through them where they lie for as long as their rows pair, and gathers a
  /// block of each where they go on differently.
  private mutating func sweepParts(
    _ old: RowReader,
    _ oldPart: Range<Int>,
    _ new: RowReader,
    _ newPart: Range<Int>,
    _ index: Int
  ) {
    var budget = Budget()
    var (from, to) = (oldPart.lowerBound, newPart.lowerBound)
    var count = 0
    /// Notes the rows that have paired up to here.
    func endRun() {
      if count > 0 { runs.append(Run(from: from - count, to: to - count, count: count)) }
      budget.matches += count
      count = 0
    }
    while from < oldPart.upperBound, to < newPart.upperBound, !budget.isSpent {
      let (oldRows, newRows) = (old.part(from..<oldPart.upperBound), new.part(to..<newPart.upperBound))
      let paired = pairRows(oldRows, newRows, at: RowSlot(pair: index, row: to))
      (from, to, count) = (from + paired, to + paired, count + paired)
      if paired == min(oldRows.count, newRows.count) { continue }
      endRun()
      let oldBlock = from..<min(from + Self.block, oldPart.upperBound)
      let newBlock = to..<min(to + Self.block, newPart.upperBound)
      var block = Block(from: from, place: RowSlot(pair: index, row: to))
      block.oldGoesOn = oldBlock.upperBound < oldPart.upperBound
      block.newGoesOn = newBlock.upperBound < newPart.upperBound
      old.withRows(oldBlock) { old in new.withRows(newBlock) { new in sweepMiddle(old, new, &block, &budget) } }
      (from, to) = (from + block.oldDone, to + block.newDone)
    }
    endRun()
  }

  /// So many rows are gathered in next to no time, and more wouldn't stay in a cache.
  private static let block = 1024

  /// Rows that are gone through at once.
  private struct Block {
    /// The first rows in the old section, and in the new one.
    let from: Int
    let place: RowSlot
    /// True if the sections have more rows behind them, which belong to the same part.
    var oldGoesOn = false
    var newGoesOn = false
    /// How many have been gone through.
    var oldDone = 0
    var newDone = 0

    init(from: Int, place: RowSlot) { (self.from, self.place) = (from, place) }
  }

  /// How often a sweep may still look in vain.
  private struct Budget {
    var failures = 0
    var matches = 0

    var isSpent: Bool { failures > RowSweep.failures + matches / RowSweep.matchesPerFailure }
  }

  /// Notes the runs of a block, up to its end or so near to it that what comes behind has to be seen.
  private mutating func sweepMiddle(
    _ old: UnsafeRows,
    _ new: UnsafeRows,
    _ block: inout Block,
    _ budget: inout Budget
  ) {
    var (from, to) = (0, 0)
    while from < old.count, to < new.count {
      let (oldRest, newRest) = (old.dropFirst(from), new.dropFirst(to))
      let count = pairRows(oldRest, newRest, at: block.place.advanced(by: to))
      if count > 0 {
        runs.append(Run(from: block.from + from, to: Int(block.place.row) + to, count: count))
        (from, to) = (from + count, to + count)
        budget.matches += count
        continue
      }
      let isNearEnd = block.oldGoesOn && oldRest.count <= Self.window || block.newGoesOn && newRest.count <= Self.window
      guard !isNearEnd, !budget.isSpent else { break }
      // Rows were removed before `from + removed`, or arrived before `to + arrived`; or both, as when a row was
      // exchanged for another, and then the next two may fit again.
      let (removed, arrived) = Self.resync(oldRest, newRest)
      if removed == 1, arrived == 1 { budget.failures += 1 }
      (from, to) = (from + removed, to + arrived)
    }
    (block.oldDone, block.newDone) = (from, to)
  }

  /// How many rows, from the first ones on, are the same in both; notes those that changed. The new ones begin at `place`.
  @inline(__always)
  private mutating func pairRows(_ old: UnsafeRows, _ new: UnsafeRows, at place: RowSlot) -> Int {
    let shorter = min(old.count, new.count)
    var row = 0
    while row < shorter, let match = old[row].match(new[row]) {
      if match == .changed { updates.append(RowUpdate(old[row], new[row], at: place.advanced(by: row))) }
      row += 1
    }
    return row
  }

  /// How many rows to leave out on one side, so that the next ones pair; one on each side where none is in sight, as
  /// far as both sides go on. Neither is empty.
  @inline(__always)
  private static func resync(_ old: UnsafeRows, _ new: UnsafeRows) -> (removed: Int, arrived: Int) {
    let (oldIdentity, newIdentity) = (old.keys[0].identity.rawValue, new.keys[0].identity.rawValue)
    var distance = 1
    while distance <= min(window, old.count - 1, new.count - 1) {
      let removal = old.keys[distance].identity.rawValue ^ newIdentity
      let arrival = new.keys[distance].identity.rawValue ^ oldIdentity
      // One branch for both: which of them it is can't be foreseen.
      if min(removal, arrival) == 0 { return removal == 0 ? (distance, 0) : (0, distance) }
      distance += 1
    }
    return (1, 1)
  }
}
