extension Follower {
  /// Takes the reply to a request. One that was called off is not looked at.
  mutating func receive(_ id: Int, _ response: TransportResponse, now: Double) {
    guard let lane = lanes.first(where: { $0.value.outstanding?.id == id })?.key,
      let outstanding = lanes[lane]?.outstanding
    else { return }
    switch response.status {
    case 200 where outstanding.isStream: fail(id, retryAfter: retryAfter(response), now: now)
    case 200: read(response, to: outstanding, in: lane, now: now)
    case 408, 425, 429: fail(id, retryAfter: retryAfter(response), now: now)
    case 400..<500 where response.isProblem:
      lanes[lane]?.outstanding = nil
      refuse(Problem(response), outstanding, in: lane, now: now)
    case 400..<500: meet(response, outstanding, in: lane, now: now)
    default: fail(id, retryAfter: retryAfter(response), now: now)
    }
  }

  /// A request that brought nothing that can be used: it is made again after a while.
  mutating func fail(_ id: Int, retryAfter: Double? = nil, now: Double) {
    guard let lane = lanes.first(where: { $0.value.outstanding?.id == id })?.key,
      let outstanding = lanes[lane]?.outstanding
    else { return }
    lanes[lane]?.outstanding = nil
    lanes[lane]?.fail(now: now, retryAfter: retryAfter, random: &random)
    if outstanding.isStream, !outstanding.isAlive { noteSilentStream(outstanding) }
    for address in outstanding.asks.keys.sorted(by: { $0.segment < $1.segment }) {
      guard let table = tables[address], self.lane(of: table) == lane else { continue }
      show(address, .retrying)
    }
  }

  /// A 4xx that is not the service's: something on the way has answered. A login page says nothing of the tables; what
  /// takes no request for several tables may let through those that are asked for alone.
  private mutating func meet(
    _ response: TransportResponse,
    _ outstanding: PollLane.Outstanding,
    in lane: PollLane.ID,
    now: Double
  ) {
    let refusesSeveral = outstanding.isMultiple && ![401, 403, 407].contains(response.status)
    if refusesSeveral {
      lanes[lane]?.outstanding = nil
    } else {
      fail(outstanding.id, retryAfter: retryAfter(response), now: now)
    }
    for address in outstanding.asks.keys { tables[address]?.isSeparate = refusesSeveral }
  }

  /// A 4xx of the service's: it is about the table, where one was asked for; about something that this client can do without, else.
  private mutating func refuse(
    _ problem: Problem,
    _ outstanding: PollLane.Outstanding,
    in lane: PollLane.ID,
    now: Double
  ) {
    guard !outstanding.isMultiple else {
      for address in outstanding.asks.keys { tables[address]?.isSeparate = true }
      return
    }
    for (address, ask) in outstanding.asks {
      if refuseSearch(address, ask, problem) { continue }
      if ask.slot != nil, problem.status == 400 {
        tables[address]?.refusesSlots = true
      } else if ask.cursor != nil, problem.status == 400, tables[address]?.needsSnapshot == false {
        // A cursor that the service can't read: of another service at this address, or of a newer version of it.
        tables[address]?.needsSnapshot = true
      } else {
        refuse(address, problem)
      }
    }
  }

  private mutating func refuse(_ address: TableAddress, _ problem: Problem) {
    tables[address]?.refusal = problem
    tables[address]?.connection = .refused
    actions.append(.changed(address, .status))
    // A login that is over says nothing of the table: it is asked for again.
    guard problem.status != 401 else { return }
    giveUp(address)
  }

