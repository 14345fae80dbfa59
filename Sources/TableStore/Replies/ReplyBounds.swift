/// How many answers are kept for repeats. Where one more would be too many the oldest go: the caller's own where its
/// bound is reached, anybody's where the store's is. Half of the store's bound is for callers with credentials alone, so
/// that strangers never displace all of their answers.
public struct ReplyBounds: Sendable {
  /// The bound on one caller's answers, in all tables.
  public var caller: Bound
  /// The same of all who show no credentials: nobody can tell them apart. At most half of the store's.
  public var nobody: Bound
  /// The bound on all answers.
  public var store: Bound

  public init(
    caller: Bound = Bound(count: 10_000, bytes: 16 << 20),
    nobody: Bound = Bound(count: 100_000, bytes: 64 << 20),
    store: Bound = Bound(count: 200_000, bytes: 256 << 20)
  ) {
    (self.caller, self.nobody, self.store) = (caller, nobody, store)
  }

  /// - Parameter caller: ``StoredReply/caller``
  func bound(of caller: String) -> Bound {
    guard caller.isEmpty else { return self.caller }
    return Bound(count: min(nobody.count, store.count / 2), bytes: min(nobody.bytes, store.bytes / 2))
  }

  /// The answer given last is kept even where it alone is more.
  public struct Bound: Sendable {
    public var count: Int
    public var bytes: Int

    public init(count: Int, bytes: Int) {
      self.count = max(count, 1)
      self.bytes = bytes
    }

    /// The bound that is left after a database has cleared up: with some room, so that it isn't done for every answer.
    var afterClearing: Bound { Bound(count: count - count / 8, bytes: bytes - bytes / 8) }

    func isExceeded(by sum: ReplySum) -> Bool { sum.count > 1 && (sum.count > count || sum.bytes > bytes) }
  }
}

/// How many answers there are.
package struct ReplySum: Equatable, Sendable {
  package var count = 0
  package var bytes = 0

  mutating func add(_ size: Int) {
    count += 1
    bytes += size
  }

  mutating func remove(_ size: Int) {
    count -= 1
    bytes -= size
  }
}
