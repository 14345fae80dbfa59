extension Follower {
  /// Who asks for a table; nil where nobody does now.
  func lane(of table: FollowedTable) -> PollLane.ID? {
    guard table.isActive, table.refusal == nil, !isPaused(table) else { return nil }
    let asksAlone =
      table.mirror == nil || table.needsSnapshot || table.isNewcomer || needsWindow(table) || needsSearch(table)
      || table.isSeparate
      || !table.awaited.isEmpty || polledBySlots(table) || isStreamed(table)
    return asksAlone ? .alone(table.address) : .joined(0)
  }

  func polledBySlots(_ table: FollowedTable) -> Bool {
    settings.usesSlots && !table.refusesSlots && table.address.view == nil && table.search == nil
      && table.content?.attributes.hasEdges == true
  }

  /// Caches keep replies that are the same for all: not those that may depend on who asks.
  static func usesSlots(hasToken: Bool, headers: [String: String]) -> Bool { !hasToken && headers.isEmpty }

  /// Whether the window has to be asked for: the cursor's is another one.
  func needsWindow(_ table: FollowedTable) -> Bool {
    table.asksForWindow && table.mirror != nil && table.content?.attributes.window.map { RowWindow($0) } != table.window
  }

  /// Whether the rows are of another search than the person's.
  func needsSearch(_ table: FollowedTable) -> Bool { table.mirror != nil && table.search != table.foundSearch }

  /// What a request that is made now asks for a table.
  private func ask(_ table: FollowedTable, in lane: PollLane) -> PollLane.Ask {
    var ask = PollLane.Ask(cursor: table.cursor, search: table.search)
    if ask.cursor == nil {
      ask.rows = table.window.map { .window($0) }
    } else if needsWindow(table) {
      ask.rows = table.windowAsk
    } else if polledBySlots(table), !table.isNewcomer, table.awaited.isEmpty {
      ask.slot = lane.isFresh ? FollowedTable.firstSlot : table.slot
    }
    return ask
  }

  private func asksAtOnce(_ table: FollowedTable) -> Bool {
    table.isNewcomer || table.cursor == nil || needsWindow(table) || needsSearch(table) || !table.awaited.isEmpty
  }

  /// Makes the requests that are missing, and calls off those that nobody needs.
  mutating func arrange(now: Double) {
    allotStreams()
    var wanted: [PollLane.ID: [FollowedTable]] = [:]
    let active = tables.values.sorted { ($0.name ?? "", $0.address.segment) < ($1.name ?? "", $1.address.segment) }
    for table in active {
      guard let id = lane(of: table) else { continue }
      guard case .joined = id else {
        wanted[id] = [table]
        continue
      }
      var group = 0
      while let others = wanted[.joined(group)], !fits(table, with: others) { group += 1 }
      wanted[.joined(group), default: []].append(table)
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
      && (others + [table]).reduce(0) { $0 + longestParameter($1).utf8.count } < settings.maximumTarget
      // Two screens with the same lens: the service takes each once.
      && !others.contains { $0.isLike(table) }
  }

  private func longestParameter(_ table: FollowedTable) -> String {
    afterParameter(table, PollLane.Pair(address: table.address, lens: table.lens(isTwice: true)))
  }

  private mutating func arrange(_ id: PollLane.ID, _ tables: [FollowedTable], now: Double) {
    var lane = lanes[id] ?? PollLane()
    defer { lanes[id] = lane }
    if let outstanding = lane.outstanding {
      let covers = tables.allSatisfy { table in
        guard let asked = outstanding.asks[table.address] else { return false }
        let isSame = asked.cursor == table.cursor && asked.search == table.search
        return isSame && asked.serves(ask(table, in: lane).rows) && (asked.slot == nil || polledBySlots(table))
      }
      let isDue = outstanding.wait > 0 && (lane.isFresh || tables.contains { asksAtOnce($0) })
      if covers && !isDue { return }
      actions.append(.cancel(outstanding.id))
      lane.outstanding = nil
    }
    let isForEdit = tables.contains { !$0.awaited.isEmpty && $0.confirmationPolls == 0 }
    guard lane.mayAsk(now: now, isForEdit: isForEdit) else { return }
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
    let pairs = pairs(tables)
    lane.outstanding = PollLane.Outstanding(
      id: lastRequest,
      asks: asks,
      pairs: pairs,
      wait: isSlot && lane.isFresh ? 0 : wait,
      sentAt: now,
      deadline: now + timeout,
      isMultiple: tables.count > 1
    )
    actions.append(.send(lastRequest, target: target(tables, asks, pairs, wait: isSlot ? nil : wait), timeout: timeout))
  }

  private func target(
    _ tables: [FollowedTable],
    _ asks: [TableAddress: PollLane.Ask],
    _ pairs: [PollLane.Pair],
    wait: Double?
  ) -> String {
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
      query += zip(tables, pairs).map { afterParameter($0, $1) }
    }
    if let wait { query.append("wait=\(wait == wait.rounded() ? String(Int(wait)) : String(wait))") }
    if tables.count == 1 {
      if let view = tables[0].address.view { query.append("view=\(percentEncoded(view))") }
      query += tables[0].search?.queryItems ?? []
    }
    let path = tables.count == 1 ? "\(tables[0].address.path)/changes" : "/v1/changes"
    return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
  }

  /// How a request for these tables names each: with a lens of its own where it is seen otherwise than plain.
  private func pairs(_ tables: [FollowedTable]) -> [PollLane.Pair] {
    // One alone says its lens by parameters.
    guard tables.count > 1 else { return tables.map { PollLane.Pair(address: $0.address) } }
    let counts = Dictionary(tables.map { ($0.address.segment, 1) }, uniquingKeysWith: +)
    return tables.map { PollLane.Pair(address: $0.address, lens: $0.lens(isTwice: counts[$0.address.segment] != 1)) }
  }

  /// `after=hn:CURSOR`, `after=hn;;view=me;rows=50:CURSOR`
  private func afterParameter(_ table: FollowedTable, _ pair: PollLane.Pair) -> String {
    let members = pair.lens.isEmpty ? "" : ";;" + pair.lens.joined(separator: ";")
    let name = table.name ?? table.address.segment
    return "after=\(percentEncoded("\(name)\(members):\(table.cursor?.text ?? "")"))"
  }
}

