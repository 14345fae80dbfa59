import HTTPServer

/// A language range, such as `de-AT` or `*` (RFC 4647 section 2.1). It shares the bytes of the head that it stands in, and is
/// compared without regard to case.
struct LanguageRange: Hashable, Sendable {
  private let bytes: ArraySlice<UInt8>

  /// In bytes; no locale is longer.
  private static let longest = 128

  /// Nil for nothing but blanks.
  init?(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes.withoutBlanks
    if self.bytes.isEmpty { return nil }
  }

  private init(owning bytes: ArraySlice<UInt8>) {
    var kept = bytes
    if kept.count > Self.longest {
      let beginning = kept.prefix(Self.longest)
      kept = beginning.lastIndex(of: UInt8(ascii: "-")).map { beginning[..<$0] } ?? beginning
    }
    self.bytes = kept.map(\.lowercasedASCII)[...]
  }

  /// The same range in bytes of its own, in lower case, without subtags that no locale is long enough for.
  var owned: LanguageRange { LanguageRange(owning: bytes) }

  var isWildcard: Bool { bytes.count == 1 && bytes.first == UInt8(ascii: "*") }

  /// How many subtags this and a tag begin with that are the same. O(bytes of the tag).
  func subtags(sharedWith tag: String) -> Int {
    var (shared, index) = (0, bytes.startIndex)
    for byte in tag.utf8 {
      guard index < bytes.endIndex else { return byte == UInt8(ascii: "-") ? shared + 1 : shared }
      guard bytes[index].lowercasedASCII == byte.lowercasedASCII else { return shared }
      if byte == UInt8(ascii: "-") { shared += 1 }
      index += 1
    }
    return index == bytes.endIndex || bytes[index] == UInt8(ascii: "-") ? shared + 1 : shared
  }

  /// Basic filtering: this is the tag, or a beginning of it that ends before a hyphen. O(bytes of the tag).
  func filters(_ tag: String) -> Bool {
    var index = bytes.startIndex
    for byte in tag.utf8 {
      guard index < bytes.endIndex else { return byte == UInt8(ascii: "-") }
      guard bytes[index].lowercasedASCII == byte.lowercasedASCII else { return false }
      index += 1
    }
    return index == bytes.endIndex
  }
}
