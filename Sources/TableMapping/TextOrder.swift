internal import _FoundationICU

/// How texts are ordered where it is not by their bytes: a text becomes a key once, whose bytes compare as the texts do.
enum TextOrder {
  /// As a language has it: the Unicode collation algorithm with CLDR's tailoring.
  case language(Collator)
  /// By bytes, but numbers in the texts count as numbers.
  case natural

  /// - Parameter locale: A BCP 47 tag.
  /// - Returns: nil where texts are ordered by their bytes, or ICU has no data.
  init?(locale: String?, isNatural: Bool) {
    if let locale, let collator = Collator(locale, isNatural: isNatural) {
      self = .language(collator)
    } else if isNatural {
      self = .natural
    } else {
      return nil
    }
  }

  /// O(n).
  func key(of text: String) -> [UInt8] {
    switch self {
    case .language(let collator): collator.key(of: text)
    case .natural: Self.naturalKey(of: text)
    }
  }

  /// A number is written as a digit, which keeps its place among other characters, how many digits it has, and these:
  /// what has more is greater. Zeros before it don't count.
  private static func naturalKey(of text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var key: [UInt8] = []
    key.reserveCapacity(bytes.count + 8)
    var position = 0
    while position < bytes.count {
      guard isDigit(bytes[position]) else {
        key.append(bytes[position])
        position += 1
        continue
      }
      let end = bytes[position...].firstIndex { !isDigit($0) } ?? bytes.count
      let digits = bytes[position..<end].drop { $0 == UInt8(ascii: "0") }
      key.append(UInt8(ascii: "0"))
      withUnsafeBytes(of: UInt32(digits.count).bigEndian) { key.append(contentsOf: $0) }
      key += digits
      position = end
    }
    return key
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}

/// ICU's order of one language.
///
/// It is used by one table's mapping at a time; ICU allows several threads to make keys with one collator.
final class Collator {
  private let opened: OpaquePointer

  /// Nil where ICU has no data at all; of a language that it doesn't know, the order that all share.
  init?(_ tag: String, isNatural: Bool) {
    var status = U_ZERO_ERROR
    // The longest name that ICU itself makes room for (ULOC_FULLNAME_CAPACITY).
    var locale = [CChar](repeating: 0, count: 157)
    let count = swift_uloc_forLanguageTag(tag, &locale, Int32(locale.count), nil, &status)
    guard status.rawValue <= U_ZERO_ERROR.rawValue, count < locale.count else { return nil }
    guard let opened = swift_ucol_open(locale, &status) else { return nil }
    if isNatural { swift_ucol_setAttribute(opened, UCOL_NUMERIC_COLLATION, UCOL_ON, &status) }
    guard status.rawValue <= U_ZERO_ERROR.rawValue else {
      swift_ucol_close(opened)
      return nil
    }
    self.opened = opened
  }

  deinit { swift_ucol_close(opened) }

  /// O(n).
  func key(of text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { utf8 in
      guard utf8.count <= Int32.max / 4 else { return [] }
      // No text has more UTF-16 units than bytes.
      return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: utf8.count + 1) { units in
        var count: Int32 = 0
        var status = U_ZERO_ERROR
        utf8.withMemoryRebound(to: CChar.self) { characters in
          _ = swift_u_strFromUTF8WithSub(
            units.baseAddress,
            Int32(units.count),
            &count,
            characters.baseAddress,
            Int32(characters.count),
            0xFFFD,
            nil,
            &status
          )
        }
        guard status.rawValue <= U_ZERO_ERROR.rawValue else { return [] }
        let kept = Self.shortenRunsOfMarks(UnsafeMutableBufferPointer(rebasing: units[..<Int(count)]))
        return key(of: UnsafeBufferPointer(rebasing: units[..<kept]))
      }
    }
  }

  /// The longest run of marks that any language has, and more (UAX #15, Stream-Safe Text Format).
  private static let marksInRow = 30

  /// Takes out the marks that stand behind ``marksInRow`` others. O(n).
  ///
  /// ICU looks from a mark to the end of its run for those that count as one with it, and sorts the run in some
  /// languages: a long one takes the square of its length, or more.
  ///
  /// - Returns: how many units there are then.
  private static func shortenRunsOfMarks(_ units: UnsafeMutableBufferPointer<UInt16>) -> Int {
    var (kept, marks, place) = (0, 0, 0)
    while place < units.count {
      let unit = units[place]
      var (value, width) = (UInt32(unit), 1)
      if UTF16.isLeadSurrogate(unit), place + 1 < units.count, UTF16.isTrailSurrogate(units[place + 1]) {
        value = 0x10000 + (value - 0xD800) << 10 + (UInt32(units[place + 1]) - 0xDC00)
        width = 2
      }
      marks = isMark(value) ? marks + 1 : 0
      if marks <= marksInRow {
        for offset in 0..<width { units[kept + offset] = units[place + offset] }
        kept += width
      }
      place += width
    }
    return kept
  }

  private static func isMark(_ value: UInt32) -> Bool {
    // ICU's numbers of categories. There are no marks before the first one here.
    value >= 0x0300 && 6...8 ~= swift_u_charType(UChar32(bitPattern: value))
  }

  private func key(of units: UnsafeBufferPointer<UInt16>) -> [UInt8] {
    var needed = units.count * 3 + 16
    var key: [UInt8] = []
    // A second time where the first guess was too low.
    repeat {
      let capacity = needed
      key = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        needed = Int(
          swift_ucol_getSortKey(opened, units.baseAddress, Int32(units.count), buffer.baseAddress, Int32(capacity))
        )
        count = min(needed, capacity)
      }
    } while key.count < needed
    return key
  }
}
