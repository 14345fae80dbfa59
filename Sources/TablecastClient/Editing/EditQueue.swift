/// The edits of one table: sent one after the other, shown at once, told apart by where they stand.
///
/// Events in, actions out; makes no request itself. The server's state is never changed or restored here: what is shown
/// is always that state with the open edits over it, in their order. What ended badly stays until the person decides.
struct EditQueue: Sendable {
  enum Action: Hashable, Sendable {
    case send(EditID, EditRequest)
    /// The request that is under way is of no use any more.
    case cancel(EditID)
    /// The answer came: the follower is to look for it.
    case await(EditID, TableCursor?)
    case changed(EditID, EditState)
  }

  /// How long what comes is not shown while an added row is without its answer, and the service is to name it: it would
  /// stand there twice.
  static let longestHold = 3.0
  /// Seconds for which a service knows an edit that it was sent: it keeps keys for 24 hours. Later a repeat might be
  /// done a second time.
  static let keysLast = 23.0 * 3600
  /// Seconds after which an edit's request is given up, whatever its transport does.
  static let longestRequest = 65.0

  let address: TableAddress
  private(set) var entries: [EditStatus] = []
  private(set) var trouble: ClientTrouble?
  private var backoff = Backoff()
  private var retryAt: Double?
  /// Before which the service wants no request (`Retry-After`), whoever does something.
  private var retryFloor: Double?
  private var sentAt: Double?
  /// The edit under way was never sent before.
  private var isFirstAttempt = false
  /// The table takes the identities that clients make; until it says otherwise.
  private var takesIdentities = true

  init(_ address: TableAddress) { self.address = address }

  var isEmpty: Bool { entries.allSatisfy(\.state.isOver) }

  /// Until when changes of the service's are held back: an added row's answer, which names it, is on its way.
  var holdsUntil: Double? {
    guard let sentAt, entries.contains(where: { $0.state == .sent && $0.isNamedByService }) else { return nil }
    return sentAt + Self.longestHold
  }

  /// When something is due, if nothing happens before.
  var nextDue: Double? {
    [retryAt, sentAt.map { $0 + Self.longestRequest }].compactMap(\.self).min()
  }

  /// - Parameters:
  ///   - view: the view on which it was made.
  ///   - date: now, in seconds since 1970.
  mutating func add(
    _ edit: TableEdit,
    id: EditID,
    view: String? = nil,
    ifMatch version: TableCursor? = nil,
    now: Double,
    date: Double
  ) -> [Action] {
    var status = EditStatus(id: id, edit: edit, state: .local)
    (status.version, status.view) = (version, view)
    // 412 is the answer to a version that is past as well as to an identity that is taken: only one of them is asked for.
    status.isPosted = edit.isAdd && version != nil
    entries.append(status)
    return [.changed(id, .local)] + sendNext(now: now, date: date)
  }

  /// What was kept of an earlier time, before anything else. Those that were sent may have been done: they are sent again
  /// with their keys, as long as the service knows these. Those that were answered are looked for.
  mutating func restore(_ kept: [EditStatus], now: Double, date: Double) -> [Action] {
    var known = Set(entries.map(\.id))
    let fresh = kept.filter { known.insert($0.id).inserted }
    entries.insert(contentsOf: fresh, at: 0)
    var actions: [Action] = fresh.map { .changed($0.id, $0.state) }
    for status in fresh {
      if case .acknowledged(let answer) = status.state { actions.append(.await(status.id, answer.cursor)) }
    }
    return actions + sendNext(now: now, date: date)
  }

  /// Sends an edit again that was refused, or that nobody knows the end of: because the person wants it. The latter has
  /// the key that it had; one that was refused would get the same answer, and has another.
  mutating func retry(_ id: EditID, now: Double, date: Double) -> [Action] {
    guard let index = entries.firstIndex(where: { $0.id == id && $0.state.isOver }) else { return [] }
    if case .refused = entries[index].state { entries[index].attempt += 1 }
    entries[index].state = .local
    (entries[index].problem, entries[index].firstSent) = (nil, nil)
    return [.changed(id, .local)] + sendNext(now: now, date: date)
  }

