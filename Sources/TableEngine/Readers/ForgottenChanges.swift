import DequeModule
package import TableModel

/// The rows that each version of a table changed, for versions that are no longer held, too: a client whose window no
/// such change touched has the oldest held version's content in it, however many versions have gone by.
///
/// Noted once somebody has waited with a window. For windows that begin at the beginning, the later one of two changes
/// counts where it reaches as far up, so that of those no longer held there are at most as many as such a window can
/// have rows. The ends are noted of the last ones, for windows out of the middle. Not thread-safe.
package struct ForgottenChanges {
  private struct Change {
    /// The first version that has it.
    var version: UInt64
    /// The rows that it affects, among all; `Int.max` is the end where those behind it have moved.
    var rows: Range<Int>

    func reaches(_ window: WindowRange) -> Bool { rows.lowerBound < window.end && rows.upperBound > window.from }
  }

  /// The changes of one version.
  package struct Step {
    /// Nil where it shows the same.
    package var rows: Range<Int>?
    package var size: Size

    package init(rows: Range<Int>?, size: Size) { (self.rows, self.size) = (rows, size) }
  }

  /// The sizes of the whole table that a window shows, and whose change wakes nobody.
  package struct Size: Hashable, Sendable {
    package var rows: Int
    package var omittedSections: Int
    package var skippedItems: Int

    package init(of table: Table) {
      (rows, omittedSections, skippedItems) = (table.rowCount, table.omittedSections, table.skippedItems)
    }
  }

  /// The changes of versions that were held when the last one was noted. Ascending.
  private var held: [Change] = []
  /// The changes of versions before. Ascending by version and by first row.
  private var forgotten: [Change] = []
  /// The last of those before, all that there were since a version.
  private var recent: (changes: Deque<Change>, since: UInt64) = ([], 0)
  private static let maximumRecent = 1_024
  /// The last version of those before that changed anything.
  private var lastForgotten: UInt64 = 0
  /// From which version on the table had a size. Ascending; as many as may be needed in the longest wait.
  private var sizes: Deque<(version: UInt64, size: Size)> = []
  private static let maximumSizes = 4_096
  private var epoch: Epoch?
  /// All changes after the first one and up to the last one are noted.
  private var versions: ClosedRange<UInt64>?

  package init() {}

  /// Notes the affected rows of each version that follows another one, and its size. O(steps + held), amortised.
  ///
  /// - Parameters:
  ///   - previous: if it is not the last one noted, all is begun anew with it.
  ///   - size: that one's.
  ///   - oldest: of the versions that are held now.
  package mutating func note(_ steps: [Step], after previous: Cursor, _ size: Size, oldest: Cursor) {
    if epoch != previous.epoch || versions?.upperBound != previous.version {
      (epoch, held, forgotten) = (previous.epoch, [], [])
      versions = previous.version...previous.version
      sizes = [(previous.version, size)]
      (recent, lastForgotten) = (([], previous.version), 0)
    }
    for (version, step) in zip((previous.version + 1)..., steps) {
      if let rows = step.rows { held.append(Change(version: version, rows: rows)) }
      if sizes.last?.size != step.size { sizes.append((version, step.size)) }
    }
    while sizes.count > Self.maximumSizes { sizes.removeFirst() }
    let first = max(versions?.lowerBound ?? 0, sizes.first?.version ?? 0)
    versions = first...previous.version + UInt64(steps.count)
    let gone = held.prefix { $0.version <= oldest.version }
    for change in gone { forget(change) }
    held.removeFirst(gone.count)
  }

  private mutating func forget(_ change: Change) {
    lastForgotten = change.version
    recent.changes.append(change)
    if recent.changes.count > Self.maximumRecent { recent.since = recent.changes.removeFirst().version }
    guard change.rows.lowerBound < WindowRange.sizes.upperBound else { return }
    while let last = forgotten.last, last.rows.lowerBound >= change.rows.lowerBound { forgotten.removeLast() }
    forgotten.append(change)
  }

  /// Returns whether a window shows something else at the oldest version held than at a client's version, or may have
  /// in between; nil where that is not known. O(held), and O(log) of the forgotten ones; O(``maximumRecent``) for a
  /// window out of the middle.
  package func isAffected(_ window: WindowRange, after cursor: Cursor, until oldest: Cursor) -> Bool? {
    guard cursor.epoch == oldest.epoch, epoch == oldest.epoch, let versions, cursor.version >= versions.lowerBound,
      oldest.version <= versions.upperBound
    else { return nil }
    let isAffectedSince = held.contains {
      $0.version > cursor.version && $0.version <= oldest.version && $0.reaches(window)
    }
    if isAffectedSince { return true }
    if window.end <= WindowRange.sizes.upperBound {
      let next = Self.count(in: forgotten, upTo: cursor.version) { $0.version }
      // The later ones affect rows further down.
      guard next < forgotten.count, forgotten[next].rows.lowerBound < window.end else { return false }
      if window.from == 0 { return true }
    }
    guard cursor.version >= recent.since else { return nil }
    let start = Self.count(in: recent.changes, upTo: cursor.version) { $0.version }
    return recent.changes[start...].contains { $0.reaches(window) }
  }

  /// The same of the whole table, and of its sizes, which it shows. O(held), and O(log sizes).
  package func isAffected(after cursor: Cursor, until oldest: Cursor) -> Bool? {
    guard cursor.epoch == oldest.epoch, let size = size(at: cursor), let last = self.size(at: oldest) else {
      return nil
    }
    return size != last || lastForgotten > cursor.version
      || held.contains { $0.version > cursor.version && $0.version <= oldest.version }
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
