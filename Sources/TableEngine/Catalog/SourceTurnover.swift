import Definitions

/// Which upstreams go on being asked where they are when another configuration comes, and which are asked anew.
///
/// One goes on, with its schedule, what it is fetching and those who wait for that, where it is asked for the same in the
/// same way. A table that has nothing of its last answer is told that.
struct SourceTurnover {
  /// The sources that are asked for the same, in the same way, and of whose failures readers are told as before.
  let unchanged: Set<String>
  private let asked: Set<String>

  /// - Parameter digests: of the definition.
  init(from before: Catalog, to definition: ServiceDefinition, _ digests: HandoverDigests) {
    // Requests contain values of the environment, too.
    let isSame = before.definition.environment == definition.environment
    asked = Set(
      (isSame ? definition.sources.map(\.name) : [])
        .filter { name in digests.sources[name].map { $0 == before.digests.sources[name] } ?? false }
    )
    // The words for readers are made when a failure happens.
    unchanged = before.definition.problems == definition.problems ? asked : []
  }

  /// Returns whether a source goes on, where it is read at all.
  func keeps(_ source: String) -> Bool { asked.contains(source) }
}
