internal import CCurl
internal import Glibc

/// All of libcurl's sockets behind one descriptor of epoll, which one DispatchSource watches.
///
/// A DispatchSource for each socket would have to be cancelled before libcurl closes the descriptor, and
/// libcurl does not wait: a descriptor that is reused meanwhile never fires again
/// (swift-corelibs-libdispatch #833). Closed descriptors leave epoll by themselves.
struct SocketPoll {
  struct Interest: OptionSet {
    var rawValue: Int32
    static let read = Interest(rawValue: CURL_POLL_IN)
    static let write = Interest(rawValue: CURL_POLL_OUT)
  }

  struct Event {
    var socket: curl_socket_t
    /// `CURL_CSELECT_IN`, `_OUT`, `_ERR`.
    var mask: Int32
  }

  /// Readable whenever one of the sockets is ready.
  let descriptor: Int32

  func close() { _ = Glibc.close(descriptor) }

  init?() {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { return nil }
  }

  func watch(_ socket: curl_socket_t, for interest: Interest) {
    var event = epoll_event()
    event.data.fd = socket
    if interest.contains(.read) { event.events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
    if interest.contains(.write) { event.events |= EPOLLOUT.rawValue }
    // libcurl's word for "new" is not the kernel's: a descriptor may have been closed and reused in between.
    if epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event) != 0, errno == ENOENT {
      _ = epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event)
    }
  }

  func forget(_ socket: curl_socket_t) {
    var event = epoll_event()
    _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, socket, &event)
  }

  /// Returns the events that are ready now, at most 64; never waits.
  func ready() -> [Event] {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { buffer in
      let count = epoll_wait(descriptor, buffer.baseAddress, 64, 0)
      guard count > 0 else { return [] }
      return buffer[..<Int(count)].map { event in
        var mask: Int32 = 0
        if event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_IN }
        if event.events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
        if event.events & EPOLLERR.rawValue != 0 { mask |= CURL_CSELECT_ERR }
        return Event(socket: event.data.fd, mask: mask)
      }
    }
  }
}
