import DequeModule
import Dispatch
import HTTPServer
import JSON
import Synchronization
import TableEngine

/// Replies to polls of several tables: joined and compressed once for all who wait for the same tables.
final class JoinedReplies: Sendable {
  /// The most replies that are kept, in bytes with all that is kept beside them, and in number; the oldest goes first.
  private static let maximumBytes = 16 << 20
  private static let maximum = 64
  /// The most bytes of a reply that is joined beside all others: larger ones take long to compress, and have a line of their own.
  private static let large = 256 << 10

  private let line = JoiningLine("tablecast.joining")
  private let largeLine = JoiningLine("tablecast.joining.large")
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

    /// Of the parts as well, and of compressed forms, as far as they can be told.
    var byteCount: Int { whole.body.count + whole.body.count / 4 + parts.reduce(0) { $0 + $1.reply.byteCount } }
  }

  /// Has replies joined: one request of each client, then the next one of each. Where nobody waits for it any more, nothing is.
  ///
  /// - Parameter bytes: how many there are to be joined.
  func inTurn(_ asker: ReplyAsker, bytes: Int, _ join: @escaping @Sendable () -> Void) {
    (bytes > Self.large ? largeLine : line).add(ReplyTurns.Job(isWanted: asker.isThere, make: join), of: asker.share)
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
    let whole = Representation(
      body: Self.body(parts, troubles),
      contentType: "application/json",
      cacheControl: "no-store",
      vary: scope.vary,
      fields: scope.fields
    )
    guard troubles.isEmpty else { return whole }
    let joining = Joining(parts: parts, scope: scope, whole: whole)
    guard joining.byteCount <= Self.maximumBytes else { return whole }
    joinings.withLock { joinings in
      joinings.kept.append(joining)
      joinings.bytes += joining.byteCount
      while joinings.kept.count > Self.maximum || joinings.bytes > Self.maximumBytes {
        joinings.bytes -= joinings.kept.removeFirst().byteCount
      }
    }
    return whole
  }

  /// Each byte of a part is copied once.
  private static func body(_ parts: [Entry], _ troubles: [MultiPoll.Trouble]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parts.reduce(16) { $0 + $1.reply.body.count + 16 })
    bytes.append(contentsOf: "{\"changes\":[".utf8)
    for (place, part) in parts.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      if let number = part.number {
        // An object with a member more: which `after` it is for.
        bytes.append(contentsOf: "{\"pair\":\(number),".utf8)
        bytes.append(contentsOf: part.reply.body.dropFirst())
      } else {
        bytes.append(contentsOf: part.reply.body)
      }
    }
    for (place, trouble) in troubles.enumerated() {
      if place > 0 || !parts.isEmpty { bytes.append(UInt8(ascii: ",")) }
      var writer = JSONWriter()
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
      bytes.append(contentsOf: writer.bytes)
    }
    bytes.append(contentsOf: "]}".utf8)
    return bytes
  }
}

/// Joinings one after the other: neither on an event loop nor on a table's own queue, on which others' replies are made.
private final class JoiningLine: Sendable {
  private let queue: DispatchQueue
  private let turns = Mutex(ReplyTurns())

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func add(_ job: ReplyTurns.Job, of share: UInt64) {
    if turns.withLock({ $0.add(job, of: share) }) { queue.async { [self] in next() } }
  }

  private func next() {
    guard let job = turns.withLock({ $0.next() }) else { return }
    job.make()
    queue.async { [self] in next() }
  }
}
