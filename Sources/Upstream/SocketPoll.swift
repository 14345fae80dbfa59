internal import CCurl

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// All of libcurl's sockets behind one descriptor (epoll, kqueue on Darwin), which one DispatchSource watches.
///
/// A DispatchSource for each socket would have to be cancelled before libcurl closes the descriptor, and
/// libcurl does not wait: a descriptor that is reused meanwhile never fires again
/// (swift-corelibs-libdispatch #833). Closed descriptors leave epoll and kqueue by themselves.
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

  func close() {
    #if canImport(Glibc)
    Glibc.close(descriptor)
    #elseif canImport(Darwin)
    Darwin.close(descriptor)
    #endif
  }
}

#if os(Linux)
extension SocketPoll {
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

  /// What is ready now, at most 64 events; never waits.
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
#else
extension SocketPoll {
  init?() {
    descriptor = kqueue()
    guard descriptor >= 0 else { return nil }
  }

  func watch(_ socket: curl_socket_t, for interest: Interest) {
    set(socket, EVFILT_READ, interest.contains(.read))
    set(socket, EVFILT_WRITE, interest.contains(.write))
  }

  func forget(_ socket: curl_socket_t) {
    set(socket, EVFILT_READ, false)
    set(socket, EVFILT_WRITE, false)
  }

  private func set(_ socket: curl_socket_t, _ filter: Int32, _ isOn: Bool) {
    var change = kevent(
      ident: UInt(socket),
      filter: Int16(filter),
      flags: UInt16(isOn ? EV_ADD : EV_DELETE),
      fflags: 0,
      data: 0,
      udata: nil
    )
    _ = kevent(descriptor, &change, 1, nil, 0, nil)
  }

  /// What is ready now, at most 64 events; never waits.
  func ready() -> [Event] {
    withUnsafeTemporaryAllocation(of: Darwin.kevent.self, capacity: 64) { buffer in
      var now = timespec()
      let count = kevent(descriptor, nil, 0, buffer.baseAddress, 64, &now)
      guard count > 0 else { return [] }
      return buffer[..<Int(count)].map { event in
        let isRead = Int32(event.filter) == EVFILT_READ
        return Event(socket: curl_socket_t(event.ident), mask: isRead ? CURL_CSELECT_IN : CURL_CSELECT_OUT)
      }
    }
  }
}
#endif
