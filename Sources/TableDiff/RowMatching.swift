import TableModel

/// Which row became which: a sweep in step over each pair of sections, then one hash table for what it left over.
///
/// The sweep finds rows that kept their neighbours, which are nearly all rows of nearly all changes. A row that
/// it can't pair at once becomes a *stray*; strays of all sections meet in one table, so that a row finds its
/// counterpart in whatever section it went to. How much the sweep pairs decides the speed and never the result.
///
/// A row is paired by its identity's fingerprint, confirmed by its `id`; it is unchanged if it is the same object,
/// or equal to the byte. Rows of deleted and inserted sections take no part: they leave and come with them.
struct RowMatching {
  /// A section that stays, and whose rows changed.
  struct Pair {
    /// Index in `SectionMatching.pairs`.
    let pair: Int
    /// The old rows between the common head and the common tail. Outside of it nothing moved.
    let middle: Range<Int>
    /// This section's part of `runs`, of `oldStrays` and of `newStrays`.
    var runs: Range<Int> = 0..<0
    var oldStrays: Range<Int> = 0..<0
    var newStrays: Range<Int> = 0..<0
  }

  /// A row in both tables whose content changed.
  struct Update: Comparable {
    /// Index in `SectionMatching.pairs`.
    let pair: Int
    /// Index in the new section.
    let row: Int
    /// Whether the cell identifier changed too.
    let isReload: Bool

    init(_ old: Unmanaged<Row>, _ new: Unmanaged<Row>, pair: Int, row: Int) {
      self.pair = pair
      self.row = row
      isReload = old._withUnsafeGuaranteedRef { old in
        new._withUnsafeGuaranteedRef { new in old.cellIdentifier != new.cellIdentifier }
      }
    }

    static func < (first: Update, second: Update) -> Bool {
      (first.pair, first.row) < (second.pair, second.row)
    }
  }

  /// In the order of the new table, as everything here.
  private(set) var pairs: [Pair] = []
  /// Rows in the middle that the sweep found side by side in both sections.
  private(set) var runs: [Run] = []
  private(set) var oldStrays: [Stray] = []
  private(set) var newStrays: [Stray] = []
  private(set) var updates: [Update] = []
  /// How many strays found their counterpart.
  private(set) var matches = 0
  /// How many of these found it in another section.
  private(set) var crossings = 0

  /// O(rows in sections that changed), and O(1) for each section that did not.
  init(from old: [Section], to new: [Section], sections: SectionMatching) {
    let changed = sections.pairs.indices.filter {
      !Section.sameRows(old[sections.pairs[$0].from], new[sections.pairs[$0].to])
    }
    // Enough for every row to be a stray. What stays unused of it is never touched, and so costs nothing, while
    // growing by doubling costs a shuffle a third of its time.
    oldStrays.reserveCapacity(changed.reduce(0) { $0 + old[sections.pairs[$1].from].keys.count })
    newStrays.reserveCapacity(changed.reduce(0) { $0 + new[sections.pairs[$1].to].keys.count })
    pairs.reserveCapacity(changed.count)
    for pair in changed { sweep(old[sections.pairs[pair].from], new[sections.pairs[pair].to], pair: pair) }
    matchStrays()
  }

  // MARK: The sweep

  /// How far ahead the sweep looks for a row when both sections go on differently.
  private static let window = 16
  /// How often it may look in vain, before and per `matchesPerFailure` paired rows. Then all the rest are strays:
  /// hashing a row costs less than looking through the window again and again.
  private static let failures = 24
  private static let matchesPerFailure = 16

  private mutating func sweep(_ oldSection: Section, _ newSection: Section, pair index: Int) {
    oldSection.withUnsafeRows { old in
      newSection.withUnsafeRows { new in
        let shorter = min(old.count, new.count)
        var head = 0
        while head < shorter, old.isSame(head, as: head, in: new) {
          noteChange(old, head, new, head, index)
          head += 1
        }
        var tail = 0
        while tail < shorter - head, old.isSame(old.count - 1 - tail, as: new.count - 1 - tail, in: new) { tail += 1 }

        var pair = Pair(pair: index, middle: head..<(old.count - tail))
        let (firstRun, firstOld, firstNew) = (runs.count, oldStrays.count, newStrays.count)
        sweepMiddle(old, pair.middle, new, head..<(new.count - tail), index)
        pair.runs = firstRun..<runs.count
        pair.oldStrays = firstOld..<oldStrays.count
        pair.newStrays = firstNew..<newStrays.count
        pairs.append(pair)
        // Compared only now, so that updates are found in order.
        for row in 0..<tail { noteChange(old, old.count - tail + row, new, new.count - tail + row, index) }
      }
    }
  }

