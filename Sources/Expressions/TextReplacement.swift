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

  /// Never empty.
  static func parts(of text: String, between separator: String) -> [String] {
    let (bytes, mark) = (Array(text.utf8), Array(separator.utf8))
    guard let first = mark.first else { return [text] }
    var parts: [String] = []
    var start = 0
    var position = 0
    while position + mark.count <= bytes.count {
      if bytes[position] == first, bytes[position..<(position + mark.count)] == mark[...] {
        parts.append(String(decoding: bytes[start..<position], as: UTF8.self))
        position += mark.count
        start = position
      } else {
        position += 1
      }
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    return parts
  }
}
