import Synchronization
import TableStore

/// The answers to requests with an idempotency key of tables of which nothing is stored: those that depend on callers' header
/// fields. They come and go, while a key holds for a day.
///
/// A caller is whoever sends the same header fields, which only the upstream checks: who makes up other ones for each request can
/// displace the answers of all. So the bound on all is the memory that this may take, and promises nothing to a caller.
final class RememberedAnswers: Sendable {
  private static let bounds = ReplyBounds(
    caller: ReplyBounds.Bound(count: 1000, bytes: 1 << 20),
    nobody: ReplyBounds.Bound(count: 1000, bytes: 1 << 20),
    store: ReplyBounds.Bound(count: 10_000, bytes: 8 << 20)
  )

  private let ledger = Mutex(ReplyLedger(bounds: bounds))

  /// O(1). The first answer to a request stays.
  func remember(_ reply: StoredReply, table: String) {
    ledger.withLock { ledger in
      let now = secondsSince1970()
      guard ledger.reply(reply.fullKey(table: table), now: now) == nil else { return }
      ledger.store(reply, table: table, now: now)
    }
  }

  func answer(_ key: TableStore.ReplyKey) -> StoredReply? {
    ledger.withLock { $0.reply(key, now: secondsSince1970()) }
  }

  /// How many are kept, and what they take in bytes.
  var size: (count: Int, bytes: Int) { ledger.withLock { ($0.sum.count, $0.sum.bytes) } }
}
