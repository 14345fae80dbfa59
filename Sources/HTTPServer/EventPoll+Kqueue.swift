#if canImport(Darwin)
import Darwin

/// Wakes a loop that waits for events.
struct PollInterruptor: Sendable {
  let descriptor: Int32

  /// Makes a wait return, or the next one. From any thread.
  func interrupt() {
    var change = kevent(
      ident: UInt(bitPattern: -1),
      filter: Int16(EVFILT_USER),
      flags: 0,
      fflags: UInt32(NOTE_TRIGGER),
      data: 0,
      udata: nil
    )
    _ = kevent(descriptor, &change, 1, nil, 0, nil)
  }
}

/// `EventPolling` by Darwin's kqueue.
struct EventPoll: EventPolling {
  private static let capacity = 256

  let descriptor: Int32
  private var events = [kevent](repeating: kevent(), count: EventPoll.capacity)

  init() throws(ServerError) {
    descriptor = kqueue()
    guard descriptor >= 0 else { throw ServerError("create a kernel queue", code: errno) }
    _ = change(UInt(bitPattern: -1), Int16(EVFILT_USER), UInt16(EV_ADD | EV_CLEAR), token: 0)
  }

  func add(connection: Int32, token: UInt64) -> Bool {
    change(UInt(connection), Int16(EVFILT_READ), UInt16(EV_ADD | EV_CLEAR), token: token)
  }

  func addWriting(connection: Int32, token: UInt64) -> Bool {
    change(UInt(connection), Int16(EVFILT_WRITE), UInt16(EV_ADD | EV_CLEAR), token: token)
  }

  func add(listener: Int32, token: UInt64) -> Bool {
    change(UInt(listener), Int16(EVFILT_READ), UInt16(EV_ADD), token: token)
  }

  func remove(listener: Int32) { _ = change(UInt(listener), Int16(EVFILT_READ), UInt16(EV_DELETE), token: 0) }

  var interruptor: PollInterruptor { PollInterruptor(descriptor: descriptor) }

  mutating func wait(timeout: Int32) -> Int {
    var limit = timespec(tv_sec: Int(timeout) / 1000, tv_nsec: Int(timeout) % 1000 * 1_000_000)
    let count = kevent(descriptor, nil, 0, &events, Int32(EventPoll.capacity), &limit)
    return count > 0 ? Int(count) : 0
  }

  func event(_ index: Int) -> PollEvent? {
    let event = events[index]
    if event.filter == Int16(EVFILT_USER) { return nil }
    let isRead = event.filter == Int16(EVFILT_READ)
    let hasEnded = event.flags & UInt16(EV_EOF) != 0
    return PollEvent(
      token: UInt64(UInt(bitPattern: event.udata)),
      isReadable: isRead,
      isWritable: !isRead,
      isFinished: isRead && hasEnded,
      // The write side ends when the peer can't take anything any more; `fflags` has the socket's error.
      isBroken: hasEnded && (!isRead || event.fflags != 0)
    )
  }

  func close() { _ = Darwin.close(descriptor) }

  private func change(
    _ identifier: UInt,
    _ filter: Int16,
    _ flags: UInt16,
    token: UInt64
  ) -> Bool {
    var change = kevent(
      ident: identifier,
      filter: filter,
      flags: flags,
      fflags: 0,
      data: 0,
      udata: UnsafeMutableRawPointer(bitPattern: UInt(token))
    )
    return kevent(descriptor, &change, 1, nil, 0, nil) == 0
  }
}
#endif
