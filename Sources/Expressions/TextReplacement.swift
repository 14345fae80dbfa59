/// Parts of a text, found by their bytes.
enum TextReplacement {
  /// - Throws: `EvaluationError` where the result is too long.
  static func replacing(
    _ part: String,
    in text: String,
    by replacement: String
  ) throws(EvaluationError) -> String {
    guard !part.isEmpty else { return text }
    let parts = parts(of: text, between: part)
    let (added, overflow) = replacement.utf8.count.multipliedReportingOverflow(by: parts.count - 1)
    guard !overflow, added <= Arithmetic.maximumText, text.utf8.count <= Arithmetic.maximumText else {
      throw Arithmetic.tooLong("replace")
    }
    return parts.joined(separator: replacement)
  }

  /// Whether a text has a part; every text has the empty one.
  static func contains(_ part: String, in text: String) -> Bool {
    guard !part.isEmpty else { return true }
    var (search, text) = (ByteSearch(Array(part.utf8)), text)
    return text.withUTF8 { text in text.contains { search.takes($0) } }
  }

  /// Never empty.
  static func parts(of text: String, between separator: String) -> [String] {
    guard !separator.isEmpty else { return [text] }
    var (search, text) = (ByteSearch(Array(separator.utf8)), text)
    return text.withUTF8 { bytes in
      var parts: [String] = []
      var start = 0
      for position in bytes.indices where search.takes(bytes[position]) {
        let end = position + 1 - search.mark.count
        parts.append(String(decoding: bytes[start..<end], as: UTF8.self))
        start = position + 1
      }
      parts.append(String(decoding: bytes[start...], as: UTF8.self))
      return parts
    }
  }
}

/// Finds a mark in bytes that are given one by one (Knuth, Morris and Pratt): in linear time, however text and mark
/// repeat themselves.
private struct ByteSearch {
  let mark: [UInt8]
  /// How much of the mark still stands where it goes on differently, by how much of it was found.
  private var shorter: [Int]
  private var found = 0

  /// The mark is not empty.
  init(_ mark: [UInt8]) {
    self.mark = mark
    shorter = [0]
    var length = 0
    for byte in mark.dropFirst() {
      while length > 0, mark[length] != byte { length = shorter[length - 1] }
      if mark[length] == byte { length += 1 }
      shorter.append(length)
    }
  }

  /// Whether the mark ends with this byte; the search starts anew then, as occurrences don't overlap.
  mutating func takes(_ byte: UInt8) -> Bool {
    while found > 0, mark[found] != byte { found = shorter[found - 1] }
    if mark[found] == byte { found += 1 }
    guard found == mark.count else { return false }
    found = 0
    return true
  }
}
