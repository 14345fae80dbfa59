import DequeModule
import Dispatch
import HTTPServer
import JSON
import Synchronization
import TableEngine

/// Replies to polls of several tables: joined and compressed once for all who wait for the same tables. What is not compressed shares
/// its large parts with all other replies that have them, however different the polls: clients that don't read hold one copy.
final class JoinedReplies: Sendable {
  /// The most replies that are kept, in bytes with all that is kept beside them, and in number; the oldest goes first.
  private static let maximumBytes = 16 << 20
  private static let maximum = 64
  /// The most bytes to be copied or compressed for a reply that is joined beside all others: more take long, and have a line of their
  /// own.
  private static let large = 256 << 10
  /// Parts of so many bytes are shared, not copied.
  private static let shared = 16 << 10

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

    /// Of the parts as well, which may be kept for it alone, of copies of small ones, and of compressed forms, as far as they can
    /// be told.
    var byteCount: Int {
      whole.byteCount / 4
        + parts.reduce(0) { sum, part in
          sum + part.reply.byteCount + (part.reply.body.count < JoinedReplies.shared ? part.reply.body.count : 0)
        }
    }
  }

  /// Has replies joined: one request of each client, then the next one of each. Where nobody waits for it any more, nothing is.
  ///
  /// - Parameter work: what it costs (``work(on:for:)``).
  func inTurn(_ asker: ReplyAsker, work: Int, _ join: @escaping @Sendable () -> Void) {
    (work > Self.large ? largeLine : line).add(ReplyTurns.Job(isWanted: asker.isThere, make: join), of: asker.share)
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
    let body = Self.body(parts, troubles)
    let whole = Representation(
      body: body.beginning,
      pieces: body.pieces,
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

  /// The bytes that are copied or compressed to join replies: what that costs.
  static func work(on replies: [EncodedReply], for codings: AcceptedCodings) -> Int {
    let isCompressed = codings.ordered.first != .identity
    return replies.reduce(0) { $0 + (isCompressed || $1.body.count < shared ? $1.body.count : 0) }
  }

  /// In turn text of the body's own, into which small parts are copied, and a large part as it is.
  private static func body(
    _ parts: [Entry],
    _ troubles: [MultiPoll.Trouble]
  ) -> (beginning: [UInt8], pieces: [BodyPiece]) {
    var beginning: [UInt8]?
    var pieces: [BodyPiece] = []
    var text: [UInt8] = []
    text.reserveCapacity(parts.reduce(16) { $0 + ($1.reply.body.count < shared ? $1.reply.body.count : 0) + 16 })
    text.append(contentsOf: "{\"changes\":[".utf8)
    for (place, part) in parts.enumerated() {
      if place > 0 { text.append(UInt8(ascii: ",")) }
      if let number = part.number {
        // An object with a member more: which `after` it is for.
        text.append(contentsOf: "{\"pair\":\(number),".utf8)
      }
      let start = part.number == nil ? 0 : 1
      if part.reply.body.count < shared {
        text.append(contentsOf: part.reply.body.dropFirst(start))
      } else {
        if beginning == nil { beginning = text } else { pieces.append(BodyPiece(text)) }
        pieces.append(BodyPiece(part.reply.body, from: start))
        text = []
      }
    }
    for (place, trouble) in troubles.enumerated() {
      if place > 0 || !parts.isEmpty { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: entry(trouble))
    }
    text.append(contentsOf: "]}".utf8)
    guard let beginning else { return (text, []) }
    return (beginning, pieces + [BodyPiece(text)])
  }

  /// The object that stands for a table that can't be followed.
  private static func entry(_ trouble: MultiPoll.Trouble) -> [UInt8] {
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
    return writer.bytes
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
