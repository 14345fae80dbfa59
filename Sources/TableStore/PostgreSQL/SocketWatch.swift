import CPQ
import Dispatch
import Foundation

/// Tells when a socket of libpq's can be read or written, or its peer is gone.
///
/// The socket stands in an epoll descriptor of its own, which one DispatchSource watches: libpq closes its sockets
/// whenever it likes, and closed ones leave epoll by themselves, while a source must not outlive what it watches
/// (swift-corelibs-libdispatch #833).
final class SocketWatch {
  private let descriptor: Int32
  private let socket: Int32
  private let source: any DispatchSourceRead
  private var interest: UInt32 = 0

  /// Nil where there is no descriptor left.
  init?(_ socket: Int32, queue: DispatchQueue, handler: @escaping () -> Void) {
    let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    self.socket = socket
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler {
      var event = epoll_event()
      if epoll_wait(descriptor, &event, 1, 0) > 0 { handler() }
    }
    source.setCancelHandler { Foundation.close(descriptor) }
    source.activate()
  }

  deinit { cancel() }

  func awaitReading() { watch(EPOLLIN.rawValue | EPOLLRDHUP.rawValue) }
  func awaitWriting() { watch(interest | EPOLLOUT.rawValue) }
  func ignoreWriting() { watch(interest & ~EPOLLOUT.rawValue) }

  private func watch(_ events: UInt32) {
    guard events != interest else { return }
    var event = epoll_event()
    event.events = events
    _ = epoll_ctl(descriptor, interest == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event)
    interest = events
  }

  /// True if the handler is about to be called (again).
  var isReady: Bool {
    var event = epoll_event()
    return epoll_wait(descriptor, &event, 1, 0) > 0
  }

  func cancel() { source.cancel() }
}
