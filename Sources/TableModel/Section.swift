/// An identity, an optional header and footer, and rows. Immutable; versions share the sections that did not change.
public final class Section: Sendable {
  /// Unique in its table.
  public let id: String
  public let header: CellModel?
  public let footer: CellModel?
  public let rows: RowList
  /// The number of its rows before the cut; 0 but in a table that is cut.
  public let skipped: Int
  /// The fingerprint of `id`.
  public let identity: Fingerprint

  /// As fast as the identity is long.
  public init(id: String, header: CellModel? = nil, footer: CellModel? = nil, rows: RowList, skipped: Int = 0) {
    self.id = id
    self.header = header
    self.footer = footer
    self.rows = rows
    self.skipped = skipped
    identity = Fingerprint(of: id)
  }

  /// O(rows).
  public convenience init(id: String, header: CellModel? = nil, footer: CellModel? = nil, rows: [Row]) {
    self.init(id: id, header: header, footer: footer, rows: RowList(rows))
  }

  /// The section with other rows in the places of its own. As fast as the identity is long.
  public func with(_ rows: RowList) -> Section {
    Section(id: id, header: header, footer: footer, rows: rows, skipped: skipped)
  }

  /// `rows[i].key`.
  public var keys: RowList.Keys { rows.keys }
  /// The digest of the rows' keys, in their order.
  public var rowsDigest: RowsDigest { rows.digest }
}

extension Section {
  /// Returns whether two sections have the same identity, to the byte. Swift's strings hold two spellings of “é” equal.
  /// O(1) where the fingerprints differ, else as fast as the identity is long.
  @inlinable
  public static func sameIdentity(_ first: Section, _ second: Section) -> Bool {
    first === second || first.identity == second.identity && first.id == second.id
  }

  /// Returns whether two sections have the same rows in the same order, content included. O(1), by the rows' digest.
  public static func sameRows(_ first: Section, _ second: Section) -> Bool {
    first === second || first.rowsDigest == second.rowsDigest
  }

  /// Returns whether header and footer are equal to the byte. O(1) where they are shared or their fingerprints differ.
  public static func sameFrame(_ first: Section, _ second: Section) -> Bool {
    first === second
      || CellModel.same(first.header, second.header) && CellModel.same(first.footer, second.footer)
  }
}
