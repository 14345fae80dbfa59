import DequeModule
import TableModel

/// The last versions of a table, numbered without gaps, one at least: bounded in number, and by what those before the last one take in
/// memory, for a long list may change everywhere from each to the next.
struct HeldVersions: Sendable {
  /// Oldest first.
  private(set) var all: Deque<Version>
  /// By version, but for the last one: what it has that the next one has not.
  private var replaced: Deque<Int> = []
  private var replacedBytes = 0
  private let count: Int
  private var bytes: Int

  /// - Parameters:
  ///   - count: How many are held, at least 1.
  ///   - bytes: What those before the last one may take.
  init(_ first: Version, atMost count: Int, bytes: Int) {
    all = [first]
    (self.count, self.bytes) = (max(count, 1), bytes)
  }

  /// Never empty.
  var last: Version { all[all.count - 1] }

  /// - Parameter footprint: of the last version without this one (``TableModel/Table/footprint(without:)``).
  /// - Returns: versions that are no longer held: giving up the last reference to a long one takes a while.
  mutating func append(_ version: Version, replacing footprint: Int) -> [Version] {
    all.append(version)
    replaced.append(footprint)
    replacedBytes += footprint
    return removeExcess()
  }

  /// Goes on with another bound for what those before the last one take. Returns versions that are no longer held.
  mutating func bound(bytes: Int) -> [Version] {
    self.bytes = bytes
    return removeExcess()
  }

  private mutating func removeExcess() -> [Version] {
    var gone: [Version] = []
    while all.count > count || replacedBytes > bytes, let first = replaced.popFirst() {
      gone.append(all.removeFirst())
      replacedBytes -= first
    }
    return gone
  }

  /// The same one, with other objects.
  mutating func replaceLast(with version: Version) { all[all.count - 1] = version }

  /// As ``append(_:replacing:)``, and sees what the last version takes. O(changes).
  mutating func append(_ version: Version) -> [Version] {
    append(version, replacing: last.table.footprint(without: version.table))
  }
}