  private mutating func read(
    _ response: TransportResponse,
    to outstanding: PollLane.Outstanding,
    in lane: PollLane.ID,
    now: Double
  ) {
    guard let replies = try? TableReply.read(response.body, isMultiple: outstanding.isMultiple) else {
      return fail(outstanding.id, retryAfter: retryAfter(response), now: now)
    }
    var progress = Progress()
    for reply in replies { take(reply, to: outstanding, in: lane, &progress, now: now) }
    let waited = now - outstanding.sentAt
    let cameEarly = outstanding.wait > 0 && waited < min(outstanding.wait / 2, 1)
    let isWanting = !progress.isMade && cameEarly && !isNewSlot(outstanding)
    guard !progress.isIllegal, !isWanting else {
      fail(outstanding.id, retryAfter: retryAfter(response), now: now)
      return askWhole(outstanding, after: lane)
    }
    lanes[lane]?.outstanding = nil
    lanes[lane]?.succeed(
      now: now,
      waited: outstanding.wait > 0 && (progress.isMade || !cameEarly),
      hasNews: progress.hasNews
    )
    pace(lane, progress, now: now)
    for address in outstanding.asks.keys.sorted(by: { $0.segment < $1.segment }) {
      guard let table = tables[address], table.refusal == nil, !progress.failed.contains(address) else { continue }
      tables[address]?.isNewcomer = false
      // The window may have moved on meanwhile.
      if outstanding.asks[address]?.rows == table.windowAsk { tables[address]?.asksForWindow = false }
      if table.isActive, !isPaused(table) { show(address, .live) }
      remember(address)
      confirm(address, by: outstanding.id, isWhole: progress.wholes.contains(address))
    }
  }

  /// Tables that came in a way that can't be: each is asked for whole, after the delay of the poll that brought it.
  mutating func askWhole(_ outstanding: PollLane.Outstanding, after lane: PollLane.ID) {
    // The snapshot tells whether the service is there: the poll after it may wait.
    if !outstanding.isMultiple, outstanding.asks.keys.allSatisfy({ tables[$0]?.needsSnapshot == true }) {
      lanes[lane]?.isFresh = false
    }
    let failed = lanes[lane] ?? PollLane()
    for address in outstanding.asks.keys.sorted(by: { $0.segment < $1.segment }) {
      guard let table = tables[address], table.needsSnapshot, self.lane(of: table) == .alone(address) else { continue }
      lanes[.alone(address), default: PollLane()].postpone(like: failed)
      show(address, .retrying)
    }
  }

  /// What a reply brought.
  struct Progress {
    var isMade = false
    /// Rows, or a state, that the client did not have.
    var hasNews = false
    var isIllegal = false
    /// Tables that came whole.
    var wholes: Set<TableAddress> = []
    /// Tables that the service could not answer for now.
    var failed: Set<TableAddress> = []
  }

  /// Resets of a table one after the other come further and further apart: two services that take each other's place would
  /// otherwise be asked without end. Large tables come whole in several replies, each of them once.
  private mutating func pace(_ id: PollLane.ID, _ progress: Progress, now: Double) {
    let isAgain = lanes[id].map { !$0.wholes.isDisjoint(with: progress.wholes) } ?? false
    lanes[id]?.wholes = progress.wholes
    guard isAgain else {
      lanes[id]?.resets = progress.wholes.isEmpty ? 0 : 1
      return
    }
    let resets = lanes[id].map(\.resets) ?? 0
    lanes[id]?.resets = resets + 1
    lanes[id]?.retryAt = now + min(2, 0.2 * Double(1 << min(resets, 10)))
  }

  /// The reply to `slot=0` names the slot that is under way; one that is asked for again and again has no end.
  private mutating func isNewSlot(_ outstanding: PollLane.Outstanding) -> Bool {
    for (address, ask) in outstanding.asks {
      guard ask.slot != nil, let table = tables[address] else { return false }
      return table.emptySlots < 2
    }
    return false
  }

