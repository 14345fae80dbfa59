internal import CCurl
internal import Dispatch

/// libcurl's multi interface, driven by events: no thread waits for a transfer.
///
/// `@unchecked Sendable`: everything is touched on `queue` alone; libcurl calls back only from within calls that
/// are made there.
final class CurlMulti: @unchecked Sendable {
  private let queue: DispatchQueue
  private let multi: UnsafeMutableRawPointer
  private let poll: SocketPoll
  private let readiness: any DispatchSourceRead
  private let timer: any DispatchSourceTimer
  /// A zero time-out was asked for and waits in the queue.
  private var isDrivePending = false
  /// Called for each handle that is through, after it was removed.
  private var onCompletion: (UnsafeMutableRawPointer, CURLcode) -> Void = { _, _ in }

  /// - Parameter connections: how many idle connections are kept.
  /// - Returns: nil where the system has no descriptors or memory left.
  init?(queue: DispatchQueue, connections: Int) {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let multi = curl_multi_init() else { return nil }
    guard let poll = SocketPoll() else {
      curl_multi_cleanup(multi)
      return nil
    }
    self.queue = queue
    self.multi = multi
    self.poll = poll
    readiness = DispatchSource.makeReadSource(fileDescriptor: poll.descriptor, queue: queue)
    timer = DispatchSource.makeTimerSource(queue: queue)
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
    ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, Unmanaged.passUnretained(self).toOpaque())
    ccurl_multi_set_socket(multi) { _, socket, what, context, _ in
      guard let context else { return 0 }
      Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
      return 0
    }
    ccurl_multi_set_timer(multi) { _, milliseconds, context in
      guard let context else { return 0 }
      Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().wake(afterMilliseconds: milliseconds)
      return 0
    }
    readiness.setEventHandler { [weak self] in self?.socketsAreReady() }
    timer.setEventHandler { [weak self] in self?.drive(CURL_SOCKET_TIMEOUT, 0) }
    timer.schedule(deadline: .distantFuture)
    // The descriptor outlives its source, as libdispatch demands.
    readiness.setCancelHandler { poll.close() }
    readiness.activate()
    timer.activate()
  }

  deinit {
    timer.cancel()
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, nil)
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, nil)
    curl_multi_cleanup(multi)
    readiness.cancel()
  }

  func onCompletion(_ body: @escaping (UnsafeMutableRawPointer, CURLcode) -> Void) { onCompletion = body }

  /// - Returns: false where libcurl has no memory for it.
  func add(_ easy: UnsafeMutableRawPointer) -> Bool {
    dispatchPrecondition(condition: .onQueue(queue))
    return curl_multi_add_handle(multi, easy) == CURLM_OK
  }

  /// Its connection is closed unless the transfer was through.
  func remove(_ easy: UnsafeMutableRawPointer) {
    dispatchPrecondition(condition: .onQueue(queue))
    curl_multi_remove_handle(multi, easy)
  }

  private func watch(_ socket: curl_socket_t, _ what: Int32) {
    switch what {
    case CURL_POLL_REMOVE: poll.forget(socket)
    default: poll.watch(socket, for: SocketPoll.Interest(rawValue: what & CURL_POLL_INOUT))
    }
  }

  /// libcurl may not be called from within its callback: zero comes back by the queue, without a timer's cost.
  private func wake(afterMilliseconds milliseconds: Int) {
    if milliseconds < 0 {
      timer.schedule(deadline: .distantFuture)
    } else if milliseconds > 0 {
      timer.schedule(deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(1))
    } else if !isDrivePending {
      isDrivePending = true
      queue.async { [weak self] in
        guard let self else { return }
        isDrivePending = false
        drive(CURL_SOCKET_TIMEOUT, 0)
      }
    }
  }

  private func socketsAreReady() {
    for event in poll.ready() {
      var running: Int32 = 0
      curl_multi_socket_action(multi, event.socket, event.mask, &running)
    }
    collect()
  }

  private func drive(_ socket: curl_socket_t, _ mask: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, mask, &running)
    collect()
  }

  private func collect() {
    var left: Int32 = 0
    var completed: [(UnsafeMutableRawPointer, CURLcode)] = []
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      completed.append((easy, ccurl_message_result(message)))
    }
    for (easy, result) in completed {
      onCompletion(easy, result)
    }
  }
}
