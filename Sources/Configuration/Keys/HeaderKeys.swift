import Definitions
import Patterns

extension ValueReader where Value == String {
  static let pattern = ValueReader(
    .text(description: "a regular expression", pattern: nil, examples: ["[a-z0-9-]+"])
  ) { node, reading in
    guard let text = ValueReader.plainText("a regular expression", example: "[a-z0-9-]+").read(node, reading) else {
      return nil
    }
    do throws(PatternError) {
      _ = try Pattern(text)
      return text
    } catch {
      reading.error(at: node.place, "\(excerpt(text)) is no pattern: \(error)", "write for example `[a-z0-9-]+`")
      return nil
    }
  }

  /// A header of the caller that may be sent on: not one that belongs to the connection (RFC 9110 §7.6.1) or to the
  /// message's framing.
  static let headerName = ValueReader(
    .text(description: "a header's name", pattern: nil, examples: ["Authorization", "Accept-Language"])
  ) { node, reading in
    guard let text = ValueReader.plainText("a header's name", example: "Accept-Language").read(node, reading) else {
      return nil
    }
    NameRule.header.check(Located(value: text, place: node.place), reading)
    let refused = [
      "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te",
      "trailer", "transfer-encoding", "upgrade",
    ]
    if refused.contains(text.lowercased()) {
      reading.error(
        at: node.place,
        "the header '\(text)' belongs to one connection and can't be sent on",
        "forward what names the caller: `Authorization`, `Cookie`, `Accept-Language`"
      )
      return nil
    }
    return text
  }
}
