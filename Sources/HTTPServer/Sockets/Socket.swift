import CEventPoll
import Glibc

/// The system calls on sockets, with results in place of errno.
enum Socket {
  /// The outcome of reading or writing.
  enum Outcome: Equatable {
    case transferred(Int)
    case wouldBlock
    case failed
  }

  /// The outcome of accepting.
  enum Accepted {
    case connection(Int32, SocketAddress)
    /// Nobody is waiting.
    case none
    /// The client that was waiting has gone.
    case gone
    /// The process or the system has no descriptor or memory left.
    case exhausted(Int32)
  }

  /// No SIGPIPE.
  private static let sendFlags = Int32(MSG_NOSIGNAL)

  /// Takes the next connection: non-blocking, and closed in programs that this one starts.
  static func accept(_ listener: Int32) -> Accepted {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let descriptor = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { cpoll_accept(listener, $0, &length) }
    }
    if descriptor >= 0 { return .connection(descriptor, SocketAddress(storage)) }
    switch errno {
    case EAGAIN, EWOULDBLOCK: return .none
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(errno)
    default: return .gone
    }
  }

  static func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count >= 0 { return .transferred(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      default: return .failed
      }
    }
  }

  static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Outcome {
    while true {
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
      if count >= 0 { return .transferred(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      default: return .failed
      }
    }
  }

  /// Sends two buffers by one call: a head and the body that many share.
  static func send(_ descriptor: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Outcome {
    var vectors = (
      iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
      iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
    )
    return withUnsafeMutablePointer(to: &vectors) { pointer in
      pointer.withMemoryRebound(to: iovec.self, capacity: 2) { vectors in
        var message = msghdr()
        message.msg_iov = vectors
        message.msg_iovlen = 2
        while true {
          let count = sendmsg(descriptor, &message, sendFlags)
          if count >= 0 { return .transferred(count) }
          switch errno {
          case EINTR: continue
          case EAGAIN, EWOULDBLOCK: return .wouldBlock
          default: return .failed
          }
        }
      }
    }
  }

  static func shutWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  /// A stream socket, non-blocking and closed in programs that this one starts; negative where there is none.
  static func open(_ family: Int32) -> Int32 {
    let flags = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    return socket(family, Int32(flags), 0)
  }

  @discardableResult
  static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
    var value = value
    return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
  }
}
