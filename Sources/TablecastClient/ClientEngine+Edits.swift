extension ClientEngine {
  /// Seconds since 1970.
  var date: Double { setup.scheduler.date }

  /// - Parameter address: of the screen that it was made on.
  func edit(_ address: TableAddress, _ edit: TableEdit, ifMatch version: TableCursor?, id: EditID, _ course: EditCourse)
  {
    let hub = hubs[address] ?? TableHub(address)
    hubs[address] = hub
    desks[address.table, default: EditDesk(address.table)].courses[id] = course
    // Places count in the whole table: what this screen shows is another one where it is cut or searched.
    let edit = hub.snapshot.map { edit.placed(in: $0) } ?? edit
    change(address.table) { $0.add(edit, id: id, view: address.view, ifMatch: version, now: now, date: date) }
  }

  func resumeEdits(of table: TableAddress) {
    change(table) { $0.resume(now: now, date: date, random: &random) }
  }

  /// Somebody has done something about what kept edits from being sent.
  func wakeEdits(isHanging: Bool, keepsDelays: Bool = false) {
    for table in desks.keys {
      change(table) { $0.wake(isHanging: isHanging, keepsDelay: keepsDelays, now: now, date: date) }
    }
  }

  /// A screen shows an edit, or never will.
  func confirm(_ screen: TableAddress, _ edit: EditID, _ sight: AwaitedEdit.Sight) {
    guard let sight = desks[screen.table]?.note(edit, sight, on: screen) else { return }
    guard sight != .never else { return end(screen.table, edit) }
    change(screen.table) { $0.confirmed(edit, by: sight, now: now, date: date) }
  }

  /// The service has done it, and refuses to show the table: nothing follows.
  private func end(_ table: TableAddress, _ edit: EditID) {
    // One that an earlier run of the program made has nobody who waits for it.
    let course = desks[table]?.courses.removeValue(forKey: edit)
    change(table) { $0.confirmed(edit, by: .shown, now: now, date: date) }
    course?.end()
  }

  func change(_ table: TableAddress, _ body: (inout EditQueue) -> [EditQueue.Action]) {
    guard var edits = desks[table]?.edits else { return }
    let actions = body(&edits)
    desks[table]?.edits = edits
    carryOut(actions, of: table)
  }

  private func screens(of table: TableAddress) -> [TableAddress] {
    let screens = hubs.keys.filter { $0.table == table }
    return screens.isEmpty ? [table] : screens
  }

  private func carryOut(_ actions: [EditQueue.Action], of table: TableAddress) {
    guard !actions.isEmpty else { return }
    // On disk before the request is made: what was sent must be known after a restart.
    keepEdits(of: table)
    for action in actions {
      switch action {
      case .send(let id, let request): send(id, request, of: table)
      case .cancel: callOff(table)
      case .await(let id, let cursor): awaitSight(of: id, cursor, of: table)
      case .changed(let id, let state):
        desks[table]?.news.append((id, state))
        tell(.edit(id, table: table.segment, state))
      }
    }
    publishScreens(of: table)
  }

  /// Whoever made an edit hears of it once all screens agree.
  private func publishScreens(of table: TableAddress) {
    let isShown = screens(of: table).map { show($0, .status) }
    if !isShown.contains(false) { tellNews(of: table) }
  }

  /// Every screen that shows the table is to show the edit before it counts as seen.
  private func awaitSight(of id: EditID, _ cursor: TableCursor?, of table: TableAddress) {
    let screens = screens(of: table)
    let view = desks[table]?.edits.entries.first { $0.id == id }?.view
    let active = screens.filter { follower.tables[$0]?.isActive == true }
    let one = screens.first { $0.view == view } ?? screens.first
    let awaited = active.isEmpty ? one.map { [$0] } ?? [] : active
    desks[table]?.sights[id] = (Set(awaited), .never)
    for screen in awaited { handle(.answered(screen, id, screen.view == view ? cursor : cursor?.withoutTaps)) }
  }

  private func callOff(_ table: TableAddress) {
    let request = desks[table]?.sending?.request
    desks[table]?.sending = nil
    request?.cancel()
  }

  /// Tells those who made edits how they go, once that is shown.
  func tellNews(of table: TableAddress) {
    guard let news = desks[table]?.news, !news.isEmpty else { return }
    desks[table]?.news = []
    for (id, state) in news {
      let course = desks[table]?.courses[id]
      if state.isOver { desks[table]?.courses[id] = nil }
      course?.pass(state)
    }
  }

  private func send(_ id: EditID, _ edit: EditRequest, of table: TableAddress) {
    var request = request(edit.method, edit.target, timeout: 60)
    request.headers["Idempotency-Key"] = edit.key
    if edit.isPut { request.headers["If-None-Match"] = "*" }
    request.headers["If-Match"] = edit.version.map { "\"\($0)\"" }
    if edit.body != nil {
      let isPatch = edit.method == "PATCH"
      request.headers["Content-Type"] = isPatch ? "application/merge-patch+json" : "application/json"
    }
    request.body = edit.body
    lastSending += 1
    let number = lastSending
    let end = tellSending(edit.method, edit.target)
    let call = transport(for: edit.target).send(request) { [weak self] result in
      self?.perform { engine in
        guard engine.desks[table]?.sending?.number == number else { return }
        engine.tell(end(result))
        engine.desks[table]?.sending = nil
        engine.note(result)
        engine.change(table) { edits in
          switch result {
          case .success(let response):
            edits.answered(id, response, now: engine.now, date: engine.date, random: &engine.random)
          case .failure(let failure): edits.failed(id, failure, now: engine.now, random: &engine.random)
          }
        }
      }
    }
    desks[table]?.sending = (number, call)
  }

  // MARK: Keeping

  /// Keeps what the table does not show yet. What ended badly is kept too, until the person decides.
  ///
  /// - Returns: whether it is kept. Edits are sent all the same, and the app hears of it.
  @discardableResult
  private func keepEdits(of table: TableAddress) -> Bool {
    guard setup.editStore != nil, let desk = desks[table] else { return false }
    let entries = desk.edits.entries.compactMap { KeptEdits.Entry($0) }
    var kept = KeptEdits(origin: setup.url, caller: callerDigest, address: table, entries: entries)
    kept.unreadable = desk.unreadable
    return save(kept.isEmpty ? nil : kept.bytes, for: editKey(table), of: table)
  }

  private func save(_ bytes: [UInt8]?, for key: SnapshotKey, of table: TableAddress) -> Bool {
    do {
      try setup.editStore?.save(bytes, for: key)
      return true
    } catch {
      tell(.notKept(table: table.segment, reason: "\(error)"))
      return false
    }
  }

  /// Without the app's cells: the next release, which has others, takes up the same edits.
  private func editKey(_ table: TableAddress) -> SnapshotKey {
    SnapshotKey(origin: setup.url, address: table, caller: callerDigest, cells: "")
  }

  /// Takes up the edits that an earlier run of the program left: those of this service and this caller.
  func restoreEdits() {
    guard let store = setup.editStore else { return }
    var found: [TableAddress: [(kept: KeptEdits, bytes: [UInt8])]] = [:]
    for bytes in store.load() {
      guard let kept = try? KeptEdits(bytes), kept.origin == setup.url, kept.caller == callerDigest else { continue }
      found[kept.address.table, default: []].append((kept, bytes))
    }
    for (table, files) in found.sorted(by: { $0.key.segment < $1.key.segment }) {
      // Earlier releases had a file for each view. All are read before the first is written: one of them may have the
      // table's own key, and the newest states of edits.
      let files = files.filter { $0.kept.address.view == nil } + files.filter { $0.kept.address.view != nil }
      // A file that could not be removed has the same ones at every start.
      var known: Set<JSONText> = []
      let unreadable = files.flatMap(\.kept.unreadable).filter { known.insert($0).inserted }
      desks[table, default: EditDesk(table)].unreadable = unreadable
      change(table) { $0.restore(files.flatMap { $0.kept.entries.map(\.status) }, now: now, date: date) }
      guard desks[table]?.isIdle == false, keepEdits(of: table) else { continue }
      for (kept, bytes) in files {
        // They are kept under their own key by now. Left under another one, they would be taken up at every start.
        store.forget(bytes, keptAs: editKey(table))
        // A store of the app's that can't do that: here they were, if the cells have not changed since.
        for former in [key(kept.address), editKey(kept.address)] where former != editKey(table) {
          _ = save(nil, for: former, of: table)
        }
      }
    }
  }

  func purgeEdits() {
    for (table, desk) in desks {
      desks[table]?.unreadable = []
      change(table) { $0.purge() }
      // Of edits that have ended the queue has no news, but they are on the screen.
      if desk.edits.isEmpty, !desk.edits.entries.isEmpty { publishScreens(of: table) }
    }
    setup.editStore?.purge()
  }
}
