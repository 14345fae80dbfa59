import Foundation

extension ClientEngine {
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

  func change(_ address: TableAddress, _ body: @Sendable (inout EditQueue) -> [EditQueue.Action]) {
    guard var edits = hubs[address]?.edits else { return }
    let actions = body(&edits)
    hubs[address]?.edits = edits
    carryOut(actions, of: address)
  }

  private func carryOut(_ actions: [EditQueue.Action], of address: TableAddress) {
    // On disk before the request is made: what was sent must be known after a restart.
    if !actions.isEmpty { keepEdits(of: address) }
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
    _ = transport(for: edit.target).send(request) { [weak self] result in
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

  // MARK: Keeping

  /// Keeps what the service has not answered. What it could not tell of is kept too, until the app dismisses it.
  private func keepEdits(of address: TableAddress) {
    guard let store = setup.editStore, let edits = hubs[address]?.edits else { return }
    let entries = edits.entries.compactMap { status -> KeptEdits.Entry? in
      switch status.state {
      case .acknowledged, .confirmed, .refused: return nil
      case .local, .sent, .unknown:
        let sentAt = edits.firstSent[status.id].map { Date().timeIntervalSince1970 - (now - $0) }
        return KeptEdits.Entry(id: status.id, edit: status.edit, isUnknown: status.state == .unknown, sentAt: sentAt)
      }
    }
    let kept = KeptEdits(origin: setup.url, caller: callerDigest, address: address, entries: entries)
    store.save(entries.isEmpty ? nil : kept.bytes, for: key(address))
  }

  /// Takes up the edits that an earlier run of the program left: those of this service and this caller.
  func restoreEdits() {
    for kept in (setup.editStore?.load() ?? []).compactMap({ try? KeptEdits($0) })
    where kept.origin == setup.url && kept.caller == callerDigest {
      var hub = hubs[kept.address] ?? TableHub(kept.address)
      let elapsed = now - Date().timeIntervalSince1970
      let actions = hub.edits.restore(
        kept.entries.map { entry in
          (
            EditStatus(id: entry.id, edit: entry.edit, state: entry.isUnknown ? .unknown : .local),
            entry.sentAt.map { $0 + elapsed }
          )
        },
        now: now
      )
      hubs[kept.address] = hub
      carryOut(actions, of: kept.address)
    }
  }

  func purgeEdits() {
    for address in hubs.keys { change(address) { $0.purge() } }
    setup.editStore?.purge()
  }
}
