import Foundation

@testable import TablecastClient

/// One random life of an app that edits, on a given clock: it is offline for hours and days, is killed, has a second
/// device beside it, its login ends, it is in a hotel, a proxy errs, and the service is set back to a backup. At the
/// end every edit was done exactly once, or stands in front of the person with its reason.
///
/// `@unchecked Sendable`: one thread lives it; programs run while it waits for them.
final class Life: @unchecked Sendable {
  private enum Network: CaseIterable { case fine, offline, hotel, proxy }
  private enum Kind: String { case add, patch, delete }

  /// A device, with the program that runs on it, if one does.
  private final class Device {
    let disk = LifeStore.Disk()
    var program: Program?
  }

  private final class Program {
    let client: TablecastClient<AnyCell>
    let table: LiveTable<AnyCell>
    let store: LifeStore
    let transport: LifeTransport
    var observation: TableObservation?

    init(_ life: Life, _ disk: LifeStore.Disk, seed: UInt64) {
      store = LifeStore(disk)
      transport = LifeTransport(life)
      var options = ClientOptions()
      (options.transport, options.scheduler, options.editStore, options.seed) = (transport, life.clock, store, seed)
      client = TablecastClient(url: URL(fileURLWithPath: "/"), options: options)
      table = client.table("t")
    }

    var edits: [EditStatus] { table.snapshot?.edits ?? [] }
  }

