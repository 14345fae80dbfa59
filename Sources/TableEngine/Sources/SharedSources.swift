import Definitions
import Synchronization
import Upstream

/// The upstreams that members of families read, each asked once for all members that ask the same.
final class SharedSources: Sendable {
  /// What makes requests the same.
  struct Key: Hashable {
    var name: String
    /// The digest of its definition.
    var definition: String
    /// The parameters that its requests depend on.
    var parameters: [String: String]
    /// The caller's own header fields that it is sent: secrets, in memory alone.
    var forwarded: [TransferField]
    /// For `env`: secrets too.
    var environment: [String: String]
  }

  private struct WeakSource {
    weak var value: PolledSource?
  }

  private struct Contents {
    var sources: [Key: WeakSource] = [:]
    /// Those that nobody reads any more are looked for when there are twice as many as after the last look.
    var limit = 64
  }

  private let contents = Mutex(Contents())

  /// The source that is asked so, with one more table that it feeds; made where there is none. It is not asked before the
  /// table is read. O(1), amortised.
  func source(_ key: Key, for table: LiveTable, _ make: () -> PolledSource) -> PolledSource {
    contents.withLock { contents in
      if let known = contents.sources[key]?.value, known.feed(table) { return known }
      let source = make()
      source.feed(table)
      contents.sources[key] = WeakSource(value: source)
      if contents.sources.count > contents.limit {
        contents.sources = contents.sources.filter { $0.value.value != nil }
        contents.limit = max(64, contents.sources.count * 2)
      }
      return source
    }
  }
}
