import DequeModule
import Dispatch
import HTTPServer
import JSON
import Synchronization
import TableEngine

/// Replies to polls of several tables: joined and compressed once for all who wait for the same tables.
final class JoinedReplies: Sendable {
  /// The most replies that are kept, in bytes and in number; the oldest goes first.
  private static let maximumBytes = 16 << 20
  private static let maximum = 64

  /// Neither an event loop nor a table's own queue, on which others' replies are made.
  private let queue = DispatchQueue(label: "tablecast.joining")
  private let turns = Mutex(ReplyTurns())
  private let joinings = Mutex<(kept: Deque<Joining>, bytes: Int)>(([], 0))

  /// The reply of one table.
  struct Entry {
    var reply: EncodedReply
    /// The number of its `after`, where the table alone doesn't tell which one it is for.
    var number: Int?

    fileprivate static func areSame(_ one: Entry, _ other: Entry) -> Bool {
      one.reply === other.reply && one.number == other.number
    }
  }

  private struct Joining {
    var parts: [Entry]
    var scope: ReplyScope
    var whole: Representation
  }

  /// Has replies joined: one request of each client, then the next one of each. Where nobody waits for it any more, nothing is.
  func inTurn(_ asker: ReplyAsker, _ join: @escaping @Sendable () -> Void) {
    let job = ReplyTurns.Job(isWanted: asker.isThere, make: join)
    if turns.withLock({ $0.add(job, of: asker.share) }) { queue.async { [self] in joinNext() } }
  }

  private func joinNext() {
    guard let job = turns.withLock({ $0.next() }) else { return }
    job.make()
    queue.async { [self] in joinNext() }
  }

  /// The joining of these very replies, if it was made. O(`maximum`).
  func known(_ parts: [Entry], _ troubles: [MultiPoll.Trouble], _ scope: ReplyScope)
    -> Representation?
  {
    guard troubles.isEmpty else { return nil }
    return joinings.withLock { joinings in
      joinings.kept.last { joining in
        joining.scope == scope && joining.parts.count == parts.count
          && zip(joining.parts, parts).allSatisfy(Entry.areSame)
      }?.whole
    }
  }

  /// The replies joined: `{"changes":[…]}`. Those with troubles are one client's, and not kept.
  func reply(_ parts: [Entry], _ troubles: [MultiPoll.Trouble], _ scope: ReplyScope) -> Representation {
    if let whole = known(parts, troubles, scope) { return whole }
    var writer = JSONWriter(capacity: parts.reduce(16) { $0 + $1.reply.body.count + 16 })
    writer.beginObject()
    writer.name("changes")
    writer.beginArray()
    for part in parts { writer.write(raw: part.number.map { part.reply.body.numbered($0) } ?? part.reply.body) }
    for trouble in troubles {
      writer.beginObject()
      if let number = trouble.number {
        writer.name("pair")
        writer.write(number)
      }
      writer.name("table")
      writer.write(trouble.table)
      writer.name("problem")
      writer.write(raw: trouble.error.response.body)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    let whole = Representation(
      body: writer.bytes,
      contentType: "application/json",
      cacheControl: "no-store",
      vary: scope.vary,
      fields: scope.fields
    )
    guard troubles.isEmpty else { return whole }
    joinings.withLock { joinings in
      joinings.kept.append(Joining(parts: parts, scope: scope, whole: whole))
      joinings.bytes += whole.body.count
      while joinings.kept.count > Self.maximum || joinings.bytes > Self.maximumBytes && joinings.kept.count > 1 {
        joinings.bytes -= joinings.kept.removeFirst().whole.body.count
      }
    }
    return whole
  }
}

extension [UInt8] {
  /// An object's bytes with a member more: which `after` it is for.
  fileprivate func numbered(_ number: Int) -> [UInt8] { Array("{\"pair\":\(number),".utf8) + dropFirst() }
}