  mutating func take(
    _ reply: TableReply,
    to outstanding: PollLane.Outstanding,
    in lane: PollLane.ID,
    _ progress: inout Progress,
    now: Double
  ) {
    guard let address = address(of: reply, in: outstanding), let table = tables[address],
      let ask = outstanding.asks[address]
    else {
      // Of something that knows no lenses, perhaps: those tables are asked for alone.
      for pair in outstanding.pairs where !pair.lens.isEmpty { tables[pair.address]?.isSeparate = true }
      return progress.isIllegal = true
    }
    // The table has moved on by another request meanwhile.
    guard table.cursor == ask.cursor else { return progress.isMade = true }
    do {
      switch reply.outcome {
      case .malformed(let error): throw error
      case .problem(let problem):
        // The answer to one table is a problem document.
        guard outstanding.isMultiple, (400..<600).contains(problem.status) else {
          throw MalformedReply("a problem where there can be none")
        }
        let hasLens = outstanding.pairs.contains { $0.address == address && !$0.lens.isEmpty }
        take(problem, for: address, hasLens: hasLens, &progress, now: now)
      case .stages(let stages, let from, let to):
        guard from == ask.cursor else { throw MalformedReply("the reply of another cursor") }
        try tables[address]?.mirror?.apply(stages, to: to)
        let isFound = found(address, by: ask)
        if from != to || !stages.isEmpty || isFound {
          tables[address]?.connection = .live
          let moves = stages.contains { !$0.isEmpty }
          progress.hasNews = progress.hasNews || moves
          progress.isMade = progress.isMade || moves || outstanding.wait == 0 || ask.rows != nil
          actions.append(.changed(address, moves ? .stages(stages) : .status))
        }
      case .reset(let content, let from):
        guard from == ask.cursor else { throw MalformedReply("the reply of another cursor") }
        if from == nil, let own = table.content?.cursor, own.isNewer(than: content.cursor) {
          // Something repeats what it was told once. A service that has gone back says so, asked with our own cursor.
          tables[address]?.needsSnapshot = false
          tables[address]?.isNewcomer = true
          return progress.isIllegal = true
        }
        tables[address]?.mirror = try TableMirror(content)
        tables[address]?.name = reply.table
        tables[address]?.needsSnapshot = false
        tables[address]?.asksForWindow = ask.rows != table.windowAsk
        tables[address]?.connection = .live
        progress.isMade = true
        progress.wholes.insert(address)
        tables[address]?.foundSearch = ask.search
        actions.append(.changed(address, .reset))
      }
      note(slot: reply.slot, for: address, hasMoved: progress.isMade, after: now - outstanding.sentAt, ask)
    } catch {
      progress.isIllegal = true
      tables[address]?.needsSnapshot = true
      tables[address]?.name = nil
    }
  }

  private func address(of reply: TableReply, in outstanding: PollLane.Outstanding) -> TableAddress? {
    if let pair = reply.pair {
      guard outstanding.pairs.indices.contains(pair), case let address = outstanding.pairs[pair].address,
        isNamed(address, reply.table)
      else { return nil }
      return address
    }
    // One with a lens of its own has its number.
    return outstanding.pairs.first { $0.lens.isEmpty && isNamed($0.address, reply.table) }?.address
  }

  private func isNamed(_ address: TableAddress, _ name: String) -> Bool {
    tables[address]?.name.map { Identity($0) == Identity(name) } ?? address.canBe(named: name)
  }

  /// A table that can't be followed among others that can.
  private mutating func take(
    _ problem: Problem,
    for address: TableAddress,
    hasLens: Bool,
    _ progress: inout Progress,
    now: Double
  ) {
    progress.isMade = true
    progress.failed.insert(address)
    guard [408, 425, 429].contains(problem.status) || problem.status >= 500 else {
      guard hasLens || [400, 401].contains(problem.status) else { return refuse(address, problem) }
      // Perhaps it is about the lens, the cursor or a token that is over: asked for alone, the table gets an answer of
      // its own.
      tables[address]?.isSeparate = true
      return
    }
    tables[address]?.isNewcomer = true
    var alone = lanes[.alone(address)] ?? PollLane()
    alone.fail(now: now, retryAfter: nil, random: &random)
    lanes[.alone(address)] = alone
    show(address, .retrying)
  }

  private mutating func note(
    slot: String?,
    for address: TableAddress,
    hasMoved: Bool,
    after elapsed: Double,
    _ ask: PollLane.Ask
  ) {
    guard let asked = ask.slot else { return }
    let isWaited = hasMoved || elapsed >= 0.5 || asked == FollowedTable.firstSlot && slot != nil && slot != asked
    let empty = tables[address].map(\.emptySlots) ?? 0
    tables[address]?.slot = slot ?? FollowedTable.firstSlot
    tables[address]?.emptySlots = isWaited ? 0 : empty + 1
  }
}
