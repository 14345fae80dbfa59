internal import _FoundationICU

/// How texts are ordered: by their bytes, or as the people of a language expect, and numbers in them as numbers.
///
/// An order makes a key of a text, and keys are compared byte by byte: so a text is looked at once, however often it is
/// compared, and keys outlive what they were made of.
public struct TextOrder: Sendable {
  /// Nil: by bytes.
  private let collator: Collator?

  /// By bytes: code point order. The default everywhere.
  public static let bytes = TextOrder(collator: nil)

  /// - Parameters:
  ///   - locale: a language tag such as `de`. Nil: no language's own order (CLDR's root) where the order is natural,
  ///     else bytes. A tag that names no known language is ordered as the root is.
  ///   - isNatural: numbers in texts count as numbers: `item 9` before `item 10`.
  public init(locale: String?, isNatural: Bool = false) {
    self.init(collator: locale == nil && !isNatural ? nil : Collator(locale: locale ?? "", isNatural: isNatural))
  }

  private init(collator: Collator?) { self.collator = collator }

  /// A key whose bytes are ordered as texts are. Texts that a language holds equal are ordered by their bytes: only
  /// texts of the same bytes have the same key. Complexity: O(n); some 100 ns for a short text by a locale.
  public func key(of text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard let collator, let key = collator.key(of: text) else { return bytes }
    // ICU's keys end with a zero, which stands nowhere else in them.
    return key + bytes
  }

  /// Whether a text comes before another.
  public func precedes(_ first: String, _ second: String) -> Bool {
    key(of: first).lexicographicallyPrecedes(key(of: second))
  }
}

/// `@unchecked Sendable`: an opened collator is not changed after `init`, and making keys leaves it as it is (ICU,
/// "Collation API Details": a const collator may be shared); it is closed in `deinit` alone.
private final class Collator: @unchecked Sendable {
  private let opened: OpaquePointer

  init?(locale: String, isNatural: Bool) {
    var status = U_ZERO_ERROR
    guard let opened = swift_ucol_open(locale, &status), status.rawValue <= U_ZERO_ERROR.rawValue else { return nil }
    self.opened = opened
    if isNatural { swift_ucol_setAttribute(opened, UCOL_NUMERIC_COLLATION, UCOL_ON, &status) }
  }

  deinit { swift_ucol_close(opened) }

  /// Nil where ICU fails.
  func key(of text: String) -> [UInt8]? {
    let units = Array(text.utf16)
    var key = [UInt8](repeating: 0, count: units.count * 4 + 16)
    var count = Int(swift_ucol_getSortKey(opened, units, Int32(units.count), &key, Int32(key.count)))
    if count > key.count {
      key = [UInt8](repeating: 0, count: count)
      count = Int(swift_ucol_getSortKey(opened, units, Int32(units.count), &key, Int32(key.count)))
    }
    return count > 0 ? Array(key.prefix(count)) : nil
  }
}