  /// Forgets an edit, because the person wants it; one that the service has done already is not to be forgotten. What
  /// depends on a row that is never to be added is refused.
  mutating func discard(_ id: EditID, now: Double, date: Double) -> [Action] {
    guard let index = entries.firstIndex(where: { $0.id == id }), !entries[index].isAcknowledged else { return [] }
    let entry = entries.remove(at: index)
    var actions: [Action] = []
    switch entry.state {
    case .sent:
      clearDelays()
      actions = [.cancel(id), .changed(id, .unknown)]
    case .local: actions = [.changed(id, .refused(Problem(status: 0, title: "Discarded")))]
    case .acknowledged, .confirmed, .refused, .unknown: actions = [.changed(id, entry.state)]
    }
    for other in entries where other.state == .local && other.namesRow(addedBy: entry) {
      actions += end(other.id, .refused(Problem(status: 404, title: "Not Found", detail: "Its row was never added.")))
    }
    return actions + sendNext(now: now, date: date)
  }

  /// Ends everything: the user who did it is gone. What was not sent won't be.
  mutating func purge() -> [Action] {
    let open = entries.filter { !$0.state.isOver }
    let sent = open.filter { $0.state == .sent }.map { Action.cancel($0.id) }
    entries = []
    clearDelays()
    return sent + open.map { .changed($0.id, .unknown) }
  }

  /// Sends what is due, and gives up what hangs.
  mutating func resume(now: Double, date: Double, random: inout SplitMix64) -> [Action] {
    if let sentAt, sentAt + Self.longestRequest <= now, let entry = entries.first(where: { $0.state == .sent }) {
      return [.cancel(entry.id)] + postpone(entry.id, nil, now, &random)
    }
    return sendNext(now: now, date: date)
  }

  /// Somebody has done something: there is a new token, the network is back, the app is in front again. What waits is
  /// sent with its key; what is under way perhaps hangs, and is sent anew where `isHanging`. With `keepsDelay` only the
  /// trouble is over: what has failed is sent at its time. A delay that the service asked for is kept in any case.
  mutating func wake(isHanging: Bool, keepsDelay: Bool = false, now: Double, date: Double) -> [Action] {
    var actions: [Action] = []
    if isHanging, let index = entries.firstIndex(where: { $0.state == .sent }) {
      entries[index].state = .local
      clearDelays()
      actions = [.cancel(entries[index].id), .changed(entries[index].id, .local)]
    }
    let delay = keepsDelay ? retryAt : retryFloor.flatMap { $0 > now ? $0 : nil }
    let isFree = trouble != nil || retryAt != delay
    (trouble, retryAt) = (nil, delay)
    let sent = sendNext(now: now, date: date)
    // The trouble is over, though nothing may be sent: that is to be shown.
    if isFree, sent.isEmpty, let first = entries.first { actions.append(.changed(first.id, first.state)) }
    return actions + sent
  }

  mutating func answered(
    _ id: EditID,
    _ response: TransportResponse,
    now: Double,
    date: Double,
    random: inout SplitMix64
  ) -> [Action] {
    guard let index = entries.firstIndex(where: { $0.id == id && $0.state == .sent }) else { return [] }
    let isPut = entries[index].edit.isAdd && !entries[index].isPosted
    switch EditAnswer(response, isPut: isPut) {
    // The answer to another edit, which something on the way repeats.
    case .done(let json, _) where isPut && json["id"]?.string != id.localRow: return postpone(id, nil, now, &random)
    case .done(let json, let cursor): return acknowledge(index, json, cursor, now: now, date: date)
    case .isThere:
      let json = JSONOutput.write { output in
        output.raw("{")
        output.member("id", id.localRow)
        output.raw("}")
      }
      return acknowledge(index, json, nil, now: now, date: date)
    case .takesNoIdentity:
      takesIdentities = false
      entries[index].state = .local
      clearDelays()
      return sendNext(now: now, date: date)
    case .refused(let problem):
      entries[index].problem = problem
      clearDelays()
      return end(id, .refused(problem)) + sendNext(now: now, date: date)
    case .unknown(let problem):
      entries[index].problem = problem
      clearDelays()
      return end(id, .unknown) + sendNext(now: now, date: date)
    case .paused(let trouble):
      entries[index].state = .local
      // A login that is over: nothing was done.
      if case .signInNeeded = trouble, isFirstAttempt { entries[index].firstSent = nil }
      clearDelays()
      self.trouble = trouble
      return [.changed(id, .local)]
    case .failed(let retryAfter): return postpone(id, retryAfter, now, &random)
    }
  }

  mutating func failed(_ id: EditID, _ failure: TransportFailure, now: Double, random: inout SplitMix64) -> [Action] {
    guard let index = entries.firstIndex(where: { $0.id == id && $0.state == .sent }) else { return [] }
    // Nothing of it left: the service's memory of it has not begun.
    if failure.kind != .broken, isFirstAttempt { entries[index].firstSent = nil }
    let actions = postpone(id, nil, now, &random)
    trouble = failure.kind == .token ? .noToken(failure.description) : nil
    return actions
  }

