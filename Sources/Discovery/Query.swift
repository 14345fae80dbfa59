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

  /// The page or the offset that a query asks for.
  static func number(_ name: String, in query: [(name: String, value: String)]) -> Int? {
    query.first { $0.name == name }.flatMap { Int32($0.value) }.map(Int.init)
  }

  /// A name in a YAML flow mapping.
  static func quoted(_ name: String) -> String {
    name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? name : "\"\(name)\""
  }

  private static func decoded(_ text: Substring) -> String {
    text.replacing("+", with: " ").removingPercentEncoding ?? String(text)
  }
}
