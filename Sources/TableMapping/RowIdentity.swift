/// The identities that a row may have: they stand in URLs, in `…/rows/{row}`, and come back from there as they were.
public enum RowIdentity {
  /// Three times as many in a URL where each is percent-encoded, which every server and proxy takes.
  static let maximumBytes = 1024

  /// Why a text can't name a row; nil: it can.
  public static func refusal(of text: String) -> String? {
    if text.isEmpty { return "is an empty text; a text or a number is expected" }
    if text == "." || text == ".." {
      return "is “\(text)”, which stands for another place in a URL's path; put something beside it: row.id: \"x${…}\""
    }
    guard text.utf8.count <= maximumBytes else {
      return "has \(text.utf8.count) bytes; an identity has at most \(maximumBytes)"
    }
    guard !hasControls(text) else {
      return "has a control character; an identity is a text that can stand in a URL and in a log"
    }
    return nil
  }

  /// C0, DEL and C1, which is 0x80 to 0x9F behind 0xC2.
  private static func hasControls(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var (found, last) = (false, UInt8(0))
      for byte in bytes {
        // All are looked at: nearly every identity has none.
        found = found || byte < 0x20 || byte == 0x7F || (last == 0xC2 && byte < 0xA0)
        last = byte
      }
      return found
    }
  }
}
