/// Follows tables: events in, actions out, the time given. Makes no request itself.
///
/// A newcomer asks alone and at once, then joins the others in one `/v1/changes`. What fails is asked again after a
/// random delay, first with `wait=0`; what is illegal is asked for as a whole; a problem document with 4xx ends the table
/// that it is about.
struct Follower: Sendable {
  struct Settings: Sendable {
    /// Seconds that a poll waits.
    var wait = 20.0
    /// Seconds beyond the wait after which a poll is given up.
    var watchdog = 10.0
    /// Likewise for a whole snapshot, which may be long and the network slow.
    var snapshotTimeout = 30.0
    /// Seconds that a table is followed on after its last observer has gone.
    var linger = 5.0
    /// Tables in one request.
    var maximumJoined = 64
    /// Characters of all cursors in one request, well below what proxies take as a URL.
    var maximumTarget = 6000
    /// Whether tables that say so are polled through caches: not where a reply may depend on who asks.
    var usesSlots = true
    /// The value of `Accept-Cells`.
    var acceptedCells: String?
    /// Whether tables are followed by streams instead of polls.
    var usesStreams = false
    /// Streams at one time: each keeps a connection. Further tables are polled together.
    var mostStreams = 8
    /// Seconds of silence after which a stream is given up: a service gives a sign of life every 15.
    var streamSilence = 40.0
    /// Seconds after the last letter in which a search is asked for.
    var typingPause = 0.15
  }

  enum Event: Sendable {
    case observe(TableAddress, RowWindow?)
    case leave(TableAddress)
    /// What was kept of an earlier time.
    case restored(TableAddress, TableContent)
    case response(Int, TransportResponse)
    case failure(Int)
    /// A stream has begun, gave a sign of life, brought an event.
    case opened(Int)
    case alive(Int)
    case event(Int, [UInt8])
    case time
    case pause(String, TableAddress?)
    case resume(String, TableAddress?)
    /// The app came to the foreground, the network came back: what waits may wait in vain.
    case wake
    case widen(TableAddress, RowWindow)
    case reload(TableAddress)
    /// What somebody looks for; nil: nothing any more.
    case find(TableAddress, TableSearch?)
    /// There is a new token, or the app wants it: tables that were refused are asked for again.
    case retryRefused
    /// The app has another token provider, or none any more.
    case tokenReplaced(usesSlots: Bool)
    /// The stored states were deleted, as the user is gone.
    case purged
    /// An edit was answered with a cursor; nil where it can't be told.
    case answered(TableAddress, EditID, TableCursor?)
  }

  enum Action: Sendable {
    /// Paths and queries, to be put behind the service's URL.
    case send(Int, target: String, timeout: Double)
    /// A stream, from the cursor that the client has.
    case stream(Int, target: String, after: TableCursor, timeout: Double)
    case cancel(Int)
    case changed(TableAddress, Change)
    case confirmed(TableAddress, EditID, AwaitedEdit.Sight)
  }

  enum Change: Sendable {
    case stages([TableStage])
    case reset
    case status
  }

  private(set) var settings: Settings
  var tables: [TableAddress: FollowedTable] = [:]
  var lanes: [PollLane.ID: PollLane] = [:]
  var pauses: Set<String> = []
  var random: SplitMix64
  var actions: [Action] = []
  var lastRequest = 0
  var wokenAt: Double?

  init(_ settings: Settings = Settings(), seed: UInt64 = .random(in: 0 ... .max)) {
    self.settings = settings
    random = SplitMix64(seed: seed)
  }

  /// Takes an event; what is to be done comes in order.
  mutating func handle(_ event: Event, now: Double) -> [Action] {
    switch event {
    case .observe(let address, let window): observe(address, window)
    case .leave(let address): leave(address, now: now)
    case .restored(let address, let content): restore(address, content)
    case .response(let id, let response): receive(id, response, now: now)
    case .failure(let id): fail(id, now: now)
    case .opened(let id): streamOpened(id, now: now)
    case .alive(let id): streamAlive(id, now: now)
    case .event(let id, let data): streamEvent(id, data, now: now)
    case .time: break
    case .pause(let reason, let address): pause(reason, address)
    case .resume(let reason, let address): resume(reason, address, now: now)
    case .wake: wake(now: now)
    case .widen(let address, let window): widen(address, window)
    case .reload(let address): reload(address, now: now)
    case .find(let address, let search): find(address, search, now: now)
    case .retryRefused: reloadRefused(now: now)
    case .tokenReplaced(let usesSlots):
      settings.usesSlots = usesSlots
      reloadRefused(now: now)
      renewRequests(now: now)
    case .purged: purge()
    case .answered(let address, let edit, let cursor): look(for: edit, cursor, in: address)
    }
    expire(now: now)
    noteLeft(now: now)
    arrange(now: now)
    defer { actions = [] }
    return actions
  }

  /// When `time` is due next, if nothing happens before.
  var nextDeadline: Double? {
    let lanes = lanes.flatMap { id, lane in
      lane.outstanding.map { [$0.deadline] } ?? (isWanted(id) ? [lane.retryAt].compactMap(\.self) : [])
    }
    return (lanes + tables.values.flatMap { [$0.endsAt, $0.typed?.due].compactMap(\.self) }).min()
  }

  private func isWanted(_ id: PollLane.ID) -> Bool { tables.values.contains { lane(of: $0) == id } }

  // MARK: What observers do

