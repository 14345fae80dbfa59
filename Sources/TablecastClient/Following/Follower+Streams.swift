extension Follower {
  /// After so many streams in a row by which nothing came, a table is polled: a proxy that buffers lets polls through.
  private static var patience: Int { 2 }

  /// Whether a table is followed by a stream.
  func isStreamed(_ table: FollowedTable) -> Bool { table.hasStream && mayStream(table) }

  /// Not one that something between keeps from coming through.
  private func mayStream(_ table: FollowedTable) -> Bool {
    settings.usesStreams && table.silentStreams < Self.patience && !polledBySlots(table) && table.isActive
      && table.refusal == nil && !isPaused(table)
  }

  /// Gives the streams that are left to tables without one. A table keeps its stream as long as it is followed.
  mutating func allotStreams() {
    guard settings.usesStreams else { return }
    var left = settings.mostStreams
    for (address, table) in tables where table.hasStream {
      if mayStream(table) { left -= 1 } else { tables[address]?.hasStream = false }
    }
    let others = tables.values.filter { !$0.hasStream && mayStream($0) }.map(\.address)
    for address in others.sorted(by: { $0.segment < $1.segment }).prefix(max(0, left)) {
      tables[address]?.hasStream = true
    }
  }

  /// Opens a stream: after a poll has shown that the service is there, and where the table stands.
  mutating func beginStream(
    of table: FollowedTable,
    from cursor: TableCursor,
    _ asks: [TableAddress: PollLane.Ask],
    now: Double
  ) -> PollLane.Outstanding {
    lastRequest += 1
    let lens = table.address.view.map { ["view=\(percentEncoded($0))"] } ?? []
    let query = (lens + (table.search?.queryItems ?? [])).joined(separator: "&")
    let target = "\(table.address.path)/stream\(query.isEmpty ? "" : "?\(query)")"
    let timeout = settings.streamSilence
    actions.append(.stream(lastRequest, target: target, after: cursor, timeout: timeout))
    return PollLane.Outstanding(
      id: lastRequest,
      asks: asks,
      pairs: [PollLane.Pair(address: table.address)],
      wait: settings.wait,
      sentAt: now,
      deadline: now + timeout,
      isMultiple: false,
      isStream: true
    )
  }

  private func streamLane(_ id: Int) -> PollLane.ID? {
    lanes.first { $0.value.outstanding?.id == id && $0.value.outstanding?.isStream == true }?.key
  }

  mutating func streamOpened(_ id: Int, now: Double) {
    guard let lane = streamLane(id) else { return }
    lanes[lane]?.outstanding?.deadline = now + settings.streamSilence
    for address in lanes[lane]?.outstanding?.asks.keys.map(\.self) ?? [] { show(address, .live) }
  }

  /// Something came, be it a comment: the stream gets through.
  mutating func streamAlive(_ id: Int, now: Double) {
    guard let lane = streamLane(id) else { return }
    lanes[lane]?.outstanding?.deadline = now + settings.streamSilence
    lanes[lane]?.outstanding?.isAlive = true
    lanes[lane]?.succeed(now: now, waited: true, hasNews: false)
    for address in lanes[lane]?.outstanding?.asks.keys.map(\.self) ?? [] { tables[address]?.silentStreams = 0 }
  }

  /// One object of the service's, as a poll would have brought it.
  mutating func streamEvent(_ id: Int, _ data: [UInt8], now: Double) {
    guard let lane = streamLane(id), let outstanding = lanes[lane]?.outstanding else { return }
    var progress = Progress()
    if let reply = try? TableReply.read(data).first {
      take(reply, to: outstanding, in: lane, &progress, now: now)
    } else {
      progress.isIllegal = true
    }
    guard !progress.isIllegal else {
      actions.append(.cancel(id))
      fail(id, now: now)
      return askWhole(outstanding, after: lane)
    }
    for address in outstanding.asks.keys {
      guard let table = tables[address] else { continue }
      lanes[lane]?.outstanding?.asks[address]?.cursor = table.cursor
      tables[address]?.asksForWindow = false
      if table.refusal == nil, table.isActive, !isPaused(table) { show(address, .live) }
      remember(address)
      confirm(address, by: id, isWhole: progress.wholes.contains(address))
    }
  }

  mutating func noteSilentStream(_ outstanding: PollLane.Outstanding) {
    for address in outstanding.asks.keys { tables[address]?.silentStreams += 1 }
  }
}
