extension ClientEngine {
  /// How often a state is kept at most, in seconds.
  private static let saveInterval = 1.0

  /// Tells the observers what is to be shown now, and those who made edits how they go.
  func publish(_ address: TableAddress, _ change: Follower.Change) {
    if show(address, change) { tellNews(of: address.table) }
  }

  /// Tells the observers what is to be shown now. Returns false where that is held back.
  func show(_ address: TableAddress, _ change: Follower.Change) -> Bool {
    // Edits are shown of tables, too, that nobody has looked at yet.
    let table = follower.tables[address] ?? FollowedTable(address)
    let content = table.shownContent
    var hub = hubs[address] ?? TableHub(address)
    if table.connection == .live, content != nil, !table.isForgotten, setup.store != nil, hub.savesAt == nil {
      hub.savesAt = now + Self.saveInterval
    }

    let former = hub.snapshot ?? TableSnapshot(address, revision: firstRevision)
    let edits = desks[address.table]?.edits ?? EditQueue(address.table)
    if let holdsUntil = edits.holdsUntil, holdsUntil > now, former.cursor != content?.cursor {
      hub.heldUntil = holdsUntil
      hubs[address] = hub
      return false
    }
    hub.heldUntil = nil
    let wasOverlaid = hub.isOverlaid || former.cursor == nil
    hub.isOverlaid = !edits.isEmpty

    var snapshot = former
    let replay = EditReplay(content?.sections ?? [], edits.entries.filter { $0.isSeen(in: address.view) })
    snapshot.sections = replay.sections
    snapshot.pendingRows = replay.pendingRows
    snapshot.edits = edits.entries
    snapshot.name = content?.name
    snapshot.cursor = content?.cursor
    snapshot.attributes = content?.attributes ?? TableAttributes()
    snapshot.connection = table.isGlimpse && table.refusal == nil ? .connecting : table.connection
    snapshot.refusal = table.refusal
    snapshot.trouble = edits.trouble ?? tokenTrouble
    snapshot.search = table.wantedSearch
    snapshot.isSearching = content != nil && table.wantedSearch != table.foundSearch
    snapshot.searchProblem = table.searchProblem

    let kind: TableChange.Kind
    switch change {
    case .reset: kind = .reset
    case .stages(let stages) where !wasOverlaid && !hub.isOverlaid: kind = .stages(stages)
    case .status where !wasOverlaid && !hub.isOverlaid: kind = .status
    case .stages, .status:
      let stages = former.cursor == nil ? [] : snapshot.stages(from: former)
      kind = former.cursor == nil && snapshot.cursor != nil ? .reset : stages.isEmpty ? .status : .stages(stages)
    }
    snapshot.revision += 1
    hub.snapshot = snapshot
    hubs[address] = hub
    shown[address] = snapshot
    if setup.events.isWatched {
      let (table, rows) = (snapshot.name ?? address.segment, snapshot.rowCount)
      tell(.shown(table: table, change: kind.word, rows: rows, connection: snapshot.connection))
    }
    let message = TableChange(kind: kind, from: former.revision, snapshot: snapshot)
    for (_, receive) in hub.observers.sorted(by: { $0.key < $1.key }) { receive(message) }
    return true
  }
}

extension EditStatus {
  /// A tap alters its own view alone.
  fileprivate func isSeen(in view: String?) -> Bool {
    if case .tap = edit { return self.view == view }
    return true
  }
}

extension TableChange.Kind {
  fileprivate var word: String {
    switch self {
    case .stages(let stages): "\(stages.count) stage\(stages.count == 1 ? "" : "s")"
    case .reset: "anew"
    case .status: "the same rows"
    }
  }
}
