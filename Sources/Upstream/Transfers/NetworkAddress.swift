internal import CCurl
internal import Glibc

/// An IP address, for the one question that redirects ask: does it lead inside?
struct NetworkAddress: Hashable {
  /// 4 or 16, in network byte order.
  let bytes: [UInt8]

  /// From its text, as libcurl reports that of a connection.
  init?(_ text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      bytes = withUnsafeBytes(of: v4) { Array($0) }
    } else if inet_pton(AF_INET6, text.split(at: "%").0, &v6) == 1 {
      bytes = withUnsafeBytes(of: v6) { Array($0) }
    } else {
      return nil
    }
  }

  /// - Returns: nil for anything but IPv4 and IPv6.
  init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
      }
    case AF_INET6:
      bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
      }
    default: return nil
    }
  }

  /// Outside what the public Internet routes: the special-purpose registries of RFC 6890, where a redirect
  /// could reach what is meant to be reached from here alone.
  var isPrivate: Bool {
    guard bytes.count == 16 else { return Self.isPrivateIPv4(bytes[...]) }
    if bytes[..<12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
      return Self.isPrivateIPv4(bytes[12...])  // ::ffff:0:0/96, IPv4-mapped
    }
    if bytes[..<12].elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
      return Self.isPrivateIPv4(bytes[12...])  // 64:ff9b::/96, NAT64
    }
    if bytes[0] == 0x20, bytes[1] == 0x02 { return Self.isPrivateIPv4(bytes[2..<6]) }  // 2002::/16, 6to4
    if bytes[..<4].elementsEqual([0x20, 0x01, 0x0D, 0xB8]) { return true }  // documentation
    if bytes[..<4].elementsEqual([0x20, 0x01, 0, 0]) { return true }  // Teredo
    return bytes[0] & 0xE0 != 0x20  // all but 2000::/3: loopback, link-local, unique local, multicast
  }

  private static func isPrivateIPv4(_ address: ArraySlice<UInt8>) -> Bool {
    let octets = Array(address)
    guard octets.count == 4 else { return true }
    return switch (octets[0], octets[1], octets[2]) {
    case (0, _, _), (10, _, _), (127, _, _): true  // this network, private, loopback
    case (100, 64...127, _): true  // shared address space of carriers
    case (169, 254, _): true  // link-local: where clouds keep their metadata
    case (172, 16...31, _), (192, 168, _): true  // private
    case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113): true  // protocol assignments, documentation
    case (198, 18...19, _): true  // benchmarking
    case (224..., _, _): true  // multicast, reserved, broadcast
    default: false
    }
  }
}
