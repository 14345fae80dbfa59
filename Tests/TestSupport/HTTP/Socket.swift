package import Foundation

/// A blocking TCP socket on loopback, which reads into a buffer and gives up at a deadline.
package final class Socket {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// The other end has said that nothing more comes, after so many bytes that nobody has read.
  package struct Ended: Error {
    package var unread = 0
    package init(unread: Int = 0) { self.unread = unread }
  }

  package init(accepted descriptor: Int32) { self.descriptor = descriptor }

  package init(port: UInt16, host: Int = 1) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let result = withLoopback(port, host: host) { connect(descriptor, $0, $1) }
    guard result == 0 else { throw Ended() }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  package func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Ended() }
      rest = rest.dropFirst(count)
    }
  }

  /// Says that nothing more comes from here.
  package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Has the connection end with a reset when this is gone.
  package func endByReset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// The bytes up to a pattern, which is taken out too.
  package func read(upTo pattern: String, before deadline: Date, _ awaited: String) throws -> [UInt8] {
    let pattern = Array(pattern.utf8)
    while true {
      if let start = buffer.firstRange(of: pattern)?.lowerBound {
        defer { buffer.removeFirst(start + pattern.count) }
        return Array(buffer[..<start])
      }
      try fill(deadline, awaited)
    }
  }

  package func read(count: Int, before deadline: Date, _ awaited: String) throws -> [UInt8] {
    while buffer.count < count { try fill(deadline, awaited) }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  /// All that comes until the other end says that nothing more does.
  package func readToEnd(before deadline: Date, _ awaited: String) throws -> [UInt8] {
    do {
      while true { try fill(deadline, awaited) }
    } catch is Ended {
      defer { buffer = [] }
      return buffer
    }
  }

  private func fill(_ deadline: Date, _ awaited: String) throws {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let patience = Int32(max(0, min(deadline.timeIntervalSinceNow, 600) * 1000))
    guard poll(&entry, 1, patience) > 0 else { throw TimeOut(awaited) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { throw Ended(unread: buffer.count) }
    buffer += bytes[..<count]
  }
}

/// Calls `body` with the address of a port on loopback.
package func withLoopback<Result>(
  _ port: UInt16,
  host: Int = 1,
  _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = (0x7f00_0000 | UInt32(truncatingIfNeeded: host & 0xff)).bigEndian
  return withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
}
