internal import Foundation

/// The query of a URL, as a list of pairs.
enum Query {
  static func pairs(_ url: String) -> [(name: String, value: String)] {
    guard let start = url.firstIndex(of: "?") else { return [] }
    let query = url[url.index(after: start)...].prefix { $0 != "#" }
    return query.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
    }
  }

  /// The URL with `name=value` in place of what stands under that name, at the end.
  static func replacing(_ name: String, with value: String, in url: String) -> String {
    let withoutFragment = url.prefix { $0 != "#" }
    let base = withoutFragment.prefix { $0 != "?" }
    let query = withoutFragment.dropFirst(base.count + 1)
    var pairs = query.split(separator: "&").filter { pair in
      decoded(pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)[0]) != name
    }.map(String.init)
    pairs.append("\(encoded(name))=\(encoded(value))")
    return "\(base)?\(pairs.joined(separator: "&"))"
  }

  /// A name in a YAML flow mapping.
  static func quoted(_ name: String) -> String {
    name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? name : "\"\(name)\""
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  private static func decoded(_ text: Substring) -> String {
    text.replacing("+", with: " ").removingPercentEncoding ?? String(text)
  }
}
