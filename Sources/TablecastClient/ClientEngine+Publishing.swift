extension ClientEngine {
  /// How often a state is kept at most, in seconds.
  private static let saveInterval = 1.0

  /// Tells the observers what is to be shown now.
  func publish(_ address: TableAddress, _ change: Follower.Change) {
    guard let table = follower.tables[address] else { return }
    var hub = hubs[address] ?? TableHub(address)
    defer { hubs[address] = hub }
    if table.connection == .live, setup.store != nil, hub.savesAt == nil { hub.savesAt = now + Self.saveInterval }

    let former = hub.snapshot ?? TableSnapshot(address)
    if let holdsUntil = hub.edits.holdsUntil, holdsUntil > now, former.cursor != table.content?.cursor {
      hub.heldUntil = holdsUntil
      return
    }
    hub.heldUntil = nil
    let wasOverlaid = hub.isOverlaid || former.cursor == nil
    hub.isOverlaid = !hub.edits.isEmpty

    var snapshot = former
    let replay = EditReplay(table.content?.sections ?? [], hub.edits.entries)
    snapshot.sections = replay.sections
    snapshot.pendingRows = replay.pendingRows
    snapshot.edits = hub.edits.entries
    snapshot.name = table.content?.name
    snapshot.cursor = table.content?.cursor
    snapshot.attributes = table.content?.attributes ?? TableAttributes()
    snapshot.connection = table.connection
    snapshot.refusal = table.refusal

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
    shown[address] = snapshot
    let message = TableChange(kind: kind, from: former.revision, snapshot: snapshot)
    for (_, receive) in hub.observers.sorted(by: { $0.key < $1.key }) { receive(message) }
  }

  // MARK: Edits

  func edit(_ address: TableAddress, _ edit: TableEdit, id: EditID, receive: @escaping @Sendable (EditState) -> Void) {
    var hub = hubs[address] ?? TableHub(address)
    hub.editObservers[id] = receive
    let actions = hub.edits.add(edit, id: id, now: now)
    hubs[address] = hub
    carryOut(actions, of: address)
  }

  func resumeEdits(of address: TableAddress) {
    carryOut(hubs[address]?.edits.resume(now: now) ?? [], of: address)
  }

  func confirm(_ address: TableAddress, _ edit: EditID) {
    carryOut(hubs[address]?.edits.confirmed(edit) ?? [], of: address)
  }

  private func carryOut(_ actions: [EditQueue.Action], of address: TableAddress) {
    for action in actions {
      switch action {
      case .send(let id, let request): send(id, request, of: address)
      case .await(let id, let cursor): handle(.answered(address, id, cursor))
      case .changed(let id, let state):
        let receive = hubs[address]?.editObservers[id]
        if state.isOver { hubs[address]?.editObservers[id] = nil }
        receive?(state)
      }
    }
    if !actions.isEmpty { publish(address, .status) }
  }

  private func send(_ id: EditID, _ edit: EditRequest, of address: TableAddress) {
    var request = request(edit.method, edit.target, timeout: 60)
    request.headers["Idempotency-Key"] = id.description
    if edit.body != nil {
      let isPatch = edit.method == "PATCH"
      request.headers["Content-Type"] = isPatch ? "application/merge-patch+json" : "application/json"
    }
    request.body = edit.body
    _ = setup.transport.send(request) { [weak self] result in
      self?.perform { engine in
        guard var edits = engine.hubs[address]?.edits else { return }
        let actions: [EditQueue.Action]
        switch result {
        case .success(let response):
          actions = edits.answered(id, response, now: engine.now, random: &engine.random)
        case .failure: actions = edits.failed(id, now: engine.now, random: &engine.random)
        }
        engine.hubs[address]?.edits = edits
        engine.carryOut(actions, of: address)
      }
    }
  }
}
