extension Follower {
  /// What is typed is asked for when the person pauses; all else at once, and what was typed until then with it.
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
