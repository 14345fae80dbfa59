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
    /// The last `Link` to a next poll: most polls ask for the same.
    var link: (cursor: Cursor, next: String, field: HeaderField)?
  }
  private let contents = Mutex(Contents())

  func reply(_ key: ReplyKey) -> Representation? {
    contents.withLock { $0.replies[key] }
  }

  /// The snapshot that most clients ask for. O(1).
  func plainSnapshot(_ cursor: Cursor) -> Representation? {
    contents.withLock { $0.plainSnapshot.flatMap { $0.cursor == cursor ? $0.representation : nil } }
  }

  /// The `Link` that names the poll after `cursor`. O(1) where it is the one that was asked for last.
  ///
  /// - Parameter next: what follows the cursor: `&wait=20`.
  func link(path: String, after cursor: Cursor, next: String) -> HeaderField {
    contents.withLock { contents in
      if let link = contents.link, link.cursor == cursor, link.next == next { return link.field }
      let field = HeaderField(.link, "<\(path)/changes?after=\(cursor)\(next)>; rel=\"next\"")
      contents.link = (cursor, next, field)
      return field
    }
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
