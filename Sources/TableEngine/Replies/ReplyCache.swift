import DequeModule
import Synchronization
import TableModel

/// The replies of one table that are made: shared by all who ask for the same.
///
/// Read on the event loops, filled on the table's rendering queue. Holds what leads to the current version only;
/// whoever comes late asks for the newest anyway. Bounded in bytes; the oldest goes first.
final class ReplyCache: Sendable {
  /// Whatever the size of the table, this much is kept; of a large one, this many snapshots.
  private static let maximumBytes = 16 << 20
  private static let maximumSnapshots = 4
  /// A reset repeats the cursor that the client gave, which anyone can make up: a few are kept, for the many that come
  /// back with one cursor after a restart.
  private static let maximumResets = 4

  private struct Contents {
    var replies: [ReplyKey: EncodedReply] = [:]
    var order: Deque<ReplyKey> = []
    var resets: Deque<ReplyKey> = []
    var bytes = 0
    var largest = 0
    /// The most asked-for one, without hashing.
    var plainSnapshot: EncodedReply?

    mutating func remove(_ key: ReplyKey) {
      if let reply = replies.removeValue(forKey: key) { bytes -= reply.byteCount }
    }
  }
  private let contents = Mutex(Contents())

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
      if key.query == TableQuery(.snapshot, Lens()) { contents.plainSnapshot = reply }
      guard contents.replies.updateValue(reply, forKey: key) == nil else { return }
      contents.bytes += reply.byteCount
      contents.largest = max(contents.largest, reply.byteCount)
      if reply.isReset, key.query.after != nil {
        contents.resets.append(key)
        if contents.resets.count > Self.maximumResets { contents.remove(contents.resets.removeFirst()) }
      } else {
        contents.order.append(key)
      }
      let bound = max(Self.maximumBytes, contents.largest * Self.maximumSnapshots)
      while contents.bytes > bound, contents.order.count > 1 { contents.remove(contents.order.removeFirst()) }
    }
  }

  func removeAll() { contents.withLock { $0 = Contents() } }

  /// Forgets what does not lead to this version. O(replies).
  func retire(before version: Cursor) {
    contents.withLock { contents in
      let isCurrent: (ReplyKey) -> Bool = { $0.to.version == version.version && $0.to.epoch == version.epoch }
      contents.order = contents.order.filter(isCurrent)
      contents.resets = contents.resets.filter(isCurrent)
      let kept = Set(contents.order).union(contents.resets)
      contents.replies = contents.replies.filter { kept.contains($0.key) }
      contents.bytes = contents.replies.reduce(0) { $0 + $1.value.byteCount }
      contents.largest = contents.replies.reduce(0) { max($0, $1.value.byteCount) }
      if let plain = contents.plainSnapshot, plain.cursor.version != version.version { contents.plainSnapshot = nil }
    }
  }
}
