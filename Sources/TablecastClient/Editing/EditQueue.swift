/// The edits of one table: sent one after the other, shown at once, told apart by where they stand.
///
/// Events in, actions out; makes no request itself. The server's state is never changed or restored here: what is shown
/// is always that state with the open edits over it, in their order.
struct EditQueue: Sendable {
  enum Action: Hashable, Sendable {
    case send(EditID, EditRequest)
    /// The answer came: the follower is to look for it.
    case await(EditID, TableCursor?)
    case changed(EditID, EditState)
  }

  /// How long what comes is not shown while an added row is without its answer: it would stand there twice.
  static let longestHold = 3.0
  /// What is refused stays in the list until there are this many.
  static let maximumEnded = 16
  /// Requests for one edit that a service answered by 5xx.
  static let maximumFailures = 8
  /// Seconds for which a service knows an edit that it was sent: it keeps keys for 24 hours. Later a repeat might be
  /// done a second time.
  static let keysLast = 23.0 * 3600

  let address: TableAddress
  private(set) var entries: [EditStatus] = []
  private var backoff = Backoff()
  private(set) var retryAt: Double?
  private var sentAt: Double?
  private var failures = 0
  /// When each open edit was first sent.
  private(set) var firstSent: [EditID: Double] = [:]

  init(_ address: TableAddress) { self.address = address }

  var isEmpty: Bool { entries.allSatisfy(\.state.isOver) }

  /// Until when changes of the service's are held back: an added row's answer, which names it, is on its way.
  var holdsUntil: Double? {
    guard let sentAt, entries.contains(where: { $0.state == .sent && $0.edit.isAdd }) else { return nil }
    return sentAt + Self.longestHold
  }

  mutating func add(_ edit: TableEdit, id: EditID, now: Double) -> [Action] {
    entries.append(EditStatus(id: id, edit: edit, state: .local))
    return [.changed(id, .local)] + sendNext(now: now)
  }

  /// What was kept of an earlier time, before anything else. Those that were sent may have been done: they are sent again
  /// with their keys, as long as the service knows these.
  mutating func restore(_ kept: [(status: EditStatus, firstSent: Double?)], now: Double) -> [Action] {
    let known = Set(entries.map(\.id))
    let fresh = kept.filter { !known.contains($0.status.id) }
    entries.insert(contentsOf: fresh.map(\.status), at: 0)
    for (status, time) in fresh { firstSent[status.id] = time }
    return fresh.map { .changed($0.status.id, $0.status.state) } + sendNext(now: now)
  }

  /// Sends an edit again that ended `unknown`: because the user wants it, with the key that it had.
  mutating func retry(_ id: EditID, now: Double) -> [Action] {
    guard let index = entries.firstIndex(where: { $0.id == id && $0.state == .unknown }) else { return [] }
    entries[index].state = .local
    firstSent[id] = nil
    return [.changed(id, .local)] + sendNext(now: now)
  }

  /// Forgets an edit that is over.
  mutating func dismiss(_ id: EditID) -> [Action] {
    guard let index = entries.firstIndex(where: { $0.id == id && $0.state.isOver }) else { return [] }
    let entry = entries.remove(at: index)
    return [.changed(id, entry.state)]
  }

  /// Ends everything that is open: the user who did it is gone. What was not sent won't be.
  mutating func purge() -> [Action] {
    let open = entries.filter { !$0.state.isOver }.map(\.id)
    entries = []
    firstSent = [:]
    return finish() + open.map { .changed($0, .unknown) }
  }

  /// Sends what is due.
  mutating func resume(now: Double) -> [Action] { sendNext(now: now) }

  mutating func answered(_ id: EditID, _ response: TransportResponse, now: Double, random: inout SplitMix64) -> [Action]
  {
    guard let index = index(of: id) else { return [] }
    switch response.status {
    case 200..<300:
      // A proxy's page with 200 is no answer: the key makes asking again harmless.
      guard let json = try? JSONText(response.body), json.isObject else { return retry(id, nil, now, &random) }
      entries[index].state = .acknowledged(json)
      firstSent[id] = nil
      let actions = [
        Action.changed(id, entries[index].state), .await(id, json["cursor"]?.string.flatMap { TableCursor($0) }),
      ]
      if let row = json["id"]?.string { rename(id.localRow, to: row) }
      return finish() + actions + sendNext(now: now)
    case 504: return end(id, .unknown, now: now)
    case 502 where response.isProblem: return end(id, .refused(Problem(response)), now: now)
    case 408, 425, 429, 503: return retry(id, retryAfter(response), now, &random)
    case 500...:
      failures += 1
      guard failures < Self.maximumFailures else { return end(id, .refused(Problem(response)), now: now) }
      return retry(id, retryAfter(response), now, &random)
    case 400..<500: return end(id, .refused(Problem(response)), now: now)
    default: return retry(id, nil, now, &random)
    }
  }

