import TableModel

/// The pairs of old and new rows: a sweep in step over each pair of sections, then one hash table for the rows that it
/// left over.
///
/// Strays of all sections meet in the table, so that a row finds its counterpart in whatever section it went to. The
/// share that the sweep pairs decides the speed and never the result.
///
/// A row is paired by its identity's fingerprint, confirmed by its `id`; it is unchanged if it is the same object, or
/// has the same key. Rows of deleted and inserted sections take no part: they leave and come with them.
struct RowMatching {
  let sweep: RowSweep
  /// By old stray: where the row stands in the new table; `nowhere`: it is deleted.
  private(set) var destinations: [RowSlot]
  /// By new stray: whether the row stands in the old table; if not, it is inserted.
  private(set) var isMatched: [Bool]
  /// By pair of sections: how many strays stay in the section.
  private(set) var staying: [Int]
  /// How many strays found their counterpart.
  private(set) var matches = 0
  private(set) var updates: [RowUpdate]

  /// O(rows in sections that changed, without what they share), and O(1) for each section that did not.
  init(from old: [Section], to new: [Section], sections: SectionMatching) {
    sweep = RowSweep(from: old, to: new, sections: sections)
    destinations = [RowSlot](repeating: .nowhere, count: sweep.oldStrays)
    isMatched = [Bool](repeating: false, count: sweep.newStrays)
    staying = [Int](repeating: 0, count: sweep.pairs.count)
    updates = sweep.updates
    guard !destinations.isEmpty, !isMatched.isEmpty else { return }
    let strays = sweep.strays(of: old, sections)
    let table = IdentityTable(count: strays.count) { strays[$0].key.identity }
    strays.withUnsafeBufferPointer { strays in
      table.withLookup { lookup in
        for index in sweep.pairs.indices {
          let rows = new[sections.pairs[sweep.pairs[index].index].to].rows
          pairStrays(of: RowReader(rows), index, strays, lookup)
        }
      }
    }
    // Two lists in order, which sorting merges.
    if updates.count > sweep.updates.count { updates.sort() }
  }

  /// Pairs a new section's strays with old ones.
  private mutating func pairStrays(
    of rows: RowReader,
    _ index: Int,
    _ old: UnsafeBufferPointer<UnsafeRow>,
    _ lookup: IdentityTable.Lookup
  ) {
    let pair = sweep.pairs[index]
    var stray = pair.newStrays.lowerBound
    sweep.forEachGap(of: pair) { _, gap in
      rows.forEach(in: gap) { row, new in
        var match: UnsafeRow.Match?
        // A row that has been taken is passed over: should an identity stand in a table twice, each of the two rows is
        // still paired with one row at most.
        let found = lookup.first(new.key.identity) { candidate in
          guard !destinations[candidate].isSomewhere else { return false }
          match = old[candidate].match(new)
          return match != nil
        }
        if let found {
          let place = RowSlot(pair: pair.index, row: row)
          destinations[found] = place
          isMatched[stray] = true
          matches += 1
          if pair.oldStrays.contains(found) { staying[index] += 1 }
          if match == .changed { updates.append(RowUpdate(old[found], new, at: place)) }
        }
        stray += 1
      }
    }
  }
}

extension RowSweep {
  /// The old strays of all sections. O(strays).
  fileprivate func strays(of old: [Section], _ sections: SectionMatching) -> [UnsafeRow] {
    // Room for nothing is never made: it writes to storage that all empty arrays share.
    guard oldStrays > 0 else { return [] }
    return [UnsafeRow](unsafeUninitializedCapacity: oldStrays) { strays, count in
      for pair in pairs {
        let rows = RowReader(old[sections.pairs[pair.index].from].rows)
        forEachGap(of: pair) { gap, _ in
          rows.forEach(in: gap) { _, row in
            strays.initializeElement(at: count, to: row)
            count += 1
          }
        }
      }
    }
  }
}
