internal import Expressions
internal import FieldValues

/// Segments `.` and `..` of a URL's path that a value brings in.
///
/// `../admin` goes upstream as `..%2Fadmin`, which is one segment by RFC 3986. Proxies and servers that decode a path before
/// they take it apart find `/items/../admin` there, and are then asked for something else than the configuration says.
enum DotSegments {
  /// The expression whose value makes a segment `.` or `..`, alone or together with what stands around it, once the path is
  /// decoded; nil where none does. What the configuration writes out may have such segments. O(length).
  ///
  /// - Parameter url: in the parts that it is made of.
  static func culprit(in url: [Template.URLPiece]) -> Expression? {
    let bytes = url.enumerated().flatMap { index, piece in piece.text.utf8.map { (byte: $0, piece: index) } }
    let path = bytes.prefix { $0.byte != UInt8(ascii: "?") && $0.byte != UInt8(ascii: "#") }
    let decoded = decode(path)
    // Some servers take a backslash for a slash.
    let segments = decoded.split { $0.byte == UInt8(ascii: "/") || $0.byte == UInt8(ascii: "\\") }
    for segment in segments {
      // The text behind a semicolon is a parameter of the segment, which some servers leave out (RFC 3986 section 3.3).
      let name = segment.prefix { $0.byte != UInt8(ascii: ";") }
      guard (1...2).contains(name.count), name.allSatisfy({ $0.byte == UInt8(ascii: ".") }) else { continue }
      for part in segment.prefix(name.count + 1) {
        if let expression = url[part.piece].expression { return expression }
      }
    }
    return nil
  }

  /// Escapes that are none stand for themselves. An escape belongs to the part in which it ends.
  private static func decode(_ bytes: some Collection<(byte: UInt8, piece: Int)>) -> [(byte: UInt8, piece: Int)] {
    var decoded: [(byte: UInt8, piece: Int)] = []
    var rest = Array(bytes)[...]
    while let first = rest.first {
      let escape = rest.prefix(3)
      if first.byte == UInt8(ascii: "%"), escape.count == 3, let last = escape.last,
        let byte = PercentCoding.decode(escape.map(\.byte))?.first
      {
        decoded.append((byte, last.piece))
        rest = rest.dropFirst(3)
      } else {
        decoded.append(first)
        rest = rest.dropFirst()
      }
    }
    return decoded
  }
}
