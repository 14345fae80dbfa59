internal import FieldValues

/// Parts of a text, found by their bytes.
enum TextReplacement {
  /// - Throws: `EvaluationError` where the result is too long.
  static func replacing(
    _ part: String,
    in text: String,
    by replacement: String
  ) throws(EvaluationError) -> String {
    guard !part.isEmpty else { return text }
    var (search, text) = (ByteSearch(Array(part.utf8)), text)
    // One list of bytes, however many parts there are.
    let result = text.withUTF8 { bytes -> [UInt8]? in
      var result: [UInt8] = []
      var start = 0
      for position in bytes.indices where search.takes(bytes[position]) {
        result += bytes[start..<position + 1 - search.mark.count]
        result += replacement.utf8
        start = position + 1
        if result.count > Arithmetic.maximumText { return nil }
      }
      result += bytes[start...]
      return result.count > Arithmetic.maximumText ? nil : result
    }
    guard let result else { throw Arithmetic.tooLong("replace") }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns whether a text has a part; every text has the empty one.
  static func contains(_ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !part.isEmpty else { return true }
    var search = ByteSearch(Array(part))
    return text.contains { search.takes($0) }
  }

  /// Never empty. Each part is charged to the budget before it is made.
  static func parts(
    of text: String,
    between separator: String,
    _ budget: Budget?
  ) throws(EvaluationError) -> [Value] {
    var text = text
    var parts: [Value] = []
    var ends: [(start: Int, end: Int)] = []
    let count = text.utf8.count
    if separator.isEmpty {
      for character in text {
        try budget?.charge(100 + character.utf8.count * 40)
        parts.append(.string(String(character)))
      }
      return parts
    }
    var search = ByteSearch(Array(separator.utf8))
    text.withUTF8 { bytes in
      var start = 0
      for position in bytes.indices where search.takes(bytes[position]) {
        ends.append((start, position + 1 - search.mark.count))
        start = position + 1
      }
      ends.append((start, count))
    }
    parts.reserveCapacity(ends.count)
    for (start, end) in ends {
      try budget?.charge(150 + (end - start) * Cost.madeByte)
      parts.append(.string(text.withUTF8 { String(decoding: $0[start..<end], as: UTF8.self) }))
    }
    return parts
  }
}