  mutating func failed(_ id: EditID, now: Double, random: inout SplitMix64) -> [Action] {
    index(of: id) == nil ? [] : retry(id, nil, now, &random)
  }

  /// The table has the edit now.
  mutating func confirmed(_ id: EditID) -> [Action] {
    guard let index = index(of: id), case .acknowledged(let json) = entries[index].state else { return [] }
    entries.remove(at: index)
    return [.changed(id, .confirmed(json))]
  }

  private func index(of id: EditID) -> Int? { entries.firstIndex { $0.id == id && !$0.state.isOver } }

  private mutating func sendNext(now: Double) -> [Action] {
    if let retryAt, retryAt > now { return [] }
    guard !entries.contains(where: { $0.state == .sent }), let index = entries.firstIndex(where: { $0.state == .local })
    else { return [] }
    let entry = entries[index]
    // Of a time that the service has forgotten: whether it was done, nobody can say.
    if let first = firstSent[entry.id], now - first > Self.keysLast { return end(entry.id, .unknown, now: now) }
    (retryAt, sentAt) = (nil, now)
    entries[index].state = .sent
    firstSent[entry.id] = firstSent[entry.id] ?? now
    return [.changed(entry.id, .sent), .send(entry.id, EditRequest(entry.edit, to: address))]
  }

  /// The same key again, later: the service does once what it is asked twice.
  private mutating func retry(_ id: EditID, _ retryAfter: Double?, _ now: Double, _ random: inout SplitMix64)
    -> [Action]
  {
    guard let index = index(of: id) else { return [] }
    entries[index].state = .local
    retryAt = now + backoff.delay(retryAfter: retryAfter, random: &random)
    return [.changed(id, .local)]
  }

  private mutating func end(_ id: EditID, _ state: EditState, now: Double) -> [Action] {
    guard let index = index(of: id) else { return [] }
    entries[index].state = state
    firstSent[id] = nil
    let ended = entries.indices.filter { entries[$0].state.isOver }
    for index in ended.dropLast(Self.maximumEnded).reversed() { entries.remove(at: index) }
    return finish() + [.changed(id, state)] + sendNext(now: now)
  }

  private mutating func finish() -> [Action] {
    backoff.reset()
    (retryAt, sentAt, failures) = (nil, nil, 0)
    return []
  }

  /// The service has named an added row: later edits of it are about that name.
  private mutating func rename(_ local: String, to row: String) {
    for index in entries.indices { entries[index].edit = entries[index].edit.renaming(local, to: row) }
  }
}

extension EditID {
  /// The identity of an added row until the service gives it one.
  var localRow: String { "local:\(description)" }
}

extension TableEdit {
  var isAdd: Bool { if case .add = self { true } else { false } }

  fileprivate func renaming(_ old: String, to new: String) -> TableEdit {
    func name(_ row: String) -> String { row == old ? new : row }
    func place(_ place: EditPlace) -> EditPlace {
      switch place {
      case .before(let row): .before(name(row))
      case .after(let row): .after(name(row))
      case .end, .section: place
      }
    }
    return switch self {
    case .add(let item, let where_, let preview): .add(item: item, place(where_), preview: preview)
    case .patch(let row, let patch, let preview): .patch(row: name(row), patch, preview: preview)
    case .delete(let row): .delete(row: name(row))
    case .move(let row, let to): .move(row: name(row), place(to))
    case .tap(let row): .tap(row: name(row))
    case .action(let row, let id, let body): .action(row: name(row), id: id, body: body)
    case .refresh: .refresh
    }
  }
}

extension TransportResponse {
  fileprivate var isProblem: Bool { headers["content-type"]?.hasPrefix("application/problem+json") == true }
}
