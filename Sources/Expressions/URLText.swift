import Foundation

/// Parts of URLs, by RFC 3986.
enum URLText {
  /// §3.2.2, in small letters and without `www.`.
  static func host(of url: String) -> String? {
    guard let scheme = url.range(of: "://") else { return nil }
    var authority = url[scheme.upperBound...].prefix { !"/?#\\".contains($0) }
    // By bytes: to find the character before a place takes a walk over all regional indicators before that.
    if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) { authority = authority[authority.index(after: at)...] }
    let host =
      if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
        authority[...end]
      } else {
        authority.prefix { $0 != ":" }
      }
    let name = host.lowercased()
    let short = name.hasPrefix("www.") ? String(name.dropFirst(4)) : name
    return short.isEmpty ? nil : short
  }
}
