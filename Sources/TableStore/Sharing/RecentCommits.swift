import DequeModule

/// The buffer from which replicas catch up: the last commits to a table, in memory. Bounded in number and bytes; a
/// replica that is further behind reads the table anew.
struct RecentCommits: Sendable {
  struct Entry: Sendable {
    var stamp: UInt64
    var version: Version?
    var items: ItemChanges?
    var inputs: InputRevisions?
    var objects: [ObjectChange] = []
    var toggles: [ToggleChange] = []
  }

  /// Before the first of them.
  private var base: Revision
  private var entries = Deque<(entry: Entry, bytes: Int)>()
  private var bytes = 0
  private let maximumCount: Int
  /// The most memory of the entries beside versions, which their table's history holds too.
  private static let maximumBytes = 1 << 20

  /// - Parameter base: Where the table stands.
  init(base: Revision, maximumCount: Int) {
    self.base = base
    self.maximumCount = maximumCount
  }

  /// The revision of the table with all of them.
  var revision: Revision { revision(after: entries.count) }

  private func revision(after count: Int) -> Revision {
    guard count > 0 else { return base }
    return Revision(number: base.number + UInt64(count), stamp: entries[count - 1].entry.stamp)
  }

  mutating func append(_ entry: Entry) {
    let size = entry.size
    entries.append((entry, size))
    bytes += size
    while let first = entries.first, entries.count > maximumCount || bytes > Self.maximumBytes {
      base = revision(after: 1)
      bytes -= first.bytes
      entries.removeFirst()
    }
  }

  /// A record that tables are made of has another name. O(commits).
  mutating func renameInput(_ record: String, to name: String) {
    for place in entries.indices { _ = entries[place].entry.inputs?.rename(record, to: name) }
  }

  /// Nil where they are not held, or the table never stood there. O(commits since).
  func changes(since revision: Revision) -> TableChanges? {
    guard revision.number >= base.number, revision.number - base.number <= UInt64(entries.count) else { return nil }
    let count = Int(revision.number - base.number)
    guard self.revision(after: count) == revision else { return nil }
    var changes = TableChanges(revision: self.revision)
    for (entry, _) in entries.dropFirst(count) { changes.add(entry) }
    return changes
  }
}

extension RecentCommits.Entry {
  init(_ commit: Commit) {
    self.init(
      stamp: commit.stamp,
      version: commit.version,
      items: commit.items,
      inputs: commit.inputs,
      objects: commit.objects,
      toggles: commit.toggles
    )
  }

  fileprivate var size: Int {
    let items = items.map { $0.stored.reduce(0) { $0 + $1.item.body.count + 64 } + $0.deleted.count * 8 } ?? 0
    return items + objects.reduce(0) { $0 + ($1.bytes?.count ?? 0) + $1.row.utf8.count }
      + toggles.reduce(0) { $0 + $1.row.utf8.count }
  }
}
