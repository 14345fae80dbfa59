import DequeModule
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

  /// What a window shows of the whole table, and whose change wakes nobody.
  package struct Size: Equatable, Sendable {
    package var rows: Int
    package var omittedSections: Int
    package var skippedItems: Int

    package init(of table: Table) {
      (rows, omittedSections, skippedItems) = (table.rowCount, table.omittedSections, table.skippedItems)
    }
  }

  /// Of versions that were held when the last one was noted. Ascending.
  private var held: [Change] = []
  /// Of those before. Ascending by version and by row.
  private var forgotten: [Change] = []
  /// From which version on the table had a size. Ascending; as many as may be needed in the longest wait.
  private var sizes: Deque<(version: UInt64, size: Size)> = []
  private static let maximumSizes = 4_096
  private var epoch: Epoch?
  /// All changes after the first one and up to the last one are noted.
  private var versions: ClosedRange<UInt64>?

  package init() {}

  /// Notes the first affected row of each version that follows another one, and its size. O(steps + held), amortised.
  ///
  /// - Parameters:
  ///   - previous: if it is not the last one noted, all is begun anew with it.
  ///   - size: that one's.
  ///   - oldest: of the versions that are held now.
  package mutating func note(_ steps: [(row: Int, size: Size)], after previous: Cursor, _ size: Size, oldest: Cursor) {
    if epoch != previous.epoch || versions?.upperBound != previous.version {
      (epoch, held, forgotten) = (previous.epoch, [], [])
      versions = previous.version...previous.version
      sizes = [(previous.version, size)]
    }
    for (version, step) in zip((previous.version + 1)..., steps) {
      if step.row < WindowSize.range.upperBound { held.append(Change(version: version, row: step.row)) }
      if sizes.last?.size != step.size { sizes.append((version, step.size)) }
    }
    while sizes.count > Self.maximumSizes { sizes.removeFirst() }
    let first = max(versions?.lowerBound ?? 0, sizes.first?.version ?? 0)
    versions = first...previous.version + UInt64(steps.count)
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
    let next = Self.count(in: forgotten, upTo: cursor.version) { $0.version }
    // The later ones affect rows further down.
    var first = next < forgotten.count ? forgotten[next].row : .max
    for change in held where change.version > cursor.version && change.version <= oldest.version {
      first = min(first, change.row)
    }
    return first
  }

  /// How large the table was at a client's version; nil where that is not known. O(log sizes).
  package func size(at cursor: Cursor) -> Size? {
    guard cursor.epoch == epoch, versions?.contains(cursor.version) == true else { return nil }
    let count = Self.count(in: sizes, upTo: cursor.version) { $0.version }
    return count > 0 ? sizes[count - 1].size : nil
  }

  /// How many of a list in the order of versions are not later than one. O(log list).
  private static func count<List: RandomAccessCollection<Element>, Element>(
    in list: List,
    upTo version: UInt64,
    _ versionOf: (Element) -> UInt64
  ) -> Int where List.Index == Int {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if versionOf(list[middle]) <= version { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
