import Dispatch
import HTTPServer
import JSON
import Synchronization

/// Replies to polls of several tables: joined and compressed once for all who wait for the same tables.
final class JoinedReplies: Sendable {
  /// Joinings that are kept; the oldest goes first.
  private static let maximum = 64

  /// Where replies are made and joined: one after the other, so that whoever comes second finds them made.
  let queue = DispatchQueue(label: "tablecast.joining")
  private let joinings = Mutex<[Joining]>([])

  private struct Joining {
    var parts: [Representation]
    var whole: Representation
  }

  /// The joining of these very replies, if it was made. O(`maximum`).
  func known(_ parts: [Representation]) -> Representation? {
    joinings.withLock { joinings in
      joinings.last { $0.parts.count == parts.count && zip($0.parts, parts).allSatisfy { $0 === $1 } }?.whole
    }
  }

  /// The replies joined: `{"changes":[…]}`.
  func reply(_ parts: [Representation]) -> Representation {
    if let whole = known(parts) { return whole }
    var writer = JSONWriter(capacity: parts.reduce(16) { $0 + $1.body.count + 1 })
    writer.beginObject()
    writer.name("changes")
    writer.beginArray()
    for part in parts { writer.write(raw: part.body) }
    writer.endArray()
    writer.endObject()
    let whole = Representation(
      body: writer.bytes,
      contentType: "application/json",
      cacheControl: "no-store",
      vary: ["Accept-Cells"]
    )
    joinings.withLock { joinings in
      joinings.append(Joining(parts: parts, whole: whole))
      if joinings.count > Self.maximum { joinings.removeFirst() }
    }
    return whole
  }
}