  let clock = LifeClock()
  private let service: LifeService
  private var random: SplitMix64
  private var network = Network.fine
  private var isSignedIn = true
  private var backup: LifeService.State
  private var devices = [Device()]
  private var made: [(id: EditID, kind: Kind)] = []
  /// Edits that were over before a client could hear that the service was set back to a time before them.
  private var excused: Set<EditID> = []
  private var polls: [(transport: LifeTransport, number: Int, after: String?)] = []
  private(set) var counts: [String: Int] = [:]

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    let takesIdentities = random.next() % 10 < 7
    service = LifeService(takesIdentities: takesIdentities) { [clock] in clock.date }
    backup = service.state
    service.onChange = { [weak self] in self?.answerPolls() }
  }

  private func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
  private func pick<Element>(_ list: [Element]) -> Element? { list.randomElement(using: &random) }
  private func hours(_ most: Double) -> Double { Double.random(in: 0..<1, using: &random) * most * 3600 }

  /// Lives it. Returns what went wrong, in words.
  func live() -> [String] {
    begin(devices[0])
    advance(1)
    for step in 0..<30 { go(step) }
    // All is well again, and somebody looks.
    network = .fine
    isSignedIn = true
    for device in devices where device.program == nil { begin(device) }
    for program in devices.compactMap(\.program) {
      program.observation = program.table.observe { _ in }
      program.client.wake()
      program.client.resume()
    }
    advance(300)
    for program in devices.compactMap(\.program) { program.client.wake() }
    advance(300)
    let wrong = judge()
    for device in devices { kill(device) }
    return wrong
  }

  /// TABLECAST_LIVES_TRACE: each step of a life, and each edit that reaches the service, for a seed that goes wrong.
  private static let isTraced = ProcessInfo.processInfo.environment["TABLECAST_LIVES_TRACE"] != nil

  private func trace(_ text: @autoclosure () -> String) {
    if Self.isTraced { print(clock.now, text()) }
  }

  private func traceStep(_ step: Int) {
    let programs = devices.map { device in
      guard let program = device.program else { return "off" }
      let edits = program.edits.map { "\($0.id.description.prefix(4)) \(String(describing: $0.state).prefix(60))" }
      let table = program.table.snapshot
      return "\(table?.cursor?.text ?? "nothing") \(table.map { "\($0.connection)" } ?? "") \(edits)"
    }
    trace("step \(step), \(network), the service at \(service.cursor): \(programs)")
  }

  private func go(_ step: Int) {
    traceStep(step)
    guard let device = pick(devices) else { return }
    let program = device.program ?? begin(device)
    switch Double.random(in: 0..<1, using: &random) {
    case ..<0.4: edit(program)
    case ..<0.55: network = pick([.fine, .fine, .offline, .hotel, .proxy, .proxy]) ?? .fine
    case ..<0.62:
      clock.sleep(hours(pick([1, 10, 60]) ?? 1))
      if chance(0.7) { program.client.wake() }
    case ..<0.7:
      kill(device)
      if chance(0.8) { begin(device) }
    case ..<0.75: if devices.count < 3 { devices.append(Device()) }
    case ..<0.8: _ = service.edit("POST", "/v1/tables/t/items", key: "device\(step)")
    case ..<0.83:
      if let row = pick(service.state.rows) {
        _ = service.edit("DELETE", "/v1/tables/t/items/\(row)", key: "device\(step)")
      }
    case ..<0.87: isSignedIn = false
    case ..<0.92:
      isSignedIn = true
      if chance(0.5) { program.client.resume() }
    case ..<0.95: backup = service.state
    case ..<0.97:
      settle()
      service.setBack(to: backup)
      trace("set back")
      // Replies take 0.01 s: those that arrive before are the former service's, and tell nothing of this.
      advance(0.0099)
      let open = Set(listed.keys)
      for (id, _) in made where !open.contains(id) && backup.done[id.description] == nil { excused.insert(id) }
    default:
      let bad = program.edits.first { if case .refused = $0.state { true } else { false } }
      if let bad { program.table.retry(bad.id) }
    }
    advance(Double.random(in: 0..<1, using: &random) * (pick([0.1, 2, 60]) ?? 1))
  }

  @discardableResult
  private func begin(_ device: Device) -> Program {
    let program = Program(self, device.disk, seed: random.next())
    device.program = program
    if chance(0.8) { program.observation = program.table.observe { _ in } }
    settle()
    return program
  }

  private func kill(_ device: Device) {
    device.program?.store.die()
    device.program?.transport.die()
    device.program?.observation?.cancel()
    device.program = nil
  }

  private func settle() { for device in devices { device.program?.client.engine.settle() } }
  private func advance(_ seconds: Double) { clock.advance(by: seconds) { settle() } }

  private func edit(_ program: Program) {
    settle()
    let rows = program.table.snapshot?.sections.flatMap { $0.rows.map(\.id) } ?? []
    let added = program.edits.compactMap(\.addedRow)
    let target = chance(0.4) && !added.isEmpty ? pick(added) : pick(rows)
    let title = chance(0.1) ? "bad" : "new"
    guard let item = try? JSONText("{\"title\":\"\(title)\"}"),
      let preview = try? JSONText("{\"cellIdentifier\":\"C\",\"payload\":{}}")
    else { return }
    let kind: Kind = target == nil ? .add : pick([.add, .add, .patch, .patch, .delete]) ?? .add
    let edit =
      switch kind {
      case .add: program.table.add(item, preview: preview)
      case .patch: program.table.patch(target ?? "", item)
      case .delete: program.table.delete(target ?? "")
      }
    made.append((edit.id, kind))
    settle()
  }

  // MARK: The network

  /// Takes a request of a program's. On the program's queue, while the life waits for it.
  func take(_ request: TransportRequest, _ transport: LifeTransport, _ number: Int) {
    func fail(_ kind: TransportFailure.Kind) {
      transport.answer(number, .failure(TransportFailure("broken", kind: kind)))
    }
    func page(_ status: Int) {
      let headers = ["content-type": "text/html"]
      let response = TransportResponse(status: status, headers: headers, json: "<html>Welcome</html>")
      transport.answer(number, .success(response))
    }
    var breaksAfter = false
    switch network {
    case .fine: break
    case .offline: return fail(.unsent)
    case .hotel: return page(pick([200, 403, 404, 511]) ?? 200)
    case .proxy:
      switch pick(["502", "504", "200", "before", "after", "hang", "none", "none"]) {
      case "502": return page(502)
      case "504": return page(504)
      case "200": return transport.answer(number, .success(TransportResponse(json: "{}")))
      case "before": return fail(.unsent)
      case "hang": return
      case "after": breaksAfter = true
      default: break
      }
    }
    guard isSignedIn else { return transport.answer(number, LifeService.Answer.problem(401, "Unauthorized")) }
    let path = String(request.url.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "?" })
    guard request.method == "GET" else {
      let body = String(decoding: request.body ?? [], as: UTF8.self)
      let local = path.range(of: "/v1/").map { String(path[$0.lowerBound...]) } ?? path
      let key = request.headers["Idempotency-Key"] ?? ""
      let answer = service.edit(request.method, local, key: key, body: body)
      trace("\(request.method) \(local) \(key.prefix(4)): \(answer), lost: \(breaksAfter)")
      return breaksAfter ? fail(.broken) : transport.answer(number, answer)
    }
    let query = URLComponents(string: request.url)?.queryItems ?? []
    let after = query.first { $0.name == "after" }?.value
    let wait = query.first { $0.name == "wait" }?.value.flatMap(Double.init) ?? 0
    if breaksAfter { return fail(.broken) }
    guard after == service.cursor, wait > 0 else { return transport.answer(number, service.poll(after: after)) }
    polls.append((transport, number, after))
    _ = clock.schedule(at: clock.now + wait) { [weak transport, weak self] in
      guard let self, let transport else { return }
      polls.removeAll { $0.transport === transport && $0.number == number }
      transport.answer(number, service.poll(after: after))
    }
  }

  private func answerPolls() {
    let waiting = polls
    polls = []
    for poll in waiting { poll.transport.answer(poll.number, service.poll(after: poll.after)) }
  }

  // MARK: The end

  /// What stands in front of somebody.
  private var listed: [EditID: EditStatus] {
    Dictionary(devices.compactMap(\.program).flatMap(\.edits).map { ($0.id, $0) }) { first, _ in first }
  }

  private func judge() -> [String] {
    settle()
    let open = listed
    var wrong: [String] = []
    for (id, kind) in made {
      let done = service.state.done[id.description] ?? 0
      let edit = open[id]
      let what = "\(kind) \(id)"
      var state = "done"
      switch edit?.state {
      case nil: if done != 1, !excused.contains(id) { wrong.append("\(what) has disappeared, done \(done) times") }
      case .refused(let problem)?:
        state = "refused"
        if done > 0, !excused.contains(id) { wrong.append("\(what) was done, and is refused: \(problem)") }
        if problem.title.isEmpty || problem.title.hasPrefix("HTTP") {
          wrong.append("\(what) has no reason: \(problem)")
        }
      case .unknown?: state = "unknown"
      case .local? where waitsForAnother(edit, open): state = "waiting"
      case let other?:
        wrong.append("\(what) is still \(other), trouble \(devices.map { $0.program?.table.snapshot?.trouble })")
      }
      if done > 1 { wrong.append("\(what) was done \(done) times") }
      counts[state, default: 0] += 1
    }
    counts["excused", default: 0] += excused.count
    return wrong
  }

  /// It is about a row whose addition stands in front of the person: until they decide, it waits.
  private func waitsForAnother(_ edit: EditStatus?, _ open: [EditID: EditStatus]) -> Bool {
    open.values.contains { $0.state.isOver && $0.addedRow != nil && $0.addedRow == edit?.edit.row }
  }
}

