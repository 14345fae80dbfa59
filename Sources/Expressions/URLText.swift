/// Parts of URLs, by RFC 3986: found by their bytes, as what delimits them is ASCII.
enum URLText {
  /// §3.2.2, in small letters and without `www.`.
  static func host(of url: String) -> String? {
    var url = url
    let found = url.withUTF8 { bytes -> String? in
      guard let scheme = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else { return nil }
      var authority = bytes[(scheme + 3)...].prefix { !"/?#\\".utf8.contains($0) }
      if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
      if authority.first == UInt8(ascii: "["), let end = authority.firstIndex(of: UInt8(ascii: "]")) {
        return String(decoding: authority[...end], as: UTF8.self)
      }
      return String(decoding: authority.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }
    guard let name = found?.lowercased() else { return nil }
    let short = name.hasPrefix("www.") ? String(name.dropFirst(4)) : name
    return short.isEmpty ? nil : short
  }
}
