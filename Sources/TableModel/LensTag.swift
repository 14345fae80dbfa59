/// The lens in a cursor, behind its `~`: the difference between the client's table and the plain one, as far as a
/// cursor has to tell.
///
/// A window is written down whole, for a request without `rows` goes on with it. A view and the cells that a client can
/// show come with every request; the tag has digests of them, which tell whether they are still the same.
///
/// A search is written down where it fits, else its digest.
///
/// Parts in this order, joined by `.`, each at most once: `r<rows>` or `r<first>-<last>`, `v<digest>`, `c<digest>`,
/// `f<search>` or `g<digest>`.
public struct LensTag: Hashable, Sendable, CustomStringConvertible {
  /// The rows that the client has; nil where it has all.
  public var rows: WindowRange?
  /// The digest of the view's name; nil without a view.
  public var view: Digest?
  /// The digest of the accepted cells, in a form that is the same for the same cells; nil where all are.
  public var cells: Digest?

  /// The search; nil where there is none.
  public var find: Find?

  /// A search as a cursor has it.
  public enum Find: Hashable, Sendable {
    case search(FindSearch)
    /// A search that is too long for a cursor.
    case digest(Digest)
  }

  public init(rows: WindowRange? = nil, view: Digest? = nil, cells: Digest? = nil, find: Find? = nil) {
    (self.rows, self.view, self.cells, self.find) = (rows, view, cells, find)
  }

  /// Reads what ``description`` writes; nil for anything else, the empty text included. O(characters).
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let tag = text.withUTF8({ Self.read($0) }) else { return nil }
    self = tag
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> LensTag? {
    var (reader, tag) = (TagReader(bytes), LensTag())
    /// Goes on behind the beginning of a part, if it stands there: behind another part, too.
    func begins(_ part: Unicode.Scalar) -> Bool {
      var next = reader
      guard tag.isEmpty || next.take("."), next.take(part) else { return false }
      reader = next
      return true
    }
    if begins("r") {
      guard let first = reader.number().flatMap({ Int(exactly: $0) }) else { return nil }
      var range = WindowRange(first)
      if reader.take("-") {
        guard let last = reader.number().flatMap({ Int(exactly: $0) }), first > 0 else { return nil }
        range = WindowRange(from: first, through: last)
      }
      guard let range else { return nil }
      tag.rows = range
    }
    if begins("v") {
      guard let digest = reader.hexadecimal(digits: 16) else { return nil }
      tag.view = Digest(rawValue: digest)
    }
    if begins("c") {
      guard let digest = reader.hexadecimal(digits: 16) else { return nil }
      tag.cells = Digest(rawValue: digest)
    }
    if begins("f") {
      // It comes last.
      guard let search = FindSearch(String(decoding: reader.rest, as: UTF8.self)) else { return nil }
      tag.find = .search(search)
      return tag
    }
    if begins("g") {
      guard let digest = reader.hexadecimal(digits: 16) else { return nil }
      tag.find = .digest(Digest(rawValue: digest))
    }
    return reader.isAtEnd && !tag.isEmpty ? tag : nil
  }

  public var isEmpty: Bool { rows == nil && view == nil && cells == nil && find == nil }

  public var description: String {
    let find: String? =
      switch find {
      case .search(let search)?: "f\(search)"
      case .digest(let digest)?: "g\(digest)"
      case nil: nil
      }
    return [rows.map { "r\($0)" }, view.map { "v\($0)" }, cells.map { "c\($0)" }, find].compactMap(\.self)
      .joined(separator: ".")
  }

  /// 64 bits, 16 hex digits.
  ///
  /// Cursors outlive the process, so this has to be of a function that does too (the first bytes of a SHA-256, not a
  /// ``Fingerprint``). A collision that is made by intent gains nothing: both values are of one client, and its own
  /// table alone is wrong. A cache's key needs more than this.
  public struct Digest: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The first eight bytes of a longer digest, or as many as there are.
    public init(prefixOf digest: some Sequence<UInt8>) {
      rawValue = digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    public var description: String { rawValue.lowercaseHex(digits: 16) }
  }
}
