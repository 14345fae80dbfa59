import Glibc

/// Listening sockets: one for each loop on the same address (SO_REUSEPORT), among which the kernel spreads new
/// connections. No loop has to hand connections over to another, and none is woken for what another takes.
enum Listener {
  /// Bytes that the kernel takes of a response beyond what it can send now. Without a bound, each client that asks for
  /// much and reads nothing would hold some megabytes of the kernel's memory, and the time that it takes to copy them.
  private static let unsentLimit: Int32 = 131_072

  /// Opens `count` listening sockets. Returns them and the address, whose port is known then.
  static func open(
    _ address: SocketAddress,
    count: Int,
    backlog: Int32
  ) throws(ServerError) -> (descriptors: [Int32], address: SocketAddress) {
    // Sharing the port would let two servers run beside one another by mistake: the first attempt doesn't share.
    if address.port != 0 { Socket.close(try bind(address, isShared: false)) }
    var address = address
    var descriptors: [Int32] = []
    do throws(ServerError) {
      for _ in 0..<max(count, 1) {
        let descriptor = try bind(address, isShared: true)
        descriptors.append(descriptor)
        guard listen(descriptor, backlog) == 0 else { throw ServerError("listen on \(address)", code: errno) }
        address = localAddress(descriptor) ?? address
      }
    } catch {
      descriptors.forEach(Socket.close)
      throw error
    }
    return (descriptors, address)
  }

  private static func bind(_ address: SocketAddress, isShared: Bool) throws(ServerError) -> Int32 {
    let descriptor = Socket.open(address.isIPv4 ? AF_INET : AF_INET6)
    guard descriptor >= 0 else { throw ServerError("open a socket", code: errno) }
    Socket.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if isShared { Socket.setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    // Accepted connections inherit it.
    Socket.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    Socket.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, Listener.unsentLimit)
    if address.withSystemAddress({ systemBind(descriptor, $0, $1) }) != 0 {
      let code = errno
      Socket.close(descriptor)
      throw ServerError("bind \(address)", code: code)
    }
    return descriptor
  }

  private static func localAddress(_ descriptor: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage) : nil
  }
}

private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  bind(descriptor, address, length)
}
