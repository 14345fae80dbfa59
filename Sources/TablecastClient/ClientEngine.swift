import Foundation

/// Carries out what the state machines decide: requests, timers, what observers are told, what is kept.
///
/// `@unchecked Sendable`: all that changes is used on `setup.queue` alone; what others read of it is in `shown`, behind its
/// lock.
final class ClientEngine: @unchecked Sendable {
  struct Setup: Sendable {
    /// Without a slash at its end.
    var url: String
    var headers: [String: String]
    var transport: AuthorizedTransport
    var scheduler: any Scheduler
    var store: (any SnapshotStore)?
    var editStore: (any EditStore)?
    var caller: String
    var acceptedCells: String?
    var follower: Follower.Settings
    var seed: UInt64
    var queue: any ClientQueue
    var events: ClientEvents
  }

  let setup: Setup
  let callerDigest: String
  let shown = ShownTables()
  var follower: Follower
  /// By screen.
  var hubs: [TableAddress: TableHub] = [:]
  /// By table.
  var desks: [TableAddress: EditDesk] = [:]
  var random: SplitMix64
  private var requests: [Int: any Cancellable] = [:]
  private var streams: [Int: OpenStream] = [:]
  private var timer: (any Cancellable)?
  private var timerDue: Double?
  private var lastObserver = 0
  var lastSending = 0
  /// The revision before a table's first state: no state of a table that was dropped had it.
  var firstRevision = 0
  /// Why there is no token, where the app's provider gives none.
  var tokenTrouble: ClientTrouble?
  private var wokenAt: Double?

  private struct OpenStream {
    var parser = EventStreamParser(maximumBytes: URLSessionTransport.maximumBytes)
    /// Says how it ended.
    let end: @Sendable (Result<TransportResponse, TransportFailure>) -> ClientEvent.Kind
  }

  init(_ setup: Setup) {
    self.setup = setup
    callerDigest = SHA256.hexDigest(setup.caller)
    follower = Follower(setup.follower, seed: setup.seed)
    random = SplitMix64(seed: setup.seed ^ 1)
    if setup.editStore != nil { perform { $0.restoreEdits() } }
    setup.transport.onNewToken { [weak self] in self?.perform { $0.tryWithNewToken() } }
  }

  /// Nobody takes what polls and streams bring any more. Edits go on: whoever has made them wants them done.
  deinit {
    timer?.cancel()
    for (_, request) in requests.sorted(by: { $0.key < $1.key }) { request.cancel() }
  }

  var now: Double { setup.scheduler.now }

  /// Runs on the engine's queue.
  func perform(_ work: @escaping @Sendable (ClientEngine) -> Void) {
    setup.queue.async { [self] in
      work(self)
      arm()
    }
  }

  /// Waits until everything asked so far is done. For tests and the end of a program.
  func settle() { setup.queue.sync {} }

  // MARK: Observing

  /// Starts with the first observer of a table. `receive` is called on the engine's queue, in order.
  func observe(
    _ address: TableAddress,
    window: RowWindow?,
    receive: @escaping @Sendable (TableChange) -> Void
  ) -> TableObservation {
    let observation = TableObservation()
    perform { engine in
      guard !observation.isCancelled else { return }
      engine.lastObserver += 1
      let number = engine.lastObserver
      // Before there is anybody to tell: what was kept is told once. Edits may be shown already, over no rows.
      if engine.follower.tables[address]?.shownContent == nil { engine.restore(address) }
      engine.hubs[address, default: TableHub(address)].observers[number] = receive
      observation.onCancel { [weak engine] in
        engine?.perform { engine in
          guard engine.hubs[address]?.observers.removeValue(forKey: number) != nil else { return }
          engine.handle(.leave(address))
        }
      }
      if let snapshot = engine.hubs[address]?.snapshot {
        receive(TableChange(kind: .reset, from: snapshot.revision, snapshot: snapshot))
      }
      engine.handle(.observe(address, window))
    }
    return observation
  }

  private func restore(_ address: TableAddress) {
    guard let bytes = setup.store?.load(key(address)), let json = try? JSONText(bytes),
      let content = try? TableContent(snapshot: json)
    else { return }
    handle(.restored(address, content))
  }

  func key(_ address: TableAddress) -> SnapshotKey {
    SnapshotKey(
      origin: setup.url,
      address: address,
      caller: callerDigest,
      cells: setup.acceptedCells ?? ""
    )
  }

  // MARK: Going on

  /// Sends waiting requests anew, at most once a second: their connections may be dead.
  func wake() {
    if let wokenAt, now - wokenAt < 1 { return }
    wokenAt = now
    setup.transport.forgetQuestions()
    handle(.wake)
    wakeEdits(isHanging: true)
  }

  /// The app says that all is well again.
  func tryAgain() {
    handle(.retryRefused)
    wakeEdits(isHanging: false)
  }

  /// The app has another token provider, or none any more.
  func useToken(isGiven: Bool) {
    handle(.tokenReplaced(usesSlots: Follower.usesSlots(hasToken: isGiven, headers: setup.headers)))
    wakeEdits(isHanging: false)
  }

  /// The provider gives another token: what was refused is tried with it. What waits for other reasons waits on.
  func tryWithNewToken() {
    handle(.retryRefused)
    wakeEdits(isHanging: false, keepsDelays: true)
  }

  /// Whether there was a token for a request.
  func note(_ result: Result<TransportResponse, TransportFailure>) {
    var trouble: ClientTrouble?
    if case .failure(let failure) = result, failure.kind == .token { trouble = .noToken(failure.description) }
    guard trouble != tokenTrouble else { return }
    tokenTrouble = trouble
    if let trouble { tell(.trouble(trouble)) }
    for address in hubs.keys { publish(address, .status) }
  }

