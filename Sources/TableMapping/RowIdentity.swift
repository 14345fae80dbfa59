/// What may name a row: it stands in URLs, in `…/rows/{row}`, and comes back from there as it was.
enum RowIdentity {
  /// Three times as many in a URL where each is percent-encoded, which every server and proxy takes.
  static let maximumBytes = 1024

  /// Why a text can't name a row; nil: it can.
  static func refusal(of text: String) -> String? {
    if text.isEmpty { return "is an empty text; a text or a number is expected" }
    if text == "." || text == ".." {
      return "is “\(text)”, which stands for another place in a URL's path; put something beside it: row.id: \"x${…}\""
    }
    guard text.utf8.count <= maximumBytes else {
      return "has \(text.utf8.count) bytes; an identity has at most \(maximumBytes)"
    }
    guard !text.unicodeScalars.contains(where: isControl) else {
      return "has a control character; an identity is a text that can stand in a URL and in a log"
    }
    return nil
  }

  /// C0, DEL and C1.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }
}
