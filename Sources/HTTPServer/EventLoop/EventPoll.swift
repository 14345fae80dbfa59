import CEventPoll
import Glibc

/// Wakes a loop that waits for events.
struct PollInterruptor: Sendable {
  let descriptor: Int32

  /// Makes a wait return, or the next one. From any thread.
  func interrupt() { _ = eventfd_write(descriptor, 1) }
}

/// The epoll descriptor that a loop waits with. Connections are watched for edges, so that an event that is not wanted
/// now need not be switched off; listeners for their level.
struct EventPoll {
  /// The bits of `struct epoll_event`, as numbers: Swift does not import the enumeration's operators.
  private struct Flags: OptionSet {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }
    init(_ flag: EPOLL_EVENTS) { rawValue = flag.rawValue }

    static let readable = Flags(EPOLLIN)
    static let writable = Flags(EPOLLOUT)
    static let finished = Flags(EPOLLRDHUP)
    static let hungUp = Flags(EPOLLHUP)
    static let failed = Flags(EPOLLERR)
    static let edge = Flags(rawValue: 1 << 31)
  }

  private static let capacity = 256
  private static let interruption = UInt64.max

  /// The descriptor to be watched: readable when there is an event.
  let descriptor: Int32
  /// The interruptor of the wait, apart from everything that only the loop may touch.
  let interruptor: PollInterruptor
  private var events = [epoll_event](repeating: epoll_event(), count: EventPoll.capacity)

  init() throws(ServerError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw ServerError("create an epoll descriptor", code: errno) }
    interruptor = PollInterruptor(descriptor: eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)))
    guard interruptor.descriptor >= 0 else {
      let code = errno
      _ = Glibc.close(descriptor)
      throw ServerError("create an event descriptor", code: code)
    }
    let flags: Flags = [.readable, .edge]
    _ = cpoll_control(descriptor, EPOLL_CTL_ADD, interruptor.descriptor, flags.rawValue, EventPoll.interruption)
  }

  /// Watches for input and for the peer's end.
  func add(connection: Int32, token: UInt64) -> Bool {
    let flags: Flags = [.readable, .finished, .edge]
    return cpoll_control(descriptor, EPOLL_CTL_ADD, connection, flags.rawValue, token) == 0
  }

  /// Watches a connection that was added for room to write, too.
  func addWriting(connection: Int32, token: UInt64) -> Bool {
    let flags: Flags = [.readable, .writable, .finished, .edge]
    return cpoll_control(descriptor, EPOLL_CTL_MOD, connection, flags.rawValue, token) == 0
  }

  func add(listener: Int32, token: UInt64) -> Bool {
    cpoll_control(descriptor, EPOLL_CTL_ADD, listener, Flags.readable.rawValue, token) == 0
  }

  func remove(listener: Int32) { _ = cpoll_control(descriptor, EPOLL_CTL_DEL, listener, 0, 0) }

  /// Waits for up to `timeout` milliseconds. Returns how many events there are.
  mutating func wait(timeout: Int32) -> Int {
    let count = epoll_wait(descriptor, &events, Int32(EventPoll.capacity), timeout)
    return count > 0 ? Int(count) : 0
  }

  /// The event at `index` of the last wait; nil where it was an interruption.
  func event(_ index: Int) -> PollEvent? {
    var event = events[index]
    let token = cpoll_event_token(&event)
    // Watched for edges: every write is an event, whether the ones before were read or not.
    if token == EventPoll.interruption { return nil }
    let flags = Flags(rawValue: cpoll_event_flags(&event))
    return PollEvent(
      token: token,
      isReadable: flags.contains(.readable),
      isWritable: flags.contains(.writable),
      isFinished: flags.contains(.finished),
      isBroken: !flags.isDisjoint(with: [.hungUp, .failed])
    )
  }

  func close() {
    _ = Glibc.close(interruptor.descriptor)
    _ = Glibc.close(descriptor)
  }
}
