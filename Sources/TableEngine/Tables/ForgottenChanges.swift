package import TableModel

/// From which row on each version changed a table, for versions that are no longer held too: a client whose window nothing of that
/// reaches has what the oldest held version shows in it, however many have gone by.
///
/// Noted once somebody has waited with a window. Of two changes the later one counts where it reaches as far up, so that of those
/// no longer held there are at most as many as a window can have rows. Not thread-safe.
package struct ForgottenChanges {
  private struct Change {
    /// The first version that has it.
    var version: UInt64
    /// The first row that it affects, among all.
    var row: Int
  }

  /// Of versions that were held when the last one was noted. Ascending.
  private var held: [Change] = []
  /// Of those before. Ascending by version and by row.
  private var forgotten: [Change] = []
  private var epoch: Epoch?
  /// All changes after the first one and up to the last one are noted.
  private var versions: ClosedRange<UInt64>?

  package init() {}

  /// Notes the first affected row of each version that follows another one. O(rows.count + held), amortised.
  ///
  /// - Parameters:
  ///   - previous: if it is not the last one noted, all is begun anew with it.
  ///   - oldest: of the versions that are held now.
  package mutating func note(_ rows: [Int], after previous: Cursor, oldest: Cursor) {
    if epoch != previous.epoch || versions?.upperBound != previous.version {
      (epoch, held, forgotten) = (previous.epoch, [], [])
      versions = previous.version...previous.version
    }
    for (step, row) in rows.enumerated() where row < WindowSize.range.upperBound {
      held.append(Change(version: previous.version + UInt64(step) + 1, row: row))
    }
    versions = versions.map { $0.lowerBound...previous.version + UInt64(rows.count) }
    let gone = held.prefix { $0.version <= oldest.version }
    for change in gone {
      while let last = forgotten.last, last.row >= change.row { forgotten.removeLast() }
      forgotten.append(change)
    }
    held.removeFirst(gone.count)
  }

  /// The first row that was affected after a client's version and up to the oldest one held, `Int.max` where none was that a
  /// window can show; nil where that is not known. O(held), and O(log) of what is forgotten.
  package func firstRow(after cursor: Cursor, until oldest: Cursor) -> Int? {
    guard cursor.epoch == oldest.epoch, epoch == oldest.epoch, let versions, cursor.version >= versions.lowerBound,
      oldest.version <= versions.upperBound
    else { return nil }
    var (low, high) = (0, forgotten.count)
    while low < high {
      let middle = (low + high) / 2
      if forgotten[middle].version <= cursor.version { low = middle + 1 } else { high = middle }
    }
    // The later ones affect rows further down.
    var first = low < forgotten.count ? forgotten[low].row : .max
    for change in held where change.version > cursor.version && change.version <= oldest.version {
      first = min(first, change.row)
    }
    return first
  }
}
