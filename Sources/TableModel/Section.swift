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
  /// Of the same as `rowsDigest`, by another function: two sections' rows are taken for equal where both agree.
  public let rowsCheck: UInt64
  /// Of everything: `id`, header, footer, rows.
  public let digest: Fingerprint

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
    var rowsDigest = Fingerprint.empty
    var rowsCheck: UInt64 = 0
    for key in keys {
      rowsDigest = rowsDigest.combined(with: key.identity).combined(with: key.content)
      // A polynomial over the keys. The factors are odd, so none of their powers loses a bit: rows that differ
      // in a single fingerprint never agree here.
      let own = key.identity.rawValue &* 0x9e37_79b9_7f4a_7c15 &+ key.content.rawValue
      rowsCheck = (rowsCheck &+ own) &* 0xd6e8_feb8_6659_fd93
    }
    self.rowsDigest = rowsDigest
    self.rowsCheck = rowsCheck
    digest =
      rowsDigest.combined(with: identity)
      .combined(with: header?.fingerprint ?? .empty).combined(with: footer?.fingerprint ?? .empty)
  }
}

extension Section {
  /// Whether two sections have the same rows in the same order, content included. O(1).
  ///
  /// Two digests of 64 bits and the number of rows decide; bytes are not compared, or an unchanged section would
  /// cost as much as its rows. The digests are independent functions of the rows' fingerprints, and one of them never
  /// misses a single fingerprint that differs. So a section with one changed row is taken for the same only if the
  /// fingerprints of its two contents agree: by chance once in 2⁶⁴ changes, 600 thousand years at a million
  /// changes a second. Fingerprints are made with random numbers drawn once a process and shown to nobody, so no
  /// input can be prepared to make that likelier.
  public static func sameRows(_ first: Section, _ second: Section) -> Bool {
    first === second
      || first.rowsDigest.rawValue == second.rowsDigest.rawValue && first.rowsCheck == second.rowsCheck
        && first.keys.count == second.keys.count
  }

  /// Whether header and footer are equal to the byte. O(1) where they are shared or their fingerprints differ.
  public static func sameFrame(_ first: Section, _ second: Section) -> Bool {
    first === second
      || CellModel.same(first.header, second.header) && CellModel.same(first.footer, second.footer)
  }
}
