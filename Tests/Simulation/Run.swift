import Definitions
import JSON
import TableEngine
import TableModel
import TestSupport

/// What a run does beside following: each can be left out, to see what a fault needs.
struct Plan {
  enum Part: String, CaseIterable { case reloads, crashes, faults, disk, upstream, windows, edits, board, languages }
  var parts = Set(Part.allCases)
  var steps = 20_000
  var isLoud = false
  var traces = false
}

/// One life of the service under one seed.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Run: @unchecked Sendable {
  let world: World
  let plan: Plan
  /// What is outside of the service: clients, and who operates it.
  let outside: Host
  private let operation: SimulatedQueue
  private let disk: Disk
  private let upstream: NewsUpstream
  private(set) var service: Service?
  private var settings: Settings
  /// Now and then another language comes first, so that each table has another one in its place.
  let changesLanguages: Bool
  /// Editors hardly pause, and much is done to the service.
  let isBusy: Bool
  private(set) lazy var tasks = TaskModel { [unowned self] in fail(nil, $0) }
  private(set) lazy var shown = Shown { [unowned self] in fail(nil, $0) }
  private var followers: [Follower] = []
  private var editors: [Editor] = []
  private(set) var isFaulty = true
  private(set) var isEditing = true
  /// Of `todo`, as somebody saw them last.
  private(set) var rows: [String] = []
  private var newsVersions: [String: [UInt64: Int]] = [:]
  private(set) var crashes = 0
  private var reloads = 0

  init(seed: UInt64, _ plan: Plan) {
    world = World(seed: seed)
    self.plan = plan
    world.history.isLoud = plan.isLoud
    world.traces = plan.traces
    outside = Host("outside", world)
    operation = SimulatedQueue("operation", isSerial: true, outside)
    disk = Disk(world)
    upstream = NewsUpstream(world)
    changesLanguages = world.chance(3)
    settings = Settings.random(world, changesLanguages: changesLanguages)
    isFaulty = plan.parts.contains(.faults)
    upstream.isFaulty = isFaulty
    disk.failsOneOf = plan.parts.contains(.disk) ? world.pick([0, 0, 0, 8, 30, 200]) : 0
    isBusy = world.chance(3)
  }

  func note(_ subject: String, _ text: @autoclosure () -> String) { world.history.note(world, subject, text()) }

  func fail(_ table: String?, _ text: String) -> Never { world.fail(text, about: table.map { [$0] } ?? []) }

  // MARK: The run

  /// - Returns: in words, what has happened.
  func perform() -> String {
    startService()
    makeClients()
    operate()
    while world.steps < plan.steps, world.step() {}
    settle()
    let edits = editors.reduce(0) { $0 + $1.edits }
    let polls = followers.reduce(0) { $0 + $1.polls }
    let seconds = (world.now - 1_000_000_000_000) / 1_000_000_000
    return
      "\(world.steps) steps, \(edits) edits, \(polls) polls, \(reloads) reloads, \(crashes) crashes, \(upstream.requests) fetches, \(seconds) s, digest \(String(world.digest, radix: 16))"
  }

  private func startService() {
    let service = Service("service", world)
    service.onMissedWake = { [unowned self] waiter in
      fail(
        waiter.table.name,
        "nobody has told a poll of \(waiter.table.name) after \(waiter.query.after.map { "\($0)" } ?? "nothing") that it is behind"
      )
    }
    service.mayFail = disk.failsOneOf > 0
    service.onFailedStart = { [unowned self] in crash() }
    self.service = service
    service.start(settings.definition(world), disk, upstream)
  }

  private func makeClients() {
    func first(_ rows: Int) -> LensRequest.Window { WindowRange(rows).map { .rows($0) } ?? .all }
    func follow(_ name: String, _ request: TableRequest, isScrolling: Bool = false) {
      followers.append(Follower(name, request, isScrolling: isScrolling, self))
    }
    follow("ann", TableRequest(table: "todo"))
    follow("bob", TableRequest(table: "todo"))
    if plan.parts.contains(.upstream) { follow("eve", TableRequest(table: "news")) }
    if plan.parts.contains(.board) { follow("joe", TableRequest(table: "board")) }
    if plan.parts.contains(.windows) {
      follow("kim", TableRequest(table: "todo", window: first(4)), isScrolling: true)
      if plan.parts.contains(.upstream) {
        follow("lee", TableRequest(table: "news", window: first(3)), isScrolling: true)
      }
    }
    if plan.parts.contains(.languages) { follow("uwe", TableRequest(table: "todo", locale: "de-DE")) }
    if plan.parts.contains(.edits) { editors = (1...(isBusy ? 6 : 4)).map { Editor("editor\($0)", self) } }
    for follower in followers { follower.start() }
    for editor in editors { editor.start() }
  }

  /// What is done to the service.
  private func operate() {
    guard isFaulty || plan.parts.contains(.reloads) || plan.parts.contains(.upstream) else { return }
    world.after(Double(world.pick(isBusy ? 1...60 : 5...400)), on: operation) { [self] in
      guard isEditing else { return }
      switch world.pick(0...19) {
      case 0...1 where plan.parts.contains(.crashes): crash()
      case 2...6 where plan.parts.contains(.reloads): reload()
      case 7...16 where plan.parts.contains(.upstream): upstream.change()
      default: break
      }
      operate()
    }
  }

  private func crash() {
    guard let service else { return }
    note("service", "is killed")
    crashes += 1
    self.service = nil
    service.crash()
    disk.loseSome()
    world.after(Double(world.pick(1...300)), on: operation) { [self] in startService() }
  }

  private func reload() {
    let next = Settings.random(world, changesLanguages: changesLanguages)
    let began = service?.reload(next.definition(world)) { [self] in note("service", "has another configuration") }
    guard began == true else { return }
    reloads += 1
    note("service", "reads another configuration")
    settings = next
  }

  // MARK: What is shown

  func check(_ mirror: TableMirror, _ table: String, asked: Int?) throws {
    guard let cursor = Cursor(mirror.cursor) else { throw Malformed("a cursor: \(mirror.cursor)") }
    if table == "news" { return try checkNews(mirror, cursor) }
    var shown: [String: TaskModel.Row] = [:]
    for row in mirror.sections.flatMap(\.rows) {
      guard case .string(let id)? = row["id"], let value = Self.write(row, "value"), let note = Self.write(row, "note")
      else { throw Malformed("a row: \(row)") }
      shown[id] = [.value: value, .note: note]
    }
    for field in TaskModel.Field.allCases where Set(shown.values.compactMap { $0[field] }).count < shown.count {
      throw Malformed("one write is shown in two rows: \(shown)")
    }
    tasks.show(TaskModel.Content(table: table, cursor: cursor, rows: shown), asked: asked)
    rows = shown.keys.sorted()
  }

  private static func write(_ row: JSONValue, _ field: String) -> Int? {
    guard case .string(let text)? = row["payload"]?[field], text.first == "w" else { return nil }
    return Int(text.dropFirst())
  }

  /// What the upstream had at some time, and nothing older than what was shown before.
  private func checkNews(_ mirror: TableMirror, _ cursor: Cursor) throws {
    var items: [Int: Int] = [:]
    var revision: Int?
    for row in mirror.sections.flatMap(\.rows) {
      guard case .string(let id)? = row["id"], case .integer(let changed)? = row["payload"]?["revision"] else {
        throw Malformed("a row: \(row)")
      }
      if id == "state" { revision = Int(changed) } else if let id = Int(id) { items[id] = Int(changed) }
    }
    guard let revision else {
      guard items.isEmpty else { throw Malformed("news without its state") }
      return
    }
    guard upstream.past.indices.contains(revision), upstream.past[revision] == items else {
      throw Malformed("news shows \(items), which the upstream never had at revision \(revision)")
    }
    let epoch = cursor.epoch.description
    newsVersions[epoch, default: [:]][cursor.version] = revision
    for (version, other) in newsVersions[epoch] ?? [:]
    where (version < cursor.version && other > revision) || (version > cursor.version && other < revision) {
      throw Malformed("news at \(cursor) shows revision \(revision), and version \(version) revision \(other)")
    }
    if newsVersions[epoch]?.count ?? 0 > 200 {
      newsVersions[epoch] = newsVersions[epoch]?.filter { $0.key + 100 > cursor.version }
    }
  }

  // MARK: The end

  /// Without faults everybody shows the same before long.
  private func settle() {
    note("service", "no more faults")
    (isFaulty, isEditing, upstream.isFaulty, disk.failsOneOf) = (false, false, false, 0)
    let (end, last) = (world.now + 60_000_000_000, world.steps + 400_000)
    while world.now < end, world.steps < last, world.step() {}
    guard world.now >= end else { fail(nil, "there is always something to do: \(world.steps) steps") }
    if service == nil { fail(nil, "the service is not there") }
    for follower in followers {
      guard let mirror = follower.content else { fail(follower.seen.table, "\(follower.name) has no table") }
      compare(follower, mirror)
    }
    if plan.parts.contains(.upstream),
      let eve = followers.first(where: { $0.seen.table == "news" && $0.seen.window == .unnamed })
    {
      let revision = eve.content?.row("state")?["payload"]?["revision"]
      if revision != .integer(Int64(upstream.revision)) {
        fail(
          "news",
          "\(eve.name) shows revision \(revision.map { "\($0)" } ?? "nothing"), the upstream is at \(upstream.revision)"
        )
      }
    }
  }

  private func compare(_ follower: Follower, _ mirror: TableMirror) {
    let asked = world.steps
    nonisolated(unsafe) var answer: ReadAnswer??
    service?.snapshot(TableRequest(table: follower.seen.table, locale: follower.seen.locale, window: .all)) {
      answer = $0
    }
    let end = world.now + 10_000_000_000
    while answer == nil, world.now < end, world.step() {}
    guard case .reply(let body, _)?? = answer, let fresh = try? TableMirror(try JSONValue(parsing: body)) else {
      fail(follower.seen.table, "\(follower.seen.table) is not answered at the end: \(String(describing: answer))")
    }
    do { try check(fresh, follower.seen.table, asked: asked) } catch { fail(follower.seen.table, "\(error)") }
    guard let current = follower.content.flatMap({ Cursor($0.cursor) }), let new = Cursor(fresh.cursor) else { return }
    if current.lensTag?.rows == nil, current != new {
      fail(follower.seen.table, "\(follower.name) is at \(current), the service at \(new)")
    }
  }
}
