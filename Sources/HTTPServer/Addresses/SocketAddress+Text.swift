import Glibc

extension SocketAddress {
  /// From a numeric IPv4 or IPv6 address; nil for anything else.
  public init?(host: String, port: UInt16) {
    self.init(text: Array(host.utf8)[...], port: port)
  }

  /// From the text of an IPv4 address (four decimal numbers) or an IPv6 address (RFC 4291 section 2.2), without
  /// brackets and zone. Allocates nothing.
  init?(text: ArraySlice<UInt8>, port: UInt16 = 0) {
    guard (2..<Int(INET6_ADDRSTRLEN)).contains(text.count), !text.contains(0) else { return nil }
    let address = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      for (index, byte) in text.enumerated() { buffer[index] = CChar(bitPattern: byte) }
      buffer[text.count] = 0
      return SocketAddress(terminated: buffer.baseAddress, port: port)
    }
    guard let address else { return nil }
    self = address
  }

  private init?(terminated text: UnsafePointer<CChar>?, port: UInt16) {
    guard let text else { return nil }
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(ipv4: UInt32(bigEndian: four.s_addr), port: port)
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      let (high, low) = withUnsafeBytes(of: six) { bytes in
        (
          UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
          UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
      }
      self.init(high: high, low: low, port: port)
    } else {
      return nil
    }
  }
}
