internal import CEventPoll
internal import Dispatch

extension EventLoop {
  /// Woken waiters that are answered before other connections get their turn again.
  private static let wakeSlice = 128
  /// Milliseconds that the loop waits for the next event itself before it rests. Being woken by Dispatch costs two
  /// more switches of threads, so a loop that has something to do stays awake, and one that has not uses nothing.
  private static let patience = 10
  /// Nanoseconds that the kernel lets a loop go on beside threads that wait, the shortest that it takes: what a loop does
  /// takes less, and other threads, of the kernel's usual slices, don't keep it waiting to the end of theirs, which is some 3 ms.
  /// The loop's share of the processor stays what it is.
  private static let slice: UInt64 = 100_000

  /// Begins to serve. On the caller's thread, before anything else is.
  func start() {
    let source = DispatchSource.makeReadSource(fileDescriptor: poll.descriptor, queue: queue)
    source.setEventHandler { self.run() }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler {
      self.timerDeadline = Int.max
      self.run()
    }
    timer.schedule(deadline: .distantFuture)
    queue.sync {
      self.source = source
      self.timer = timer
      resumeAccepting()
    }
    source.activate()
    timer.activate()
  }

  /// Handles what there is to handle, until there is nothing. On the queue.
  func run() {
    guard !isStopped else { return }
    // The thread is Dispatch's, and does other work when the loop rests.
    _ = cpoll_slices(EventLoop.slice)
    defer { _ = cpoll_slices(0) }
    tick()
    while turn() || (!isStopped && !mailbox.beginResting(withoutWaiters: topics.isEmpty)) {
      if isDraining { reportIfEmpty() }
    }
    if isDraining { reportIfEmpty() }
    setTimer()
  }

  /// One look at everything. True if there was something to do, or there is more.
  private func turn() -> Bool {
    let messages = mailbox.take()
    for message in messages { receive(message) }
    if isStopped { return false }
    let count = poll.wait(timeout: timeToWait)
    mailbox.endPolling()
    tick()
    for index in 0..<count {
      guard let event = poll.event(index) else { continue }
      handle(event)
    }
    resumeReading()
    answerWoken(EventLoop.wakeSlice)
    expireDeadlines()
    return !isStopped && (count > 0 || !messages.isEmpty || !woken.isEmpty || !resumable.isEmpty)
  }

  private func tick() {
    clock.update()
    encoder.date.update(clock.second)
  }

  /// Milliseconds to wait for events: none where there is something to do, and no longer than to the next deadline.
  private var timeToWait: Int32 {
    guard woken.isEmpty, resumable.isEmpty, !isDraining, mailbox.beginPolling(withoutWaiters: topics.isEmpty) else {
      return 0
    }
    let next = min(wheel.nextExpiry ?? Int.max, acceptAgain)
    return Int32(truncatingIfNeeded: min(max(next - clock.now, 0), EventLoop.patience))
  }

  private func handle(_ event: PollEvent) {
    let slot = Int32(truncatingIfNeeded: event.token & 0xffff_ffff)
    if slot == listener, event.token >> 32 == 0 {
      accept()
      return
    }
    guard Int(slot) < connections.count, let connection = connections[Int(slot)],
      UInt64(connection.generation) == event.token >> 32
    else { return }
    if event.isBroken {
      close(connection)
      return
    }
    if event.isReadable || event.isFinished { connection.mayHaveInput = true }
    if event.isWritable, !connection.output.isEmpty { writeQueued(connection) }
    if connection.mayHaveInput { read(connection, untilEnd: event.isFinished) }
    // While a request is in hand, the input is not read to its end, and this event does not come again.
    if event.isFinished, connection.machine.hasRequest { perform(connection.machine.peerFinished(), connection) }
  }

  private func receive(_ message: LoopMessage) {
    switch message {
    case .wake(let topics): wake(topics)
    case .finish(let slot, let exchange, let reply): finishLater(slot, exchange, reply)
    case .send(let slot, let exchange, let pieces):
      if let connection = connection(slot, exchange: exchange) { stream(connection, pieces) }
    case .end(let slot, let exchange):
      if let connection = connection(slot, exchange: exchange) { endStream(connection) }
    case .allow(let policy): encoder.crossOrigin = policy
    case .drain: drain()
    case .abort: abort()
    }
  }

  private func expireDeadlines() {
    if clock.now >= acceptAgain { resumeAccepting() }
    guard let next = wheel.nextExpiry, next <= clock.now else { return }
    var due: [Int32] = []
    wheel.expire(now: clock.now, into: &due)
    for slot in due {
      guard let connection = connections[Int(slot)] else { continue }
      perform(connection.machine.deadlineReached(now: clock.now, shared.timeouts), connection)
      if connection.machine.phase != .closed { wheel.schedule(slot, at: connection.machine.deadline) }
    }
  }

  /// Sets the timer for the next deadline, if it isn't set for an earlier time.
  private func setTimer() {
    let next = min(wheel.nextExpiry ?? Int.max, acceptAgain)
    guard next < timerDeadline else { return }
    timerDeadline = next
    timer?.schedule(deadline: .now() + .milliseconds(max(next - clock.now, 1)), leeway: .milliseconds(5))
  }
}
