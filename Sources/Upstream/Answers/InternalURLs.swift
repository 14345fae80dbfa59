/// Finds URLs in an upstream's words that nobody outside can use, and that say what stands inside: those of private addresses,
/// of names without a dot, and of names under suffixes that no public name has.
enum InternalURLs {
  /// The text with `…` in place of each of them. O(bytes).
  static func hide(in text: String) -> String {
    var result = ""
    var rest = text[...]
    while let scheme = rest.firstRange(of: "://") {
      let name = rest[..<scheme.lowerBound].reversed().prefix {
        $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
      }
      let start = rest.index(scheme.lowerBound, offsetBy: -name.count)
      let tail = rest[scheme.upperBound...]
      let end =
        tail.firstIndex { $0.isWhitespace || "\"'<>()[]{}|,;`".contains($0) && !isBracket($0, in: tail) }
        ?? tail.endIndex
      result += rest[..<start]
      let authority = tail[..<end].prefix { !"/?#".contains($0) }
      result += name.isEmpty || !isInternal(authority) ? rest[start..<end] : "…"
      rest = rest[end...]
    }
    return result + rest
  }

  /// Returns whether a character is a bracket around an IPv6 address, with which the tail begins.
  private static func isBracket(_ character: Character, in tail: Substring) -> Bool {
    "[]".contains(character) && tail.first == "["
  }

  private static let suffixes = [
    ".local", ".internal", ".intranet", ".lan", ".corp", ".home", ".private", ".localhost", ".svc", ".arpa", ".consul",
  ]

  /// - Parameter authority: user, host and port.
  static func isInternal(_ authority: Substring) -> Bool {
    guard let last = authority.split(separator: "@", omittingEmptySubsequences: false).last else { return false }
    // A user, and perhaps a password.
    if last.startIndex != authority.startIndex { return true }
    if last.hasPrefix("[") {
      return NetworkAddress(String(last.dropFirst().prefix { $0 != "]" }))?.isPrivate ?? true
    }
    let host = last.prefix { $0 != ":" }.lowercased()
    guard !host.isEmpty else { return false }
    if let address = NetworkAddress(host) { return address.isPrivate }
    return !host.contains(".") || suffixes.contains { host.hasSuffix($0) }
  }
}
