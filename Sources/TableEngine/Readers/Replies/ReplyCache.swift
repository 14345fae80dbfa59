import DequeModule
import Synchronization
import TableFinding
import TableModel

/// The replies of one table that are made: shared by all who ask for the same.
///
/// Read on the event loops, filled on the table's rendering queue. Holds what leads to the current version only;
/// whoever comes late asks for the newest anyway. Bounded in bytes, snapshots, changesets and what is one view's by
/// themselves; the oldest goes first.
final class ReplyCache: Sendable {
  /// Whatever the size of the table, this much is kept; of a large one, this many snapshots, and as many changesets as
  /// there are versions to come from, up to a bound.
  private static let maximumBytes = 16 << 20
  private static let maximumSnapshots = 4
  private static let maximumHistoryBytes = 64 << 20
  /// A reset repeats the cursor that the client gave, which anyone can make up: a few are kept, for the many that come
  /// back with one cursor after a restart.
  private static let maximumResets = 4
  /// The most bytes of all views' replies, and of one: hardly anybody but one client asks for such.
  private static let maximumViewBytes = 4 << 20
  private static let largestOfView = 1 << 20

  /// Replies that push out each other alone.
  private struct Pool {
    var order: Deque<ReplyKey> = []
    var bytes = 0
    var largest = 0
  }

  private struct Contents {
    var replies: [ReplyKey: EncodedReply] = [:]
    var snapshots = Pool()
    var changesets = Pool()
    var ofViews = Pool()
    var resets: Deque<ReplyKey> = []
    var bytes = 0
    /// The most asked-for ones, without hashing: of who may edit the table, and of who may not.
    var plainSnapshot: EncodedReply?
    var readOnlySnapshot: EncodedReply?

    /// - Parameter bound: of the pool, in bytes, by its largest reply.
    mutating func add(
      _ key: ReplyKey,
      _ reply: EncodedReply,
      to pool: WritableKeyPath<Contents, Pool>,
      bound: (Int) -> Int
    ) {
      self[keyPath: pool].order.append(key)
      self[keyPath: pool].bytes += key.size(with: reply)
      self[keyPath: pool].largest = max(self[keyPath: pool].largest, key.size(with: reply))
      let bound = bound(self[keyPath: pool].largest)
      while self[keyPath: pool].bytes > bound, self[keyPath: pool].order.count > 1 {
        self[keyPath: pool].bytes -= remove(self[keyPath: pool].order.removeFirst())
      }
    }

    mutating func remove(_ key: ReplyKey) -> Int {
      guard let reply = replies.removeValue(forKey: key) else { return 0 }
      bytes -= key.size(with: reply)
      return key.size(with: reply)
    }
  }
  private let contents = Mutex(Contents())
  private let history: Int

  /// - Parameter history: how many versions of the table are held.
  init(history: Int) { self.history = history }

  /// O(1).
  func reply(_ key: ReplyKey) -> EncodedReply? { contents.withLock { $0.replies[key] } }

  /// The snapshot of a version that most clients ask for. O(1).
  func wholeSnapshot(_ version: Cursor, isReadOnly: Bool) -> EncodedReply? {
    let reply = contents.withLock { isReadOnly ? $0.readOnlySnapshot : $0.plainSnapshot }
    return reply.flatMap { $0.cursor.version == version.version && $0.cursor.epoch == version.epoch ? $0 : nil }
  }

  /// The bytes that are held.
  var byteCount: Int { contents.withLock { $0.bytes } }

  func insert(_ reply: EncodedReply, for key: ReplyKey) {
    contents.withLock { contents in
      if key.view == nil, key.query == TableQuery(.snapshot, Lens()) { contents.plainSnapshot = reply }
      if key.view == nil, key.query == TableQuery(.snapshot, .readOnly) { contents.readOnlySnapshot = reply }
      if key.view != nil, reply.byteCount > Self.largestOfView { return }
      guard contents.replies.updateValue(reply, forKey: key) == nil else { return }
      contents.bytes += key.size(with: reply)
      if reply.isReset, key.query.after != nil {
        contents.resets.append(key)
        if contents.resets.count > Self.maximumResets { _ = contents.remove(contents.resets.removeFirst()) }
      } else if key.view != nil {
        contents.add(key, reply, to: \.ofViews) { _ in Self.maximumViewBytes }
      } else if key.query.after != nil {
        contents.add(key, reply, to: \.changesets) {
          max(Self.maximumBytes, min($0 * history, Self.maximumHistoryBytes))
        }
      } else {
        contents.add(key, reply, to: \.snapshots) { max(Self.maximumBytes, $0 * Self.maximumSnapshots) }
      }
    }
  }

  func removeAll() { contents.withLock { $0 = Contents() } }

  /// Forgets what does not lead to this version. O(replies).
  func retire(before version: Cursor) {
    contents.withLock { contents in
      let isCurrent: (ReplyKey) -> Bool = { $0.to.version == version.version && $0.to.epoch == version.epoch }
      let replies = contents.replies.filter { isCurrent($0.key) }
      func current(_ pool: Pool) -> Pool {
        let order = pool.order.filter(isCurrent)
        let sizes = order.map { key in replies[key].map { key.size(with: $0) } ?? 0 }
        return Pool(order: order, bytes: sizes.reduce(0, +), largest: sizes.max() ?? 0)
      }
      contents.snapshots = current(contents.snapshots)
      contents.changesets = current(contents.changesets)
      contents.ofViews = current(contents.ofViews)
      contents.resets = contents.resets.filter(isCurrent)
      contents.replies = replies
      contents.bytes = replies.reduce(0) { $0 + $1.key.size(with: $1.value) }
      if let plain = contents.plainSnapshot, plain.cursor.version != version.version { contents.plainSnapshot = nil }
      if let other = contents.readOnlySnapshot, other.cursor.version != version.version {
        contents.readOnlySnapshot = nil
      }
    }
  }
}

extension ReplyKey {
  /// A reply's size, about, with the search that it is kept by, which may be longer.
  fileprivate func size(with reply: EncodedReply) -> Int { reply.byteCount + (query.lens.find?.footprint ?? 0) }
}