  private mutating func sweepMiddle(
    _ old: UnsafeRows,
    _ oldRange: Range<Int>,
    _ new: UnsafeRows,
    _ newRange: Range<Int>,
    _ pair: Int
  ) {
    var (from, to) = (oldRange.lowerBound, newRange.lowerBound)
    var (failures, matches) = (0, 0)
    while from < oldRange.upperBound, to < newRange.upperBound {
      let (firstFrom, firstTo) = (from, to)
      while from < oldRange.upperBound, to < newRange.upperBound, old.isSame(from, as: to, in: new) {
        noteChange(old, from, new, to, pair)
        from += 1
        to += 1
      }
      if from > firstFrom {
        runs.append(Run(from: firstFrom, to: firstTo, count: from - firstFrom))
        matches += from - firstFrom
        continue
      }
      guard failures <= Self.failures + matches / Self.matchesPerFailure else { break }
      // Rows were removed before `from + removed`, or arrived before `to + arrived`; or both, as when a row was
      // exchanged for another, and then the next two may fit again.
      let (removed, arrived) = Self.resync(old, from..<oldRange.upperBound, new, to..<newRange.upperBound)
      if removed == 1, arrived == 1 { failures += 1 }
      for row in from..<from + removed { oldStrays.append(Stray(row, of: old, pair: pair)) }
      for row in to..<to + arrived { newStrays.append(Stray(row, of: new, pair: pair)) }
      from += removed
      to += arrived
    }
    oldStrays.append(contentsOf: (from..<oldRange.upperBound).lazy.map { Stray($0, of: old, pair: pair) })
    newStrays.append(contentsOf: (to..<newRange.upperBound).lazy.map { Stray($0, of: new, pair: pair) })
  }

  /// How many rows to leave out on one side, so that the next ones pair; one on each side where none is in sight.
  /// Neither range is empty.
  private static func resync(
    _ old: UnsafeRows,
    _ oldRange: Range<Int>,
    _ new: UnsafeRows,
    _ newRange: Range<Int>
  ) -> (removed: Int, arrived: Int) {
    let (from, to) = (oldRange.lowerBound, newRange.lowerBound)
    let oldIdentity = old.keys[from].identity.rawValue
    let newIdentity = new.keys[to].identity.rawValue
    for distance in 1...window {
      if from + distance < oldRange.upperBound, old.keys[from + distance].identity.rawValue == newIdentity {
        return (distance, 0)
      }
      if to + distance < newRange.upperBound, new.keys[to + distance].identity.rawValue == oldIdentity {
        return (0, distance)
      }
    }
    return (1, 1)
  }

  @inline(__always)
  private mutating func noteChange(_ old: UnsafeRows, _ from: Int, _ new: UnsafeRows, _ to: Int, _ pair: Int) {
    if old.isChanged(from, as: to, in: new) {
      updates.append(Update(old.rows[from], new.rows[to], pair: pair, row: to))
    }
  }

  // MARK: The strays

  /// Pairs the strays of both tables. O(strays).
  private mutating func matchStrays() {
    guard !oldStrays.isEmpty, !newStrays.isEmpty else { return }
    let table = oldStrays.withUnsafeBufferPointer { old in
      IdentityTable(count: old.count) { old[$0].identity }
    }
    var changed: [Update] = []
    var (matches, crossings) = (0, 0)
    table.withLookup { lookup in
      oldStrays.withUnsafeMutableBufferPointer { old in
        newStrays.withUnsafeMutableBufferPointer { new in
          for index in 0..<new.count {
            let stray = new[index]
            // A row that has been taken is passed over: should an identity stand in a table twice, each of the
            // two rows is still paired with one row at most.
            let found = lookup.first(stray.identity) { !old[$0].isMatched && old[$0].isSame(as: stray) }
            guard let found else { continue }
            old[found].counterpart = stray.place
            new[index].counterpart = old[found].place
            matches += 1
            if !old[found].staysInSection { crossings += 1 }
            if UnsafeRows.isChanged(old[found].row, stray.row) {
              changed.append(Update(old[found].row, stray.row, pair: Int(stray.place.pair), row: Int(stray.place.row)))
            }
          }
        }
      }
    }
    (self.matches, self.crossings) = (matches, crossings)
    guard !changed.isEmpty else { return }
    // Two lists in order, which sorting merges.
    updates += changed
    updates.sort()
  }
}
