/// The parts of a text with `${…}` in it: what a template is compiled from, and what who checks one points at.
public struct TemplateParts: Sendable {
  public enum Part: Equatable, Sendable {
    /// As it was written: `$${` stands for a `${` that is meant so.
    case literal(Substring)
    /// The text between `${` and `}`.
    case expression(Substring)
  }

  /// Their texts are of ``text``: their indices are indices in it.
  public private(set) var parts: [Part] = []
  public let text: Substring
  /// The offset of a `${` that no `}` closes, in bytes of UTF-8: the text behind it is in no part.
  public private(set) var unclosed: Int?

  /// Complexity: O(n).
  public init(_ text: some StringProtocol) {
    let text = Substring(text)
    self.text = text
    let bytes = text.utf8
    var literal = text.startIndex
    var position = text.startIndex
    while position < text.endIndex {
      if bytes[position...].starts(with: "$${".utf8) {
        position = bytes.index(position, offsetBy: 3)
      } else if bytes[position...].starts(with: "${".utf8) {
        if literal < position { parts.append(.literal(text[literal..<position])) }
        let start = bytes.index(position, offsetBy: 2)
        guard let end = Self.end(of: bytes, from: start) else {
          unclosed = bytes.distance(from: text.startIndex, to: position)
          return
        }
        parts.append(.expression(text[start..<end]))
        position = bytes.index(after: end)
        literal = position
      } else {
        position = bytes.index(after: position)
      }
    }
    if literal < text.endIndex { parts.append(.literal(text[literal...])) }
  }

  public var expressions: [Substring] {
    parts.compactMap { if case .expression(let text) = $0 { text } else { nil } }
  }

  /// The expression, where the text is one `${…}` and nothing else.
  public var whole: Substring? {
    guard parts.count == 1, case .expression(let text)? = parts.first else { return nil }
    return text
  }

  /// Returns a part's offset, in bytes of UTF-8.
  public func offset(of part: Substring) -> Int { text.utf8.distance(from: text.startIndex, to: part.startIndex) }

  /// The closing brace; those in quoted strings don't count.
  private static func end(of bytes: Substring.UTF8View, from start: Substring.Index) -> Substring.Index? {
    var quote: UInt8?
    var position = start
    while position < bytes.endIndex {
      let byte = bytes[position]
      if let open = quote {
        if byte == UInt8(ascii: "\\") {
          position = bytes.index(after: position)
          if position == bytes.endIndex { return nil }
        } else if byte == open {
          quote = nil
        }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if byte == UInt8(ascii: "}") {
        return position
      }
      position = bytes.index(after: position)
    }
    return nil
  }
}