  /// The table has the edit now. Where it is of another epoch than the answer, the service was set back perhaps: the
  /// edit is sent once more, which a service that has it answers as before. Once the service may have forgotten the key a
  /// repeat might be done a second time: then nobody can say whether it still has the edit.
  mutating func confirmed(_ id: EditID, by sight: AwaitedEdit.Sight, now: Double, date: Double) -> [Action] {
    guard let index = entries.firstIndex(where: { $0.id == id }), case .acknowledged(let json) = entries[index].state
    else { return [] }
    let epoch = json.cursor.map { String($0.epoch) }
    if sight == .otherEpoch, entries[index].repeatedEpoch != epoch {
      if let first = entries[index].firstSent, date - first > Self.keysLast {
        entries[index].problem = Problem(
          status: 0,
          title: "Not known",
          detail:
            "The service had done it more than 23 hours ago, and seems to have been set back since: it may have lost it."
        )
        return end(id, .unknown) + sendNext(now: now, date: date)
      }
      entries[index].state = .local
      entries[index].repeatedEpoch = epoch
      return [.changed(id, .local)] + sendNext(now: now, date: date)
    }
    entries.remove(at: index)
    return [.changed(id, .confirmed(json))]
  }

  private mutating func acknowledge(_ index: Int, _ json: JSONText, _ cursor: TableCursor?, now: Double, date: Double)
    -> [Action]
  {
    let id = entries[index].id
    entries[index].state = .acknowledged(json)
    rename(entries[index].names(in: json))
    clearDelays()
    return [.changed(id, entries[index].state), .await(id, cursor)] + sendNext(now: now, date: date)
  }

  private mutating func sendNext(now: Double, date: Double) -> [Action] {
    if trouble?.isPause == true { return [] }
    if let retryAt, retryAt > now { return [] }
    retryAt = nil
    var actions: [Action] = []
    guard !entries.contains(where: { $0.state == .sent }) else { return [] }
    while let index = entries.firstIndex(where: { $0.state == .local && !waits($0) }) {
      let id = entries[index].id
      // Of a time that the service has forgotten: whether it was done, nobody can say.
      if let first = entries[index].firstSent, date - first > Self.keysLast {
        entries[index].problem = Problem(
          status: 0,
          title: "Not known",
          detail: "It was sent more than 23 hours ago, and its answer never came: it may have been done."
        )
        actions += end(id, .unknown)
        continue
      }
      sentAt = now
      isFirstAttempt = entries[index].firstSent == nil
      entries[index].firstSent = entries[index].firstSent ?? date
      entries[index].state = .sent
      if entries[index].edit.isAdd, !takesIdentities { entries[index].isPosted = true }
      return actions + [.changed(id, .sent), .send(id, EditRequest(entries[index], to: address))]
    }
    return actions
  }

  /// It is about a row that is not added yet.
  private func waits(_ status: EditStatus) -> Bool {
    entries.contains { $0.id != status.id && !$0.isAcknowledged && status.namesRow(addedBy: $0) }
  }

  /// The same key again, later: the service does once what it is asked twice.
  private mutating func postpone(_ id: EditID, _ retryAfter: Double?, _ now: Double, _ random: inout SplitMix64)
    -> [Action]
  {
    guard let index = entries.firstIndex(where: { $0.id == id && $0.state == .sent }) else { return [] }
    entries[index].state = .local
    (sentAt, trouble) = (nil, nil)
    retryAt = now + backoff.delay(retryAfter: retryAfter, random: &random)
    retryFloor = retryAfter.map { now + min($0, Backoff.longestRetryAfter) }
    return [.changed(id, .local)]
  }

  private mutating func end(_ id: EditID, _ state: EditState) -> [Action] {
    guard let index = entries.firstIndex(where: { $0.id == id && !$0.state.isOver }) else { return [] }
    entries[index].state = state
    if case .refused(let problem) = state { entries[index].problem = problem }
    return [.changed(id, state)]
  }

  /// The way is free: nothing is under way, and nothing has to wait.
  private mutating func clearDelays() {
    backoff.reset()
    (retryAt, retryFloor, sentAt, trouble) = (nil, nil, nil, nil)
  }

  /// The service has named added rows: later edits of them are about these names.
  private mutating func rename(_ names: [String: String]) {
    guard !names.isEmpty else { return }
    for index in entries.indices { entries[index].edit = entries[index].edit.renaming(names) }
  }
}

extension JSONText {
  /// Of an answer to an edit.
  fileprivate var cursor: TableCursor? { self["cursor"]?.string.flatMap { TableCursor($0) } }
}
