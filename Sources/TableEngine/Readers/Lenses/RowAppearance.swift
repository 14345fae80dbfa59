import Digests
import TableModel

/// How a client is shown the rows of a table: in the cells that it can show, and with the edits that its caller may make. The
/// difference between two clients' rows, without anything else that they ask for. Two of one registry that show the same are
/// equal.
package struct RowAppearance: Hashable, Sendable {
  /// The names of the cells that the client can show; nil: all that there are.
  private let accepted: Set<String>?
  /// The caller may not edit: rows offer neither edits nor moves.
  let isReadOnly: Bool
  /// Names the appearance, and the registry that its cells are of, within this process.
  let digest: LensTag.Digest

  init(_ accepted: Set<String>, of registry: CellRegistry) {
    self.accepted = accepted
    isReadOnly = false
    let names = accepted.sorted().joined(separator: "\u{0}")
    digest = LensTag.Digest(prefixOf: SHA256.digest(of: registry.digest + Array(names.utf8)))
  }

  private init(_ accepted: Set<String>?, isReadOnly: Bool, _ digest: LensTag.Digest) {
    (self.accepted, self.isReadOnly, self.digest) = (accepted, isReadOnly, digest)
  }

  /// All cells, and no edits.
  static let readOnly = RowAppearance(nil, isReadOnly: true, LensTag.Digest(rawValue: readOnlyMask))

  /// The same cells, without edits.
  var readOnly: RowAppearance {
    isReadOnly
      ? self
      : RowAppearance(accepted, isReadOnly: true, LensTag.Digest(rawValue: digest.rawValue ^ Self.readOnlyMask))
  }

  /// The same cells, with all edits that rows offer; nil where rows are then shown as they are.
  var withEdits: RowAppearance? {
    guard let accepted else { return nil }
    guard isReadOnly else { return self }
    return RowAppearance(accepted, isReadOnly: false, LensTag.Digest(rawValue: digest.rawValue ^ Self.readOnlyMask))
  }

  /// Any: digests are spread evenly.
  private static let readOnlyMask: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// Returns whether the client can show a cell.
  func contains(_ cellIdentifier: String) -> Bool { accepted?.contains(cellIdentifier) ?? true }

  package static func == (first: RowAppearance, second: RowAppearance) -> Bool {
    first.digest == second.digest && first.isReadOnly == second.isReadOnly && first.accepted == second.accepted
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
