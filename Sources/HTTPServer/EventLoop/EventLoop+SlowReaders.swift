import Synchronization

/// Giving up those who do not take what they asked for, before it takes the memory of all.
///
/// Where that is too much, the loop on which the most waits has to make room: readers of the others have not caused it.
extension EventLoop {
  /// Milliseconds without taking anything after which a client is no reader.
  private static let stall = 1000

  /// Counts what a connection's client has not taken. Where that is too much in all, every loop gives up its own who have
  /// taken nothing for a while, and the one that holds the most those who have taken nothing for the longest time; the
  /// connection in hand last, and only where others' output waits, too.
  func holdOutput(of connection: Connection) {
    connection.output.hold(in: shared.output, on: index)
    let total = shared.output.total
    guard total > shared.output.comfortable else { return }
    // Perhaps nothing comes any more that would have them looked for.
    stallsDue = min(stallsDue, clock.now + EventLoop.stall)
    guard total > shared.output.limit || isTimeToSeekStalls else { return }
    askOthersToGiveUp()
    giveUpReaders(lastly: connection)
  }

  /// Looks again for those who take nothing, until no more waits than is comfortable.
  func seekStalls() {
    stallsDue = Int.max
    guard shared.output.total > shared.output.comfortable else { return }
    stallsDue = clock.now + EventLoop.stall / 2
    askOthersToGiveUp()
    giveUpReaders(lastly: nil)
  }

  /// Another loop has found that too much waits.
  func giveUpReadersForOthers() {
    isAskedToGiveUp.store(false, ordering: .releasing)
    giveUpReaders(lastly: nil)
  }

  private func askOthersToGiveUp() {
    for loop in shared.loops(besides: self)
    where !loop.isAskedToGiveUp.exchange(true, ordering: .acquiringAndReleasing) { loop.post(.giveUpReaders) }
  }

  /// All connections are looked at for that: not by each write as long as nobody has to go.
  private var isTimeToSeekStalls: Bool { clock.now >= stallsSought + EventLoop.stall / 10 }

  private func giveUpReaders(lastly connection: Connection?) {
    let (budget, index) = (shared.output, index)
    let isTooMuch = budget.isTooMuch(on: index)
    guard isTooMuch || isTimeToSeekStalls else { return }
    stallsSought = clock.now
    let stalled = clock.now + shared.timeouts.write - EventLoop.stall
    // Mostly nobody has stalled, and there is nothing to be put in order.
    let waiting = connections.lazy.compactMap { $0 }.filter {
      $0.machine.hasOutput && $0 !== connection && (isTooMuch || $0.machine.patience <= stalled)
    }
    var hasMadeRoom = false
    for other in waiting.sorted(by: { $0.machine.patience < $1.machine.patience }) {
      // The only client with something waiting takes no room from anybody.
      guard budget.total > budget.comfortable, budget.total > other.output.size,
        budget.isTooMuch(on: index) || other.machine.patience <= stalled
      else { break }
      perform(.cutOff, other)
      hasMadeRoom = true
    }
    if let connection, budget.isTooMuch(on: index), budget.total > connection.output.size {
      perform(.cutOff, connection)
      hasMadeRoom = true
    }
    // Another loop may hold the most by now.
    if hasMadeRoom, budget.total > budget.limit { askOthersToGiveUp() }
  }
}
