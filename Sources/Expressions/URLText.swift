import Foundation

/// Parts of URLs, by RFC 3986.
enum URLText {
  /// §2.3: everything but unreserved characters is percent-encoded; `allowed` stay too.
  static func encode(_ text: String, allowed: String = "") -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    let hexadecimal = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if isUnreserved(byte) || allowed.utf8.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// §3.2.2, in small letters and without `www.`.
  static func host(of url: String) -> String? {
    guard let scheme = url.range(of: "://") else { return nil }
    var authority = url[scheme.upperBound...].prefix { !"/?#\\".contains($0) }
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
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
