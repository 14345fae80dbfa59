#if canImport(Darwin)
import Darwin

extension Socket {
  /// SIGPIPE is switched off for each socket.
  static let sendFlags: Int32 = 0

  static func acceptNonblocking(
    _ listener: Int32,
    _ address: UnsafeMutablePointer<sockaddr>,
    _ length: inout socklen_t
  ) -> Int32 {
    let descriptor = Darwin.accept(listener, address, &length)
    guard descriptor >= 0 else { return descriptor }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    return descriptor
  }

  static func transmit(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Darwin.send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
  }

  static func close(_ descriptor: Int32) { _ = Darwin.close(descriptor) }

  static func open(_ family: Int32) -> Int32 {
    let descriptor = socket(family, SOCK_STREAM, 0)
    if descriptor >= 0 {
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    return descriptor
  }
}
#else
import CEventPoll
import Glibc

extension Socket {
  /// No SIGPIPE.
  static let sendFlags = Int32(MSG_NOSIGNAL)

  static func acceptNonblocking(
    _ listener: Int32,
    _ address: UnsafeMutablePointer<sockaddr>,
    _ length: inout socklen_t
  ) -> Int32 {
    cpoll_accept(listener, address, &length)
  }

  static func transmit(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Glibc.send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
  }

  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  static func open(_ family: Int32) -> Int32 {
    let flags = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    return socket(family, Int32(flags), 0)
  }
}
#endif

extension Socket {
  @discardableResult
  static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
    var value = value
    return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
  }
}
