import Expressions

/// The beginning of a URL up to its path: what no item and no caller may have a say in.
struct URLOrigin {
  /// With the environment's values put in.
  private(set) var text = ""
  /// The text behind the origin, as it was written.
  private(set) var rest = ""
  /// Nothing was put in.
  private(set) var isWritten = true

  /// Nil, with a diagnostic, where an expression in it depends on something else than the environment.
  init?(of url: TemplateParts, at place: TextPosition, _ reading: Reading) {
    for part in url.parts {
      switch part {
      case .literal(let literal):
        if Self.endsOrigin(text) { rest += literal } else { text += literal }
      case .expression(let body):
        guard !Self.endsOrigin(text) else {
          rest += "${\(body)}"
          continue
        }
        guard let expression = try? Expression(String(body)) else { return nil }
        guard expression.dependencies.isSubset(of: .environment) else {
          reading.error(
            at: place,
            "scheme and host of a URL can't depend on an item or a caller",
            "write them out, or take them from `env`"
          )
          return nil
        }
        guard let value = reading.constant(body, at: place) else { return nil }
        text += value
        isWritten = false
      }
    }
  }

  /// `http` or `https`, a host, and nothing in it that would be read as an expression.
  var isOfUpstream: Bool {
    guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
    let host = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    return !host.isEmpty && !host.contains { $0.isWhitespace || "\\{}<>\"^`|".contains($0) } && hasPort(host)
      && (isWritten || !text.contains("${"))
  }

  /// A port that there is, or none (RFC 3986 §3.2.3).
  private func hasPort(_ host: Substring) -> Bool {
    let address = host.split(separator: "@", omittingEmptySubsequences: false).last ?? host
    let rest = address.hasPrefix("[") ? address.drop { $0 != "]" } : address
    guard let colon = rest.lastIndex(of: ":") else { return true }
    let port = rest[rest.index(after: colon)...]
    return port.isEmpty || port.utf8.allSatisfy { (0x30...0x39).contains($0) } && (1...65_535).contains(Int(port) ?? 0)
  }

  private static func endsOrigin(_ text: String) -> Bool {
    guard let separator = text.firstRange(of: "://") else { return false }
    return text[separator.upperBound...].contains { "/?#".contains($0) }
  }
}
