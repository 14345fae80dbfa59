internal import Dispatch

/// Deadlines, of which thousands may come together: those of polls that began together, or that a drain ends.
extension EventLoop {
  /// Connections whose time is over that are looked at before other connections get their turn again.
  private static let dueSlice = 128

  /// Looks at the next connections whose time is over.
  func expireDeadlines() {
    if clock.now >= acceptAgain { resumeAccepting() }
    if let next = wheel.nextExpiry, next <= clock.now { wheel.expire(now: clock.now, into: &due) }
    let end = min(dueIndex + EventLoop.dueSlice, due.count)
    while dueIndex < end {
      let slot = due[dueIndex]
      dueIndex += 1
      // Another one may be in its place by now, whose deadline tells that its time is not over.
      guard let connection = connections[Int(slot)] else { continue }
      perform(dueAction(of: connection), connection)
      if connection.machine.phase != .closed { wheel.schedule(slot, at: connection.machine.deadline) }
    }
    guard dueIndex == due.count else { return }
    due.removeAll(keepingCapacity: due.count < 4096)
    dueIndex = 0
  }

  private func dueAction(of connection: Connection) -> ConnectionStateMachine.Action {
    // A drain ends all waits.
    if isDraining, case .waiting = connection.machine.phase { return .timeOut }
    return connection.machine.deadlineReached(now: clock.now, shared.timeouts)
  }

  /// Sets the timer for the next deadline, if it isn't set for an earlier time.
  func setTimer() {
    let next = min(wheel.nextExpiry ?? Int.max, acceptAgain)
    guard next < timerDeadline else { return }
    timerDeadline = next
    timer?.schedule(deadline: .now() + .milliseconds(max(next - clock.now, 1)), leeway: .milliseconds(5))
  }
}
