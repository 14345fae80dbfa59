extension ClientEngine {
  /// Seconds since 1970.
  var date: Double { setup.scheduler.date }

  func edit(_ address: TableAddress, _ edit: TableEdit, id: EditID, _ course: EditCourse) {
    var hub = hubs[address] ?? TableHub(address)
    hub.courses[id] = course
    let actions = hub.edits.add(edit, id: id, now: now, date: date)
    hubs[address] = hub
    carryOut(actions, of: address)
  }

  func resumeEdits(of address: TableAddress) {
    change(address) { $0.resume(now: now, date: date, random: &random) }
  }

  /// Somebody has done something about what kept edits from being sent.
  func wakeEdits(isHanging: Bool) {
    for address in hubs.keys { change(address) { $0.wake(isHanging: isHanging, now: now, date: date) } }
  }

  func confirm(_ address: TableAddress, _ edit: EditID, _ sight: AwaitedEdit.Sight) {
    guard sight != .never else { return end(address, edit) }
    change(address) { $0.confirmed(edit, by: sight, now: now, date: date) }
  }

  /// The service has done it, and refuses to show the table: nothing follows.
  private func end(_ address: TableAddress, _ edit: EditID) {
    guard let course = hubs[address]?.courses.removeValue(forKey: edit) else { return }
    change(address) { $0.confirmed(edit, by: .shown, now: now, date: date) }
    course.end()
  }

  func change(_ address: TableAddress, _ body: (inout EditQueue) -> [EditQueue.Action]) {
    guard var edits = hubs[address]?.edits else { return }
    let actions = body(&edits)
    hubs[address]?.edits = edits
    carryOut(actions, of: address)
  }

  private func carryOut(_ actions: [EditQueue.Action], of address: TableAddress) {
    guard !actions.isEmpty else { return }
    // On disk before the request is made: what was sent must be known after a restart.
    keepEdits(of: address)
    for action in actions {
      switch action {
      case .send(let id, let request): send(id, request, of: address)
      case .cancel: callOff(address)
      case .await(let id, let cursor): handle(.answered(address, id, cursor))
      case .changed(let id, let state): hubs[address]?.news.append((id, state))
      }
    }
    publish(address, .status)
  }

  private func callOff(_ address: TableAddress) {
    let request = hubs[address]?.sending?.request
    hubs[address]?.sending = nil
    request?.cancel()
  }

  /// Tells those who made edits how they go, once that is shown.
  func tellNews(of address: TableAddress) {
    guard let news = hubs[address]?.news, !news.isEmpty else { return }
    hubs[address]?.news = []
    for (id, state) in news {
      let course = hubs[address]?.courses[id]
      if state.isOver { hubs[address]?.courses[id] = nil }
      course?.pass(state)
    }
  }

  private func send(_ id: EditID, _ edit: EditRequest, of address: TableAddress) {
    var request = request(edit.method, edit.target, timeout: 60)
    request.headers["Idempotency-Key"] = edit.key
    if edit.isPut { request.headers["If-None-Match"] = "*" }
    if edit.body != nil {
      let isPatch = edit.method == "PATCH"
      request.headers["Content-Type"] = isPatch ? "application/merge-patch+json" : "application/json"
    }
    request.body = edit.body
    lastSending += 1
    let number = lastSending
    let call = transport(for: edit.target).send(request) { [weak self] result in
      self?.perform { engine in
        guard engine.hubs[address]?.sending?.number == number else { return }
        engine.hubs[address]?.sending = nil
        engine.note(result)
        engine.change(address) { edits in
          switch result {
          case .success(let response):
            edits.answered(id, response, now: engine.now, date: engine.date, random: &engine.random)
          case .failure(let failure): edits.failed(id, failure, now: engine.now, random: &engine.random)
          }
        }
      }
    }
    hubs[address]?.sending = (number, call)
  }

  // MARK: Keeping

  /// Keeps what the table does not show yet. What ended badly is kept too, until the person decides.
  private func keepEdits(of address: TableAddress) {
    guard let store = setup.editStore, let edits = hubs[address]?.edits else { return }
    let entries = edits.entries.compactMap { KeptEdits.Entry($0) }
    let kept = KeptEdits(origin: setup.url, caller: callerDigest, address: address, entries: entries)
    store.save(entries.isEmpty ? nil : kept.bytes, for: key(address))
  }

  /// Takes up the edits that an earlier run of the program left: those of this service and this caller.
  func restoreEdits() {
    for kept in (setup.editStore?.load() ?? []).compactMap({ try? KeptEdits($0) })
    where kept.origin == setup.url && kept.caller == callerDigest {
      var hub = hubs[kept.address] ?? TableHub(kept.address)
      let actions = hub.edits.restore(kept.entries.map(\.status), now: now, date: date)
      hubs[kept.address] = hub
      carryOut(actions, of: kept.address)
    }
  }

  func purgeEdits() {
    for address in hubs.keys { change(address) { $0.purge() } }
    setup.editStore?.purge()
  }
}