  // MARK: Telling

  func tell(_ kind: @autoclosure () -> ClientEvent.Kind) {
    setup.events.tell(ClientEvent(date: setup.scheduler.date, kind: kind()))
  }

  /// A request leaves. Returns what is to be told of its end.
  func tellSending(_ method: String, _ target: String)
    -> @Sendable (Result<TransportResponse, TransportFailure>) -> ClientEvent.Kind
  {
    if setup.events.isWatched { tell(.sent(method: method, target: target)) }
    let start = now
    return { [setup] result in
      let seconds = setup.scheduler.now - start
      return switch result {
      case .success(let response):
        .answered(method: method, target: target, status: response.status, bytes: response.body.count, seconds: seconds)
      case .failure(let failure):
        .failed(method: method, target: target, reason: failure.description, seconds: seconds)
      }
    }
  }

  // MARK: Carrying out

  func handle(_ event: Follower.Event) {
    for action in follower.handle(event, now: now) {
      switch action {
      case .send(let id, let target, let timeout): send(id, target, timeout)
      case .stream(let id, let target, let cursor, let timeout): stream(id, target, after: cursor, timeout)
      case .cancel(let id):
        streams[id] = nil
        requests.removeValue(forKey: id)?.cancel()
      case .changed(let address, let change): publish(address, change)
      case .confirmed(let address, let edit, let sight): confirm(address, edit, sight)
      }
    }
  }

  private func send(_ id: Int, _ target: String, _ timeout: Double) {
    let end = tellSending("GET", target)
    requests[id] = transport(for: target).send(request("GET", target, timeout: timeout)) { [weak self] result in
      self?.perform { engine in
        guard engine.requests.removeValue(forKey: id) != nil else { return }
        engine.tell(end(result))
        engine.note(result)
        switch result {
        case .success(let response): engine.handle(.response(id, response))
        case .failure: engine.handle(.failure(id))
        }
      }
    }
  }

  private func stream(_ id: Int, _ target: String, after cursor: TableCursor, _ timeout: Double) {
    let transport = setup.transport
    var request = request("GET", target, timeout: timeout)
    request.headers["Accept"] = "text/event-stream"
    request.headers["Last-Event-ID"] = cursor.text
    streams[id] = OpenStream(end: tellSending("GET", target))
    requests[id] = transport.stream(request) { [weak self] part in
      self?.perform { $0.take(part, of: id) }
    }
  }

  private func take(_ part: StreamPart, of id: Int) {
    guard let request = requests[id], let end = streams[id]?.end else { return }
    func close(_ result: Result<TransportResponse, TransportFailure>) {
      (requests[id], streams[id]) = (nil, nil)
      tell(end(result))
      note(result)
    }
    switch part {
    case .opened: handle(.opened(id))
    case .bytes(let bytes):
      handle(.alive(id))
      do {
        // In place: a copy would cost as much as the event is long by now.
        let events = try streams[id]?.parser.take(bytes) ?? []
        for event in events where event.name == "changes" && requests[id] != nil { handle(.event(id, event.data)) }
      } catch {
        request.cancel()
        close(.failure(TransportFailure("an event of more than \(URLSessionTransport.maximumBytes) bytes")))
        handle(.failure(id))
      }
    case .response(let response):
      close(.success(response))
      handle(.response(id, response))
    case .ended(let failure):
      close(.failure(failure))
      handle(.failure(id))
    }
  }

  func transport(for target: String) -> any Transport {
    UnnameableTransport.answers(target) ? UnnameableTransport() : setup.transport
  }

  func request(_ method: String, _ target: String, timeout: Double) -> TransportRequest {
    var headers = setup.headers
    headers["Accept"] = "application/json"
    headers["Accept-Cells"] = setup.acceptedCells
    return TransportRequest(method, setup.url + target, headers: headers, timeout: timeout)
  }

  /// One timer for everything that is due.
  private func arm() {
    let dues = hubs.values.flatMap { [$0.savesAt, $0.heldUntil] } + desks.values.map(\.edits.nextDue)
    let due = ([follower.nextDeadline] + dues).compactMap(\.self).min()
    guard due != timerDue else { return }
    timer?.cancel()
    timerDue = due
    timer = due.map { due in
      setup.scheduler.schedule(at: due) { [weak self] in
        self?.perform { engine in
          engine.timerDue = nil
          engine.tick()
        }
      }
    }
  }

  private func tick() {
    handle(.time)
    for (address, hub) in hubs {
      if let savesAt = hub.savesAt, savesAt <= now { save(address) }
      if let holdsUntil = hub.heldUntil, holdsUntil <= now { publish(address, .status) }
    }
    for (table, desk) in desks {
      if let nextDue = desk.edits.nextDue, nextDue <= now { resumeEdits(of: table) }
    }
    dropIdle()
  }

  // MARK: Keeping

  /// Not what was found: at the next start nobody has searched.
  func save(_ address: TableAddress) {
    hubs[address]?.savesAt = nil
    guard let store = setup.store, let table = follower.tables[address], table.foundSearch?.isEmpty ?? true,
      let content = table.shownContent
    else { return }
    var output = JSONOutput()
    content.write(to: &output)
    store.save(output.bytes, for: key(address))
  }

  /// Forgets what is kept. What requests of before would bring is not kept either: they are made anew, and ask for a
  /// token anew.
  func purge() {
    purgeEdits()
    setup.transport.forgetQuestions()
    handle(.purged)
    for address in hubs.keys { hubs[address]?.savesAt = nil }
    setup.store?.purge()
  }

  /// Keeps what has not been kept yet.
  func flush() {
    setup.queue.sync {
      for (address, hub) in hubs where hub.savesAt != nil { save(address) }
    }
  }
}