/// A program's way into the network of a life. Answers come a moment later, on the clock.
///
/// `@unchecked Sendable`: what changes is used with the lock held; the life itself waits while programs run.
final class LifeTransport: Transport, @unchecked Sendable {
  typealias Completion = @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  private unowned let life: Life
  private let lock = NSLock()
  private var open: [Int: Completion] = [:]
  private var last = 0
  private var isDead = false

  init(_ life: Life) { self.life = life }

  func die() {
    lock.withLock {
      isDead = true
      open = [:]
    }
  }

  func send(_ request: TransportRequest, completion: @escaping Completion) -> any Cancellable {
    let number: Int? = lock.withLock {
      guard !isDead else { return nil }
      last += 1
      open[last] = completion
      return last
    }
    // The life takes it when the program waits.
    if let number {
      _ = life.clock.schedule(at: life.clock.now + 0.01) { [weak self] in self?.arrive(request, number) }
    }
    return Call { [weak self] in self?.lock.withLock { self?.open[number ?? 0] = nil } }
  }

  private struct Call: Cancellable {
    let action: @Sendable () -> Void
    func cancel() { action() }
  }

  private func arrive(_ request: TransportRequest, _ number: Int) {
    if lock.withLock({ open[number] != nil }) { life.take(request, self, number) }
  }

  func answer(_ number: Int, _ result: Result<TransportResponse, TransportFailure>) {
    let completion = lock.withLock { isDead ? nil : open.removeValue(forKey: number) }
    if let completion { _ = life.clock.schedule(at: life.clock.now + 0.01) { completion(result) } }
  }

  func answer(_ number: Int, _ answer: LifeService.Answer) {
    let headers = ["content-type": answer.type]
    self.answer(number, .success(TransportResponse(status: answer.status, headers: headers, json: answer.json)))
  }
}
