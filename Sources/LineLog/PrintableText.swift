extension Unicode.Scalar {
  /// True if the scalar is to be shown, not acted upon: terminals obey control characters (C0, DEL and C1), and a
  /// character that turns the direction of writing or begins a line can make a line say what it doesn't.
  public var isPrintable: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0: false
    // Marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9 section 2).
    case 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: false
    case 0x2028, 0x2029: false
    default: true
    }
  }
}

/// How what is not printable is written instead.
public enum PrintableText {
  /// As Swift writes it in string literals: `\n`, `\u{1b}`.
  case text
  /// As JSON writes it in strings (RFC 8259 section 7), quotes and backslashes too: `\n`, `\u001b`.
  case json

  /// Appends `text`, but no more than `limit` bytes and a word on how many more there were. O(what is appended).
  func append(_ text: String, limit: Int, to line: inout [UInt8]) {
    if text.utf8.count <= limit, appendPlain(text, to: &line) { return }
    var room = limit
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.first {
      let written = escaped(scalar) ?? String(scalar)
      let count = written.utf8.count
      if count > room {
        line += "… (\(text.utf8.distance(from: scalars.startIndex, to: text.utf8.endIndex)) bytes more)".utf8
        return
      }
      room -= count
      line += written.utf8
      scalars.removeFirst()
    }
  }

  /// Appends a text in which nothing needs an escape; false where that can't be told of all of it at once.
  private func appendPlain(_ text: String, to line: inout [UInt8]) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.allSatisfy(isPlain) else { return false }
      line += bytes
      return true
    } ?? false
  }

  /// True for a byte of ASCII that needs no escape, as nearly all of a log's are.
  private func isPlain(_ byte: UInt8) -> Bool {
    guard 0x20..<0x7f ~= byte else { return false }
    return self == .text || (byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\"))
  }

  /// Returns a JSON text in which its strings have escapes for what is not to be shown; the same bytes where there is nothing of that.
  /// O(bytes).
  ///
  /// - Parameter minified: without line breaks or tabs outside of strings.
  public static func printing(minified: [UInt8]) -> [UInt8] {
    guard !minified.allSatisfy({ 0x20..<0x7f ~= $0 }) else { return minified }
    var line: [UInt8] = []
    line.reserveCapacity(minified.count)
    for scalar in String(decoding: minified, as: UTF8.self).unicodeScalars {
      line += (scalar.isPrintable ? String(scalar) : PrintableText.json.escaped(scalar) ?? "").utf8
    }
    return line
  }

  /// Returns the escape of `scalar`; nil if it needs none.
  private func escaped(_ scalar: Unicode.Scalar) -> String? {
    if case .json = self, scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
    if scalar.isPrintable { return nil }
    switch (scalar, self) {
    case ("\n", _): return "\\n"
    case ("\r", _): return "\\r"
    case ("\t", _): return "\\t"
    case (_, .text): return "\\u{\(String(scalar.value, radix: 16))}"
    case (_, .json):
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}
