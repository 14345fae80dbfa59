import DequeModule
import Synchronization
import TableModel

/// The replies of one table that are made: shared by all who ask for the same.
///
/// Read on the event loops, filled on the table's rendering queue. Holds what leads to the current version only;
/// whoever comes late asks for the newest anyway. Bounded in bytes; the oldest goes first, of what is one view's before
/// anything that all may ask for.
final class ReplyCache: Sendable {
  /// Whatever the size of the table, this much is kept; of a large one, this many snapshots, or as many changesets as there
  /// are versions to come from, up to a bound.
  private static let maximumBytes = 16 << 20
  private static let maximumSnapshots = 4
  private static let maximumHistoryBytes = 64 << 20
  /// A reset repeats the cursor that the client gave, which anyone can make up: a few are kept, for the many that come
  /// back with one cursor after a restart.
  private static let maximumResets = 4
  /// Of all views, and of one reply: hardly anybody but one asks for such.
  private static let maximumViewBytes = 4 << 20
  private static let largestOfView = 1 << 20

  /// Replies that push out each other alone.
  private struct Pool {
    var order: Deque<ReplyKey> = []
    var bytes = 0
  }

  private struct Contents {
    var replies: [ReplyKey: EncodedReply] = [:]
    var shared = Pool()
    var ofViews = Pool()
    var resets: Deque<ReplyKey> = []
    var bytes = 0
    var largest = 0
    /// The most asked-for one, without hashing.
    var plainSnapshot: EncodedReply?

    mutating func remove(_ key: ReplyKey) -> Int {
      guard let reply = replies.removeValue(forKey: key) else { return 0 }
      bytes -= reply.byteCount
      return reply.byteCount
    }
  }
  private let contents = Mutex(Contents())
  private let history: Int

  /// - Parameter history: how many versions of the table are held.
  init(history: Int) { self.history = history }

  /// O(1).
  func reply(_ key: ReplyKey) -> EncodedReply? { contents.withLock { $0.replies[key] } }

  /// The snapshot that most clients ask for. O(1).
  func plainSnapshot(_ cursor: Cursor) -> EncodedReply? {
    contents.withLock { $0.plainSnapshot.flatMap { $0.cursor == cursor ? $0 : nil } }
  }

  /// What is held, in bytes.
  var byteCount: Int { contents.withLock { $0.bytes } }

  func insert(_ reply: EncodedReply, for key: ReplyKey) {
    contents.withLock { contents in
      if key.view == nil, key.query == TableQuery(.snapshot, Lens()) { contents.plainSnapshot = reply }
      if key.view != nil, reply.byteCount > Self.largestOfView { return }
      guard contents.replies.updateValue(reply, forKey: key) == nil else { return }
      contents.bytes += reply.byteCount
      if reply.isReset, key.query.after != nil {
        contents.resets.append(key)
        if contents.resets.count > Self.maximumResets { _ = contents.remove(contents.resets.removeFirst()) }
      } else if key.view != nil {
        contents.ofViews.order.append(key)
        contents.ofViews.bytes += reply.byteCount
        while contents.ofViews.bytes > Self.maximumViewBytes, contents.ofViews.order.count > 1 {
          contents.ofViews.bytes -= contents.remove(contents.ofViews.order.removeFirst())
        }
      } else {
        contents.largest = max(contents.largest, reply.byteCount)
        contents.shared.order.append(key)
        contents.shared.bytes += reply.byteCount
        let bound = max(
          Self.maximumBytes,
          contents.largest * Self.maximumSnapshots,
          min(contents.largest * history, Self.maximumHistoryBytes)
        )
        while contents.shared.bytes > bound, contents.shared.order.count > 1 {
          contents.shared.bytes -= contents.remove(contents.shared.order.removeFirst())
        }
      }
    }
  }

  func removeAll() { contents.withLock { $0 = Contents() } }

  /// Forgets what does not lead to this version. O(replies).
  func retire(before version: Cursor) {
    contents.withLock { contents in
      let isCurrent: (ReplyKey) -> Bool = { $0.to.version == version.version && $0.to.epoch == version.epoch }
      let replies = contents.replies.filter { isCurrent($0.key) }
      func bytes(_ keys: Deque<ReplyKey>) -> Int { keys.reduce(0) { $0 + (replies[$1]?.byteCount ?? 0) } }
      let (shared, ofViews) = (contents.shared.order.filter(isCurrent), contents.ofViews.order.filter(isCurrent))
      contents.shared = Pool(order: shared, bytes: bytes(shared))
      contents.ofViews = Pool(order: ofViews, bytes: bytes(ofViews))
      contents.resets = contents.resets.filter(isCurrent)
      contents.replies = replies
      contents.bytes = replies.values.reduce(0) { $0 + $1.byteCount }
      contents.largest = shared.reduce(0) { max($0, replies[$1]?.byteCount ?? 0) }
      if let plain = contents.plainSnapshot, plain.cursor.version != version.version { contents.plainSnapshot = nil }
    }
  }
}