extension TableSearch {
  /// Percent-encoded.
  var queryItems: [String] { parameters.map { "\($0.name)=\(percentEncoded($0.value))" } }
}

extension FollowedTable {
  /// - Parameter isTwice: the request names the table more than once: what the cursor says of its window is said again, to
  ///   tell them apart.
  fileprivate func lens(isTwice: Bool) -> [String] {
    var lens = address.view.map { ["view=\(percentEncoded($0))"] } ?? []
    if isTwice, let window { lens.append("rows=\(window.text)") }
    return lens + (search?.queryItems ?? [])
  }

  /// The service can't tell them apart.
  fileprivate func isLike(_ other: FollowedTable) -> Bool {
    address.table == other.address.table && address.view == other.address.view && window == other.window
      && search == other.search
  }
}

extension Follower {
  /// Typed text is asked for when the person pauses; all else at once, with the text typed until then.
  mutating func find(_ address: TableAddress, _ search: TableSearch?, now: Double) {
    var table = tables[address] ?? FollowedTable(address)
    let former = table.wantedSearch
    guard former != search else { return }
    table.searchProblem = nil
    // Perhaps because of the search.
    if table.refusal?.status == 400 { (table.refusal, table.connection) = (nil, .connecting) }
    if let search, !search.q.isEmpty, search.q != former?.q ?? "", table.isActive {
      table.typed = (search, now + settings.typingPause)
    } else {
      (table.search, table.typed) = (search, nil)
    }
    tables[address] = table
    actions.append(.changed(address, .status))
  }

  /// A search that the service refuses: the table goes on with the one before, where there is something to show.
  ///
  /// - Returns: whether the problem is about that.
  mutating func refuseSearch(_ address: TableAddress, _ ask: PollLane.Ask, _ problem: Problem) -> Bool {
    guard problem.status == 400, let search = ask.search, let field = problem.field,
      ["q", "filter", "sort", "find"].contains(field), let table = tables[address]
    else { return false }
    guard table.search == search else { return true }
    guard table.mirror != nil || search.isEmpty else { return false }
    let isNew = table.mirror != nil && table.foundSearch != search
    // That it offers no menus is no mistake of the person's.
    if !search.isEmpty { tables[address]?.searchProblem = problem }
    tables[address]?.search = isNew ? table.foundSearch : search.isEmpty ? nil : TableSearch()
    actions.append(.changed(address, .status))
    return true
  }

  /// The table that came is that of a search. Returns whether of another one than before.
  mutating func found(_ address: TableAddress, by ask: PollLane.Ask) -> Bool {
    guard tables[address]?.foundSearch != ask.search else { return false }
    tables[address]?.foundSearch = ask.search
    return true
  }
}
