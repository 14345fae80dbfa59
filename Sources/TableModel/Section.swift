/// An identity, an optional header and footer, and rows. Immutable; versions share the sections that did not change.
public final class Section: Sendable {
  /// Unique in its table.
  public let id: String
  public let header: CellModel?
  public let footer: CellModel?
  public let rows: [Row]
  /// `rows[i].key`, side by side, so that a diff reads them in one sweep.
  public let keys: [RowKey]
  /// The fingerprint of `id`.
  public let identity: Fingerprint
  /// Of the rows, their order and content.
  public let rowsDigest: Fingerprint
  /// Of everything: `id`, header, footer, rows.
  public let digest: Fingerprint

  /// O(rows).
  public init(id: String, header: CellModel? = nil, footer: CellModel? = nil, rows: [Row]) {
    self.id = id
    self.header = header
    self.footer = footer
    self.rows = rows
    keys = rows.map(\.key)
    identity = Fingerprint(of: id)
    var rowsDigest = Fingerprint.empty
    for key in keys { rowsDigest = rowsDigest.combined(with: key.identity).combined(with: key.content) }
    self.rowsDigest = rowsDigest
    digest =
      rowsDigest.combined(with: identity)
      .combined(with: header?.fingerprint ?? .empty).combined(with: footer?.fingerprint ?? .empty)
  }
}
