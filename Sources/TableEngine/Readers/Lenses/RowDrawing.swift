import TableEncoding
import TableModel

/// How a lens shows rows, each in the place of its own: toggled, and in a cell that its client can show.
struct RowDrawing: Sendable {
  let registry: CellRegistry
  /// Nil: it can show all that there are.
  var cells: CellSet?
  /// The identities of the rows that are toggled.
  var toggled: Set<Fingerprint>

  init(_ registry: CellRegistry, _ lens: Lens, _ point: ViewPoint?) {
    (self.registry, cells, toggled) = (registry, lens.cells, point?.toggled ?? [])
  }

  /// All rows are shown as they are.
  var isPlain: Bool { cells == nil && toggled.isEmpty }

  /// A row as it is shown. O(1) where it is so already, else O(bytes).
  func callAsFunction(_ row: Row) -> Row {
    // A toggled row is one client's, and made for it.
    guard toggled.isEmpty || !toggled.contains(row.key.identity) else {
      return cells.map { registry.variant(of: row.toggled(), $0, isKept: false) } ?? row.toggled()
    }
    return cells.map { registry.variant(of: row, $0) } ?? row
  }
}

/// The drawing of a version's rows with a set of cells: two that are equal draw the same rows alike, in every process.
struct CellDrawing: Hashable, Sendable {
  private let digest: [UInt8]

  init(_ digest: [UInt8]) { self.digest = digest }

  /// The part that stands in cursors.
  var tag: LensTag.Digest { LensTag.Digest(prefixOf: digest) }
}
