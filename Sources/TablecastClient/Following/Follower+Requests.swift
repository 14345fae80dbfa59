extension Follower {
  /// Who asks for a table; nil where nobody does now.
  func lane(of table: FollowedTable) -> PollLane.ID? {
    guard table.isActive, table.refusal == nil, !isPaused(table) else { return nil }
    let asksAlone =
      table.mirror == nil || table.needsSnapshot || table.isNewcomer || needsWindow(table) || table.isSeparate
      || !table.awaited.isEmpty || polledBySlots(table) || isStreamed(table)
    return asksAlone ? .alone(table.address) : .joined(view: table.address.view, group: 0)
  }

  func polledBySlots(_ table: FollowedTable) -> Bool {
    settings.usesSlots && !table.refusesSlots && table.address.view == nil && table.content?.attributes.hasEdges == true
  }

  /// Whether the window has to be asked for: the cursor's is another one.
  func needsWindow(_ table: FollowedTable) -> Bool {
    table.asksForWindow && table.mirror != nil && table.content?.attributes.window.map { RowWindow($0) } != table.window
  }

  /// What a request that is made now asks for a table.
  private func ask(_ table: FollowedTable, in lane: PollLane) -> PollLane.Ask {
    var ask = PollLane.Ask(cursor: table.cursor)
    if ask.cursor == nil {
      ask.rows = table.window.map { .window($0) }
    } else if needsWindow(table) {
      ask.rows = table.window.map { .window($0) } ?? .all
    } else if polledBySlots(table), !table.isNewcomer, table.awaited.isEmpty {
      ask.slot = lane.isFresh ? FollowedTable.firstSlot : table.slot
    }
    return ask
  }

  private func asksAtOnce(_ table: FollowedTable) -> Bool {
    table.isNewcomer || table.cursor == nil || needsWindow(table) || !table.awaited.isEmpty
  }

  /// Makes the requests that are missing, and calls off those that nobody needs.
  mutating func arrange(now: Double) {
    var wanted: [PollLane.ID: [FollowedTable]] = [:]
    let active = tables.values.sorted { ($0.name ?? "", $0.address.segment) < ($1.name ?? "", $1.address.segment) }
    for table in active {
      guard let id = lane(of: table) else { continue }
      guard case .joined(let view, _) = id else {
        wanted[id] = [table]
        continue
      }
      var group = 0
      while let others = wanted[.joined(view: view, group: group)], !fits(table, with: others) { group += 1 }
      wanted[.joined(view: view, group: group), default: []].append(table)
    }
    for id in lanes.keys where wanted[id] == nil {
      cancel(id)
      if case .alone(let address) = id, tables[address] == nil { lanes[id] = nil }
    }
    for (id, tables) in wanted.sorted(by: { ($0.value.first?.name ?? "") < ($1.value.first?.name ?? "") }) {
      arrange(id, tables, now: now)
    }
  }

  private func fits(_ table: FollowedTable, with others: [FollowedTable]) -> Bool {
    others.count < settings.maximumJoined
      && (others + [table]).reduce(0) { $0 + afterParameter($1).utf8.count } < settings.maximumTarget
  }

  private mutating func arrange(_ id: PollLane.ID, _ tables: [FollowedTable], now: Double) {
    var lane = lanes[id] ?? PollLane()
    defer { lanes[id] = lane }
    if let outstanding = lane.outstanding {
      let covers = tables.allSatisfy { table in
        outstanding.asks[table.address].map { $0.cursor == table.cursor && ($0.rows != nil || !needsWindow(table)) }
          ?? false
      }
      let isDue = outstanding.wait > 0 && (lane.isFresh || tables.contains { asksAtOnce($0) })
      if covers && !isDue { return }
      actions.append(.cancel(outstanding.id))
      lane.outstanding = nil
    }
    guard lane.mayAsk(now: now) else { return }
    let asks = Dictionary(uniqueKeysWithValues: tables.map { ($0.address, ask($0, in: lane)) })
    let isSlot = asks.values.contains { $0.slot != nil }
    let isAtOnce = lane.isFresh || tables.contains { asksAtOnce($0) }
    if !isAtOnce, !isSlot, let table = tables.first, isStreamed(table), let cursor = table.cursor {
      lane.outstanding = beginStream(of: table, from: cursor, asks, now: now)
      return
    }
    let wait = isAtOnce && !isSlot ? 0 : settings.wait
    let isSnapshot = asks.values.contains { $0.cursor == nil }
    // A slot lasts as long as the service likes, which is not longer than a poll may wait.
    let patience = isSlot ? 55 : wait
    let timeout = isSnapshot ? settings.snapshotTimeout : patience + settings.watchdog
    lastRequest += 1
    lane.outstanding = PollLane.Outstanding(
      id: lastRequest,
      asks: asks,
      wait: isSlot && lane.isFresh ? 0 : wait,
      sentAt: now,
      deadline: now + timeout,
      isMultiple: tables.count > 1
    )
    actions.append(.send(lastRequest, target: target(tables, asks, wait: isSlot ? nil : wait), timeout: timeout))
  }

  private func target(_ tables: [FollowedTable], _ asks: [TableAddress: PollLane.Ask], wait: Double?) -> String {
    var query: [String] = []
    if tables.count == 1, let ask = asks[tables[0].address] {
      if let cursor = ask.cursor { query.append("after=\(cursor)") }
      if let slot = ask.slot { query.append("slot=\(percentEncoded(slot))") }
      switch ask.rows {
      case .window(let window)?: query.append("rows=\(window.text)")
      case .all?: query.append("rows=all")
      case nil: break
      }
    } else {
      query += tables.map { afterParameter($0) }
    }
    if let wait { query.append("wait=\(wait == wait.rounded() ? String(Int(wait)) : String(wait))") }
    if let view = tables.first?.address.view { query.append("view=\(percentEncoded(view))") }
    let path = tables.count == 1 ? "\(tables[0].address.path)/changes" : "/v1/changes"
    return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
  }

  /// `after=hn:CURSOR`
  private func afterParameter(_ table: FollowedTable) -> String {
    "after=\(percentEncoded("\(table.name ?? table.address.segment):\(table.cursor?.text ?? "")"))"
  }
}
