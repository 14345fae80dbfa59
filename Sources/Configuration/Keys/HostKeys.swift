import Definitions
import Glibc

extension ValueReader where Value == String {
  /// An `Origin` as browsers send it (RFC 6454 §6.2), or `*`.
  static let origin = ValueReader(
    .text(description: "an origin", pattern: #"^(\*|https?://[^/]+)$"#, examples: ["https://app.example.com", "*"])
  ) { node, reading in
    guard let text = ValueReader.text("an origin", example: "https://app.example.com").read(node, reading) else {
      return nil
    }
    let rest = ["https://", "http://"].first(where: text.hasPrefix).map { text.dropFirst($0.count) }
    guard text == "*" || rest.map({ !$0.isEmpty && !$0.contains("/") }) == true else {
      reading.error(
        at: node.place,
        "\(node.seen) is no origin",
        "write scheme, host and port only: `https://app.example.com`"
      )
      return nil
    }
    return text
  }

  /// A host's name without a port (RFC 1123 §2.1), in lower case.
  static let hostName = ValueReader(
    .text(description: "a host's name", pattern: #"^[A-Za-z0-9_.-]+$"#, examples: ["tables.example.com"])
  ) { node, reading in
    guard let text = ValueReader.plainText("a host's name", example: "tables.example.com").read(node, reading) else {
      return nil
    }
    let isName = text.utf8.allSatisfy { byte in
      (byte | 0x20) &- 97 < 26 || byte &- 48 < 10 || "-._".utf8.contains(byte)
    }
    guard isName, text.utf8.count <= 253 else {
      reading.error(
        at: node.place,
        "\(node.seen) is no host's name",
        "write the name alone, without scheme and port: `tables.example.com`"
      )
      return nil
    }
    return text.lowercased()
  }
}

extension ValueReader where Value == AddressRange {
  /// `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.1`.
  static let addressRange = ValueReader(
    .text(description: "an address or a range of them", pattern: nil, examples: ["10.0.0.0/8", "192.0.2.1"])
  ) { node, reading in
    guard let text = ValueReader<String>.text("an address", example: "10.0.0.0/8").read(node, reading) else {
      return nil
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bytes = AddressRange.bytes(of: String(parts[0])),
      let length = parts.count == 1 ? bytes.count * 8 : Int(parts[1]),
      let range = AddressRange(address: bytes, prefixLength: length)
    else {
      reading.error(
        at: node.place,
        "\(node.seen) is no address and no range of addresses",
        "write for example `10.0.0.0/8`, `2001:db8::/32` or `192.0.2.1`"
      )
      return nil
    }
    guard range.bytes == bytes else {
      reading.warning(
        at: node.place,
        "\(node.seen) has bits beyond its prefix",
        "they don't count"
      )
      return range
    }
    return range
  }
}

extension AddressRange {
  /// The bytes of an IP address; nil for anything else.
  static func bytes(of text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var sixteen = in6_addr()
    if inet_pton(AF_INET6, text, &sixteen) == 1 { return withUnsafeBytes(of: sixteen) { Array($0) } }
    return nil
  }
}