  private mutating func observe(_ address: TableAddress, _ window: RowWindow?) {
    var table = tables[address] ?? FollowedTable(address)
    if table.isGlimpse {
      // Nor is the row that is on its way.
      cancel(.alone(address))
      (table.isGlimpse, table.mirror, table.needsSnapshot) = (false, nil, false)
      if table.refusal == nil { table.connection = .connecting }
    }
    if !table.isActive {
      table.isNewcomer = true
      if table.refusal != nil { actions.append(.changed(address, .status)) }
      table.refusal = nil
      table.connection = table.mirror == nil ? .connecting : .cached
    }
    // Further observers share the window as the others have left it.
    if !table.isFollowed { (table.window, table.asksForWindow) = (window, true) }
    table.observers += 1
    table.endsAt = nil
    tables[address] = table
    showPauses(address)
  }

  private mutating func leave(_ address: TableAddress, now: Double) {
    guard var table = tables[address], table.observers > 0 else { return }
    table.observers -= 1
    if table.observers == 0 { table.endsAt = now + settings.linger }
    tables[address] = table
  }

  private mutating func restore(_ address: TableAddress, _ content: TableContent) {
    var table = tables[address] ?? FollowedTable(address)
    guard table.shownContent == nil, let mirror = try? TableMirror(content) else { return }
    (table.isGlimpse, table.needsSnapshot, table.foundSearch) = (false, false, nil)
    table.mirror = mirror
    table.name = content.name
    if table.refusal == nil { table.connection = .cached }
    tables[address] = table
    actions.append(.changed(address, .reset))
  }

  private mutating func widen(_ address: TableAddress, _ window: RowWindow) {
    guard var table = tables[address] else { return }
    table.window = window
    table.asksForWindow = true
    tables[address] = table
  }

  private mutating func reload(_ address: TableAddress, now: Double) {
    guard var table = tables[address] else { return }
    table.refusal = nil
    table.isNewcomer = true
    table.isSeparate = false
    table.connection = table.mirror == nil ? .connecting : .cached
    tables[address] = table
    lanes[.alone(address)]?.hasten(now: now)
    actions.append(.changed(address, .status))
  }

  mutating func reloadRefused(now: Double) {
    for (address, table) in tables where table.refusal != nil { reload(address, now: now) }
  }

  /// Polls that are over their time, tables that nobody observes any more.
  private mutating func expire(now: Double) {
    for lane in lanes.values {
      guard let outstanding = lane.outstanding, outstanding.deadline <= now else { continue }
      actions.append(.cancel(outstanding.id))
      fail(outstanding.id, now: now)
    }
    for (address, table) in tables {
      if let typed = table.typed, typed.due <= now {
        tables[address]?.search = typed.search
        tables[address]?.typed = nil
      }
      guard let endsAt = table.endsAt, endsAt <= now else { continue }
      var table = table
      table.endsAt = nil
      // Who comes next has not searched.
      (table.search, table.typed, table.searchProblem) = (nil, nil, nil)
      // Nor was refused. An edit that is still looked for waits for another login.
      if !table.isActive { table.refusal = nil }
      if table.refusal == nil { table.connection = table.mirror == nil ? .connecting : .cached }
      tables[address] = table
      actions.append(.changed(address, .status))
    }
  }

  private mutating func noteLeft(now: Double) {
    for (address, table) in tables where table.isActive == (table.leftAt != nil) {
      tables[address]?.leftAt = table.isActive ? nil : now
    }
  }

  mutating func cancel(_ id: PollLane.ID) {
    guard let outstanding = lanes[id]?.outstanding else { return }
    actions.append(.cancel(outstanding.id))
    lanes[id]?.outstanding = nil
  }

  mutating func show(_ address: TableAddress, _ connection: TableConnection) {
    guard let table = tables[address], table.connection != connection else { return }
    tables[address]?.connection = connection
    actions.append(.changed(address, .status))
  }
}

/// Edits that were answered, until their table has them.
extension Follower {
  /// An edit was answered: its table is asked until it has the edit.
  mutating func look(for edit: EditID, _ cursor: TableCursor?, in address: TableAddress) {
    var table = tables[address] ?? FollowedTable(address)
    if !table.isActive, table.mirror == nil {
      // The cursor alone counts, which one row brings as well as all.
      table.isGlimpse = address.screen?.window == nil
      table.window = address.screen?.window ?? RowWindow(1)
    }
    table.awaited.append(AwaitedEdit(edit: edit, cursor: cursor, answeredBefore: lastRequest))
    tables[address] = table
    if let problem = table.refusal, problem.status != 401 { giveUp(address) } else { confirm(address) }
  }

  /// Tells of the edits that the table now has.
  mutating func confirm(_ address: TableAddress, by request: Int = 0, isWhole: Bool = false) {
    guard let table = tables[address], !table.awaited.isEmpty else { return }
    var left: [AwaitedEdit] = []
    for edit in table.awaited {
      let isAsNew = edit.cursor.map { table.content?.cursor.isAsNew(as: $0) ?? false } ?? false
      if isAsNew || isWhole && request > edit.answeredBefore {
        let isOther = edit.cursor.map { $0.epoch != table.content?.cursor.epoch } ?? false
        actions.append(.confirmed(address, edit.edit, isOther ? .otherEpoch : .shown))
      } else {
        left.append(edit)
      }
    }
    tables[address]?.awaited = left
    guard request > 0 else { return }
    let polls = left.isEmpty ? 0 : table.confirmationPolls + 1
    tables[address]?.confirmationPolls = polls
    // Of another epoch, or not told: only a snapshot that is asked for now can show it.
    if polls > 4 || left.contains(where: { $0.cursor == nil || $0.cursor?.epoch != table.content?.cursor.epoch }) {
      tables[address]?.needsSnapshot = !left.isEmpty
    }
  }

  /// Nobody will see an edit of a table that isn't shown.
  mutating func giveUp(_ address: TableAddress) {
    for edit in tables[address]?.awaited ?? [] { actions.append(.confirmed(address, edit.edit, .never)) }
    tables[address]?.awaited = []
  }
}
