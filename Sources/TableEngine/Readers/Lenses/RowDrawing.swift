import TableEncoding
import TableModel

/// How a lens shows rows, each in the place of its own: toggled, in a cell that its client can show, and with the edits that its
/// caller may make.
struct RowDrawing: Sendable {
  let registry: CellRegistry
  /// Nil: as they are.
  var appearance: RowAppearance?
  /// The identities of the rows that are toggled.
  var toggled: Set<Fingerprint>

  init(_ registry: CellRegistry, _ lens: Lens, _ point: ViewPoint?) {
    (self.registry, appearance, toggled) = (registry, lens.appearance, point?.toggled ?? [])
  }

  /// All rows are shown as they are.
  var isPlain: Bool { appearance == nil && toggled.isEmpty }

  /// A row as it is shown. O(1) where it is so already, else O(bytes).
  func callAsFunction(_ row: Row) -> Row {
    // A toggled row is one client's, and made for it.
    guard toggled.isEmpty || !toggled.contains(row.key.identity) else {
      return appearance.map { registry.variant(of: row.toggled(), $0, isKept: false) } ?? row.toggled()
    }
    return appearance.map { registry.variant(of: row, $0) } ?? row
  }
}

/// The drawing of a version's rows in an appearance: two that are equal draw the same rows alike, in every process.
struct CellDrawing: Hashable, Sendable {
  private let digest: [UInt8]
  /// The part that stands in cursors.
  let tag: LensTag.Digest

  init(_ digest: [UInt8]) { (self.digest, tag) = (digest, LensTag.Digest(prefixOf: digest)) }

  static func == (first: CellDrawing, second: CellDrawing) -> Bool { first.digest == second.digest }

  func hash(into hasher: inout Hasher) { hasher.combine(tag) }
}
