import Glibc

extension SocketAddress {
  /// From what the system fills in.
  init(_ storage: sockaddr_storage) {
    self = withUnsafePointer(to: storage) { pointer in
      if Int32(storage.ss_family) == AF_INET {
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
          SocketAddress(
            ipv4: UInt32(bigEndian: address.pointee.sin_addr.s_addr),
            port: UInt16(bigEndian: address.pointee.sin_port)
          )
        }
      }
      return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
        withUnsafeBytes(of: address.pointee.sin6_addr) { bytes in
          SocketAddress(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
            port: UInt16(bigEndian: address.pointee.sin6_port)
          )
        }
      }
    }
  }

  /// Calls `body` with the address as the system takes it.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if isIPv4 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(truncatingIfNeeded: low).bigEndian
      return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
      bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }
}
