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
  /// Of the rows' keys, in their order.
  public let rowsDigest: ContentDigest

  /// O(rows).
  public init(id: String, header: CellModel? = nil, footer: CellModel? = nil, rows: [Row]) {
    self.id = id
    self.header = header
    self.footer = footer
    self.rows = rows
    keys = [RowKey](unsafeUninitializedCapacity: rows.count) { keys, count in
      rows.withUnsafeBufferPointer { rows in
        for row in rows.indices { keys.initializeElement(at: row, to: rows[row].key) }
      }
      count = rows.count
    }
    identity = Fingerprint(of: id)
    rowsDigest = keys.withUnsafeBytes { ContentDigest(of: $0) }
  }
}

extension Section {
  /// Whether two sections have the same rows in the same order, content included. O(1), by the rows' digest.
  public static func sameRows(_ first: Section, _ second: Section) -> Bool {
    first === second || first.rowsDigest == second.rowsDigest
  }

  /// Whether header and footer are equal to the byte. O(1) where they are shared or their fingerprints differ.
  public static func sameFrame(_ first: Section, _ second: Section) -> Bool {
    first === second
      || CellModel.same(first.header, second.header) && CellModel.same(first.footer, second.footer)
  }
}
