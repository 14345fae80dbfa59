import Definitions
import JSON
import Synchronization
import Upstream

/// The upstreams that tables read, each asked once for all that ask the same: those that always live, and members of families.
final class SharedSources: Sendable {
  /// The key of equal requests, to the byte: texts that look alike ask for two things.
  struct Key: Hashable {
    fileprivate let name: String
    private let definition: String
    private let parameters: [[UInt8]]
    private let forwarded: [[UInt8]]
    private let caller: [UInt8]
    private let environment: [String: String]

    /// - Parameters:
    ///   - parameters: those that its requests depend on.
    ///   - forwarding: the caller's own header fields that it is sent: secrets, in memory alone.
    ///   - environment: for `env`: secrets too.
    init(
      _ source: TableUpstream,
      parameters: [String: String],
      forwarding: ForwardedFields,
      environment: [String: String]
    ) {
      (name, definition, self.environment) = (source.name, source.digest, environment)
      self.parameters = parameters.sorted { $0.key < $1.key }.flatMap { [Array($0.key.utf8), Array($0.value.utf8)] }
      caller = forwarding.values.bytes
      forwarded = forwarding.fields.flatMap { [Array($0.name.utf8), Array($0.value.utf8)] }
    }
  }

  private struct WeakSource {
    weak var value: PolledSource?
  }

  private struct Contents {
    var sources: [Key: WeakSource] = [:]
    /// Sources that nobody reads any more are looked for when there are twice as many as after the last look.
    var limit = 64
  }

  private let contents = Mutex(Contents())

  /// The source that is asked so, with one more table that it feeds; made where there is none. It is not asked before the
  /// table is read. O(1), amortised.
  func source(_ key: Key, for table: LiveTable, _ make: () -> PolledSource) -> PolledSource {
    contents.withLock { contents in
      if let known = contents.sources[key]?.value, known.add(table) { return known }
      let source = make()
      source.add(table)
      contents.sources[key] = WeakSource(value: source)
      if contents.sources.count > contents.limit {
        contents.sources = contents.sources.filter { $0.value.value != nil }
        contents.limit = max(64, contents.sources.count * 2)
      }
      return source
    }
  }

  /// Returns the sources of a name that feed a table. O(sources).
  func all(named name: String) -> [PolledSource] {
    contents.withLock { contents in contents.sources.filter { $0.key.name == name }.compactMap(\.value.value) }
      .filter { !$0.hasEnded }
  }
}
