/// A cell model with an identity and its permissions: encoded once, when its item changed, and bytes from then on.
///
/// Rows are immutable and shared: by versions, by views, by every changeset that brings them.
public final class Row: Sendable {
  // First, beside the reference count: whoever goes over many rows touches nothing else of them.
  public let key: RowKey
  /// Unique in its table.
  public let id: String
  /// The row as clients get it: `{"id":…,"cellIdentifier":…,"payload":…,"can":…}`, UTF-8 JSON.
  public let encoded: [UInt8]
  /// The row's cell, then its fallbacks in order.
  public let cells: CellChain
  // As short as they are, these decide how much memory a row takes.
  private let selectSpan: ByteSpan
  private let expansionSpan: ByteSpan
  public let permissions: Permissions
  /// The texts that the row is found by, as the module `TableFinding` writes them; empty where its table offers no
  /// finding. They are a part of the row's content, though nobody sees them: versions that differ only in them are two.
  public let findable: [UInt8]

  /// The place of the object after `"select":` in `encoded`, if there is one.
  public var select: Range<Int>? { selectSpan.optionalRange }
  /// The place in `encoded` of the boolean that a tap toggles (`true` or `false`), if the cell expands.
  public var expansion: Range<Int>? { expansionSpan.optionalRange }

  public convenience init(
    id: String,
    encoded: [UInt8],
    cells: CellChain,
    permissions: Permissions,
    select: Range<Int>? = nil,
    expansion: Range<Int>? = nil,
    findable: [UInt8] = []
  ) {
    self.init(
      id: id,
      encoded: encoded,
      cells: cells,
      permissions: permissions,
      select: select,
      expansion: expansion,
      findable: findable,
      key: RowKey(id: id, encoded: encoded, findable: findable)
    )
  }

  /// With a key of the caller's: so that tests can have fingerprints collide.
  package init(
    id: String,
    encoded: [UInt8],
    cells: CellChain,
    permissions: Permissions,
    select: Range<Int>? = nil,
    expansion: Range<Int>? = nil,
    findable: [UInt8] = [],
    key: RowKey
  ) {
    self.id = id
    self.encoded = encoded
    self.cells = cells
    self.permissions = permissions
    self.findable = findable
    selectSpan = ByteSpan(select)
    expansionSpan = ByteSpan(expansion)
    self.key = key
  }

  public var cellIdentifier: String { cells[0].cellIdentifier }

  /// Its memory, about, in bytes: with its headers, the ends of its allocations, and its places in lists and tables.
  public var footprint: Int {
    320 + encoded.count + id.utf8.count + (findable.isEmpty ? 0 : findable.count + 40)
  }

  /// Equal to the byte, by ``RowKey``. O(1).
  public static func same(_ first: Row, _ second: Row) -> Bool { first === second || first.key == second.key }

  /// Equal to the byte on the wire, whatever they are found by. O(1); of rows that are found, in proportion to the bytes.
  public static func looksSame(_ first: Row, _ second: Row) -> Bool {
    if same(first, second) { return true }
    guard !first.findable.isEmpty || !second.findable.isEmpty else { return false }
    return first.id == second.id && first.encoded == second.encoded
  }
}

/// A row's identity and content as hashes: what a diff walks, without touching the rows themselves.
///
/// Rows whose keys are equal are equal to the byte. If only their identities agree, their `id`s are compared as well.
public struct RowKey: Hashable, Sendable {
  public let identity: Fingerprint
  public let content: ContentDigest

  public init(identity: Fingerprint, content: ContentDigest) {
    self.identity = identity
    self.content = content
  }

  /// The key of a row. O(bytes): all that is ever hashed of it, once, when the row is made.
  public init(id: borrowing String, encoded: borrowing [UInt8]) {
    self.init(identity: Fingerprint(of: id), content: ContentDigest(of: encoded))
  }

  /// The same of a row that is found by something. O(bytes).
  public init(id: borrowing String, encoded: borrowing [UInt8], findable: borrowing [UInt8]) {
    self.init(id: id, encoded: encoded)
    guard !findable.isEmpty else { return }
    let other = ContentDigest(of: findable)
    let both = withUnsafeBytes(of: (content.first, content.second, other.first, other.second)) { ContentDigest(of: $0) }
    self.init(identity: identity, content: both)
  }

  // Written down so that other modules inline it.
  @inlinable
  public static func == (first: RowKey, second: RowKey) -> Bool {
    first.identity == second.identity && first.content == second.content
  }
}

/// The permissions of a row's reader; `can` on the wire, always whole.
public struct Permissions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let edit = Permissions(rawValue: 1)
  public static let move = Permissions(rawValue: 2)
  public static let select = Permissions(rawValue: 4)
}
