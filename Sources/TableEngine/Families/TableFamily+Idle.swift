import Definitions
import Dispatch
import Queues
import Synchronization
import TableMapping

/// Members that nobody reads: no longer fetched after a while, then dropped.
extension TableFamily {
  func startSweeping() {
    contents.withLock { contents in
      let limits = contents.blueprint.definition.instances
      let shortest = min(limits.freezeAfter, limits.dropAfter)
      let seconds = Double(shortest.components.seconds) + Double(shortest.components.attoseconds) * 1e-18
      let isClaiming = context.replica.isShared && !contents.blueprint.definition.dependsOnCaller
      let interval = min(max(seconds / 4, 0.25), isClaiming ? Self.claimPeriod : .infinity)
      // A sweeper that is not due yet goes on: a configuration that is read again each second would put it off for ever.
      if let sweeper = contents.sweeper {
        guard sweeper.interval != interval else { return }
        sweeper.timer.cancel()
      }
      let timer = QueueTimer(on: context.background) { [weak self] in self?.sweep(at: .now) }
      timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
      contents.sweeper = (timer, interval)
    }
  }

  /// Freezing, too, happens under the lock.
  func sweep(at now: ContinuousClock.Instant) {
    let dropped = contents.withLock { contents in
      let sweep = contents.members.sweep(at: now) { $0.table.isWaitedFor }
      // Of the service's own items nobody would tell them again.
      let sharesRows = contents.blueprint.mapper.sharesRows && !contents.blueprint.upstreams.isEmpty
      for table in sweep.frozen.map(\.table) {
        table.freeze()
        let letsGo = sharesRows && !table.isPrivate && table.allTranslations.isEmpty
        if letsGo { table.writer.letGo() }
        for source in table.sources { source.pause(table, isForgetting: letsGo) }
      }
      return sweep.dropped
    }
    retire(dropped)
    claimAll()
  }

  func wakeAll() {
    for table in tables { table.wakeAll() }
  }

  /// The members' tables.
  var tables: [LiveTable] { contents.withLock { $0.members.members.values.map(\.instance.table) } }

  /// The configuration no longer has the family.
  ///
  /// - Parameter heir: the table that always lives and has its name now. Who waits for a member goes on there, or asks again: one
  ///   with parameters may be asked for by its name alone, where these have defaults, and otherwise is refused then.
  func removeAll(for heir: LiveTable?) {
    _ = stopSweeping()
    let tables = contents.withLock { contents in
      (contents.isRemoved, contents.heir) = (true, heir)
      return contents.members.members.keys.compactMap { contents.members.remove($0)?.table }
    }
    for table in tables {
      if let heir {
        table.retire(for: table.reference.parameters.isEmpty ? heir : nil)
      } else {
        for source in table.sources { source.end(table) }
        table.remove()
      }
      forget(table)
    }
  }

  func stopSources() {
    for table in stopSweeping() { for source in table.sources { source.stop() } }
  }

  /// - Returns: the members' tables.
  private func stopSweeping() -> [LiveTable] {
    let (timer, tables) = contents.withLock { contents in
      defer { contents.sweeper = nil }
      return (contents.sweeper?.timer, contents.members.members.values.map(\.instance.table))
    }
    timer?.cancel()
    return tables
  }
}
