internal import JSON

extension Template {
  /// The text that it begins with whatever is evaluated: all of one without expressions; empty where it is no text or
  /// begins with one. O(length).
  public var literalPrefix: String {
    switch form {
    case .constant(.string(let text)): return text
    case .text(let pieces):
      guard case .literal(let text)? = pieces.first else { return "" }
      return text
    case .constant, .expression, .array, .object, .each: return ""
    }
  }
}
