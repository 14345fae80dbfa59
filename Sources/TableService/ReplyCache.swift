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
  private static let maximumResponses = 8

  private struct Contents {
    var replies: [ReplyKey: Representation] = [:]
    var order: [ReplyKey] = []
    /// The most asked-for one, without hashing.
    var plainSnapshot: (cursor: Cursor, representation: Representation)?
    /// The last responses to polls, each as it goes out.
    var responses: [(asked: PollResponseKey, response: Response)] = []
  }
  private let contents = Mutex(Contents())

  func reply(_ key: ReplyKey) -> Representation? {
    contents.withLock { $0.replies[key] }
  }

  /// The snapshot that most clients ask for. O(1).
  func plainSnapshot(_ cursor: Cursor) -> Representation? {
    contents.withLock { $0.plainSnapshot.flatMap { $0.cursor == cursor ? $0.representation : nil } }
  }

  /// The response to such polls, if one was given lately. Those who are woken together mostly want the same: so it
  /// is compared before anything is hashed. O(`maximumResponses`).
  func response(_ asked: PollResponseKey) -> Response? {
    contents.withLock { contents in
      for index in contents.responses.indices where contents.responses[index].asked == asked {
        return contents.responses[index].response
      }
      return nil
    }
  }

  func keep(_ response: Response, for asked: PollResponseKey) {
    contents.withLock { contents in
      if contents.responses.count == Self.maximumResponses { contents.responses.removeLast() }
      contents.responses.insert((asked, response), at: 0)
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
      contents.responses.removeAll { $0.asked.reply.to != cursor }
      contents.order.removeAll { key in
        guard key.to != cursor else { return false }
        contents.replies[key] = nil
        return true
      }
    }
  }
}
