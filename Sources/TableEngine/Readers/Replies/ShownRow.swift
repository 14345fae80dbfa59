package import TableModel

/// A row as a client sees it, and where.
package struct ShownRow: Sendable {
  package var row: Row
  package var path: IndexPath
  /// The section's id.
  package var section: String
  package var cursor: Cursor
}
