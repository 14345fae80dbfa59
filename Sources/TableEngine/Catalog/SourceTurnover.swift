import Definitions

/// Which upstreams go on being asked where they are when another configuration comes, and which are asked anew.
///
/// One goes on, with its schedule, what it is fetching and those who wait for that, where it is asked for the same in the
/// same way and every table that reads it has its last answer: else what it says next might be that nothing has changed,
/// to a table that doesn't know since when.
struct SourceTurnover {
  /// Those that are asked for the same, in the same way.
  let unchanged: Set<String>
  private let before: [String: PolledSource]
  private let definition: ServiceDefinition
  private var read: Set<String> = []
  private var unheard: Set<String> = []

  /// - Parameter digests: of the definition.
  init(from before: Catalog, to definition: ServiceDefinition, _ digests: HandoverDigests) {
    (self.before, self.definition) = (before.sources, definition)
    // What is in the environment is in requests, too; and what readers are told of a failure is made when it happens.
    let isOther =
      before.definition.environment != definition.environment || before.definition.problems != definition.problems
    let names = isOther ? [] : definition.sources.map(\.name)
    unchanged = Set(names.filter { name in digests.sources[name].map { $0 == before.digests.sources[name] } ?? false })
  }

  /// A table reads a source from now on.
  ///
  /// - Parameter heard: what the table has of its sources.
  mutating func note(_ source: String, heard: AnsweredSources) {
    read.insert(source)
    if before[source].map({ !heard.has($0) }) ?? true { unheard.insert(source) }
  }

  /// The one that goes on; nil where none does.
  private func known(_ name: String) -> PolledSource? {
    guard unchanged.contains(name), read.contains(name), !unheard.contains(name) else { return nil }
    return before[name]
  }

  /// The upstreams of the new configuration, by name: those that go on, and new ones, which are not started yet.
  func sources(_ context: EngineContext) -> [String: PolledSource] {
    var sources: [String: PolledSource] = [:]
    for source in definition.sources {
      guard case .upstream(let upstream) = source.kind else { continue }
      sources[source.name] =
        known(source.name)
        ?? PolledSource(source.name, upstream, environment: definition.environment, context: context)
    }
    return sources
  }
}
