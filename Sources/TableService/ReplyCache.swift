import HTTPServer
import Synchronization
import TableModel

/// The replies of one table that are encoded and compressed: made once, shared by all who ask.
///
/// Read on the event loops, filled on the table's rendering queue. Holds what leads to the current version only;
/// whoever comes late asks for the newest anyway.
final class ReplyCache: Sendable {
  /// More kinds of reply than this for one version, and the oldest go: clients can ask in endless ways.
  private static let maximum = 256

  private struct Contents {
    var replies: [ReplyKey: Representation] = [:]
    var order: [ReplyKey] = []
    /// The most asked-for one, without hashing.
    var plainSnapshot: (cursor: Cursor, representation: Representation)?
  }
  private let contents = Mutex(Contents())

  func reply(_ key: ReplyKey) -> Representation? {
    contents.withLock { $0.replies[key] }
  }

  /// The snapshot that most clients ask for. O(1).
  func plainSnapshot(_ cursor: Cursor) -> Representation? {
    contents.withLock { $0.plainSnapshot.flatMap { $0.cursor == cursor ? $0.representation : nil } }
  }

  func insert(_ representation: Representation, for key: ReplyKey) {
    contents.withLock { contents in
      if key.kind == .snapshot, key.cells == nil { contents.plainSnapshot = (key.to, representation) }
      guard contents.replies.updateValue(representation, forKey: key) == nil else { return }
      contents.order.append(key)
      if contents.order.count > Self.maximum {
        contents.replies[contents.order.removeFirst()] = nil
      }
    }
  }

  /// Forgets what does not lead to `cursor`.
  func retire(before cursor: Cursor) {
    contents.withLock { contents in
      contents.order.removeAll { key in
        guard key.to != cursor else { return false }
        contents.replies[key] = nil
        return true
      }
    }
  }
}
