import Digests
import TableModel

/// The cells of a table that a client can show: the difference between two clients' rows, without anything else that
/// they list. Two sets of one registry with the same members are equal.
package struct CellSet: Hashable, Sendable {
  private let accepted: Set<String>
  /// Names the set, and the registry that it is one of, within this process.
  let digest: LensTag.Digest

  init(_ accepted: Set<String>, of registry: CellRegistry) {
    self.accepted = accepted
    let names = accepted.sorted().joined(separator: "\u{0}")
    digest = LensTag.Digest(prefixOf: SHA256.digest(of: registry.digest + Array(names.utf8)))
  }

  func contains(_ cellIdentifier: String) -> Bool { accepted.contains(cellIdentifier) }

  package static func == (first: CellSet, second: CellSet) -> Bool {
    first.digest == second.digest && first.accepted == second.accepted
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
