/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// The 16 bytes of the address, most significant first; IPv4 is mapped (::ffff:a.b.c.d).
  let high: UInt64
  let low: UInt64
  public let port: UInt16

  init(high: UInt64, low: UInt64, port: UInt16) {
    self.high = high
    self.low = low
    self.port = port
  }

  /// An IPv4 address, as a number: 127.0.0.1 is 0x7f000001.
  public init(ipv4 address: UInt32, port: UInt16) {
    self.init(high: 0, low: 0xffff_0000_0000 | UInt64(address), port: port)
  }

  /// Nobody's address (RFC 4291 section 2.5.2).
  static let unspecified = SocketAddress(high: 0, low: 0, port: 0)

  /// True for this machine's own addresses: 127.0.0.0/8 or ::1.
  public var isLoopback: Bool { isIPv4 ? low >> 24 & 0xff == 127 : high == 0 && low == 1 }

  var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

  /// The network that shares are counted by: the IPv4 address, or the /64 that an IPv6 client has to itself; without a
  /// port.
  public var network: SocketAddress {
    isIPv4 ? SocketAddress(high: 0, low: low, port: 0) : SocketAddress(high: high, low: 0, port: 0)
  }

  /// The address without the port: `127.0.0.1`, `2001:db8::1`.
  public var host: String {
    if isIPv4 {
      return (0..<4).map { String(low >> (24 - 8 * UInt64($0)) & 0xff) }.joined(separator: ".")
    }
    // RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups is "::".
    let groups: [UInt64] = (0..<8).map { (index: UInt64) -> UInt64 in
      let half = index < 4 ? high : low
      return (half >> (48 - 16 * (index % 4))) & 0xffff
    }
    var best = 0..<0
    var start = 0
    while start < 8 {
      var end = start
      while end < 8, groups[end] == 0 { end += 1 }
      if end - start > max(best.count, 1) { best = start..<end }
      start = max(end, start + 1)
    }
    let text = { (groups: ArraySlice<UInt64>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
    return best.isEmpty ? text(groups[...]) : text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
  }

  public var description: String { isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)" }
}
