import DequeModule
import Synchronization
import TableStore

/// The answers to requests with an idempotency key of tables that no store keeps: a family's members, which come and go,
/// while a key holds for a day. Bounded in number and bytes, and for each caller; the oldest goes first.
final class RememberedAnswers: Sendable {
  private static let maximum = 10_000
  private static let maximumBytes = 8 << 20
  private static let maximumOfOneCaller = 1000
  private static let maximumBytesOfOneCaller = 1 << 20

  private struct Entry {
    var reply: StoredReply
    var caller: String
    var byteCount: Int { reply.key.utf8.count + reply.body.count + reply.request.count + caller.utf8.count + 64 }
  }

  private struct Contents {
    var entries: [String: Entry] = [:]
    var order: Deque<String> = []
    var ofCaller: [String: (count: Int, bytes: Int)] = [:]
    var bytes = 0

    mutating func removeOldest() {
      guard let key = order.popFirst(), let entry = entries.removeValue(forKey: key) else { return }
      bytes -= entry.byteCount
      let left = ofCaller[entry.caller].map { (count: $0.count - 1, bytes: $0.bytes - entry.byteCount) }
      ofCaller[entry.caller] = left.flatMap { $0.count > 0 ? $0 : nil }
    }
  }
  private let contents = Mutex(Contents())

  /// O(1). One caller's answers beyond its share are not kept: its own repeats suffer, nobody else's.
  func remember(_ reply: StoredReply, of caller: String, table: String) {
    contents.withLock { contents in
      let key = Self.key(reply.caller, table, reply.scope, reply.key)
      guard contents.entries[key] == nil else { return }
      while let oldest = contents.order.first.flatMap({ contents.entries[$0] }), oldest.reply.isExpired {
        contents.removeOldest()
      }
      let entry = Entry(reply: reply, caller: caller)
      let own = contents.ofCaller[caller, default: (0, 0)]
      guard own.count < Self.maximumOfOneCaller, own.bytes + entry.byteCount <= Self.maximumBytesOfOneCaller else {
        return
      }
      contents.entries[key] = entry
      contents.order.append(key)
      contents.ofCaller[caller] = (own.count + 1, own.bytes + entry.byteCount)
      contents.bytes += entry.byteCount
      while contents.entries.count > Self.maximum || contents.bytes > Self.maximumBytes { contents.removeOldest() }
    }
  }

  func answer(_ idempotency: Idempotency, table: String) -> StoredReply? {
    let key = Self.key(idempotency.caller, table, idempotency.route, idempotency.key)
    return contents.withLock { $0.entries[key]?.reply }.flatMap { $0.isExpired ? nil : $0 }
  }

  private static func key(_ caller: String, _ table: String, _ scope: String, _ key: String) -> String {
    [caller, table, scope, key].joined(separator: "\u{0}")
  }

  /// How many are kept, and what they take in bytes.
  var size: (count: Int, bytes: Int) { contents.withLock { ($0.entries.count, $0.bytes) } }
}

extension StoredReply {
  fileprivate var isExpired: Bool { expires <= secondsSince1970() }
}
