import Definitions
import JSON
import TableEngine
import TableModel
import TableStore
import TestSupport

/// What a run does beside following: each can be left out, to see what a fault needs.
struct Plan {
  enum Part: String, CaseIterable {
    case reloads, crashes, faults, disk, upstream, windows, edits, board, languages, finds, families, callers, views,
      lookups,
      marks, app, files, refreshes, promotions, backups, bounds, lulls, releases, replicas

    /// Each run has these.
    var isEverywhere: Bool { [.faults, .edits, .files, .replicas].contains(self) }
  }
  /// Replicas come where they are asked for.
  var parts = Set(Part.allCases).subtracting([.replicas])
  var steps = 20_000
  var isLoud = false
  var traces = false
  /// Prints what followers are sent and show.
  var records = false

  /// Of every second run some parts are left out, so that it has more of the others; and some are longer than others.
  func varied(_ world: World) -> Plan {
    var plan = self
    let isWhole = world.chance(2)
    for part in Part.allCases where !part.isEverywhere {
      if world.chance(3), !isWhole { plan.parts.remove(part) }
    }
    // Of several there is more to be seen, at less cost.
    plan.steps = steps * world.pick([1, 2, 4]) / (parts.contains(.replicas) ? 1 : 2)
    return plan
  }
}

/// One life of the service under one seed.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Run: @unchecked Sendable {
  let world: World
  let plan: Plan
  /// What is outside of the service: clients, and who operates it.
  let outside: Host
  let operation: SimulatedQueue
  let disk: Disk
  /// The store's files; nil: it is one in memory, that of `disk`.
  let files: FileDisk?
  /// What the replicas share; nil: there is one process, which has a store for itself.
  let database: Database?
  let upstream: NewsUpstream
  var replicas: [Place] = []

  /// One that takes requests; nil where there is none at the moment.
  var service: Service? {
    guard replicas.count > 1 else { return replicas[0].service }
    let alive = replicas.compactMap(\.service)
    let ready = alive.filter(\.isReady)
    if let crowd, world.now < crowd.until, let service = crowd.replica.service, service.isReady || world.chance(8) {
      return service
    }
    // Who asks may not have heard that one isn't ready.
    let choice = ready.isEmpty || world.chance(20) ? alive : ready
    return choice.isEmpty ? nil : world.pick(choice)
  }
  var settings: Settings
  /// Now and then another language comes first, so that each table has another one in its place.
  let changesLanguages: Bool
  /// Editors hardly pause, and much is done to the service.
  let isBusy: Bool
  /// Of the service: it is about to be everywhere.
  var release = 0
  /// Even more is done to it: with one process a configuration is hardly there when the next one comes.
  let isRestless: Bool
  let deeds: Deeds
  /// Much that is done is followed by something else at once.
  let isHasty: Bool
  /// Of several, the one to which something was done is asked by all for a while.
  let hasCrowds: Bool
  var crowd: (replica: Place, until: UInt64)?
  /// Now and then the store is what it was some time ago.
  let losesCommits: Bool
  /// Now and then the items' source is called otherwise.
  let renames: Bool
  /// Now and then nobody does anything for a while.
  let hasLulls: Bool
  /// When the present lull is over, or the last one was.
  var lullEnd: UInt64 = 0
  /// What may be kept in memory is little.
  private(set) var isTight: Bool
  lazy var people = TaskModel { [unowned self] in fail(nil, "people: \($0)") }
  lazy var tasks = TaskModel { [unowned self] in fail(nil, $0) }
  lazy var shown = Shown { [unowned self] in fail(nil, $0) }
  var followers: [Follower] = []
  var editors: [Editor] = []
  var tappers: [Tapper] = []
  lazy var marker = Marker(self)
  lazy var refresher = Refresher(self)
  var apps: [App] = []
  /// Of `news`, as somebody saw them last.
  var newsRows: [String] = []
  /// Whose items there are.
  static let owners = ["ida", "leo"]
  var isFaulty = true
  var isEditing = true
  /// The readers are about to be compared with the service.
  var isJudging = false
  /// Of `todo`, as somebody saw them last.
  var rows: [String] = []
  var newsVersions: [String: [UInt64: Int]] = [:]
  var crashes = 0
  var reloads = 0

  init(seed: UInt64, _ plan: Plan) {
    world = World(seed: seed)
    let plan = plan.varied(world)
    self.plan = plan
    world.history.isLoud = plan.isLoud
    world.traces = plan.traces
    outside = Host("outside", world)
    operation = SimulatedQueue("operation", isSerial: true, outside)
    disk = Disk(world)
    upstream = NewsUpstream(world)
    changesLanguages = world.chance(3)
    isRestless = world.chance(4)
    renames = isRestless ? !world.chance(3) : world.chance(3)
    hasLulls = world.chance(2)
    isHasty = world.chance(2)
    hasCrowds = world.chance(2)
    isTight = plan.parts.contains(.bounds) && world.chance(3)
    settings = Settings.random(world, changesLanguages: changesLanguages, renames: renames, isTight: isTight)
    isFaulty = plan.parts.contains(.faults)
    upstream.isFaulty = isFaulty
    disk.failsOneOf = plan.parts.contains(.disk) ? world.pick([0, 0, 4, 8, 30, 200]) : 0
    isBusy = world.chance(3)
    let count = plan.parts.contains(.replicas) ? world.pick([2, 2, 3, 5]) : 1
    deeds = Deeds(world, withReplicas: count > 1, isRestless: isRestless)
    database = count > 1 ? Database(world) : nil
    world.pace = UInt64(world.pick(count > 1 ? [1, 3, 8] : [1, 1, 3]))
    if isFaulty { database?.breaksOneOf = world.pick([0, 0, 50, 400]) }
    database?.isHeardLateOneOf = world.pick([0, 5, 30])
    replicas = (1...count).map { Place(count > 1 ? "replica \($0)" : "service") }
    // Replicas of two generations have the same languages and sources: a table in another language is another one.
    if database != nil { (disk.failsOneOf, settings.isGerman) = (0, false) }
    // Members that replicas share make room for one another too often there for anybody to see much of them.
    if database != nil { (isTight, settings.isTight) = (false, false) }
    files = plan.parts.contains(.files) && count == 1 && world.chance(2) ? FileDisk(world) : nil
    let loses = database != nil ? plan.parts.contains(.promotions) : files != nil && plan.parts.contains(.backups)
    losesCommits = loses && world.chance(3)
    // A backup may have a source under both names.
    if losesCommits { settings.source = "tasks" }
    if files != nil, plan.parts.contains(.disk), isFaulty {
      files?.usual = (world.pick([0, 0, 200, 2_000]), world.pick([0, 0, 100, 1_000]))
      files?.failAsUsual()
    }
  }

  func note(_ subject: String, _ text: @autoclosure () -> String) { world.history.note(world, subject, text()) }

  func fail(_ table: String?, _ text: String) -> Never { world.fail(text, about: table.map { [$0] } ?? []) }

  // MARK: The run

  /// - Returns: in words, what has happened.
  func perform() -> String {
    for replica in replicas { start(replica) }
    makeClients()
    operate()
    if losesCommits, let database { changeServers(database) }
    if hasLulls, plan.parts.contains(.lulls) { rest() }
    while world.steps < plan.steps, world.step() {}
    settle()
    let edits = apps.reduce(editors.reduce(marker.edits) { $0 + $1.edits }) { $0 + $1.edits }
    let polls = followers.reduce(0) { $0 + $1.polls }
    let seconds = (world.now - 1_000_000_000_000) / 1_000_000_000
    return
      "\(world.steps) steps, \(edits) edits, \(polls) polls, \(reloads) reloads, \(crashes) crashes, \(upstream.requests) fetches, \(seconds) s, digest \(String(world.digest, radix: 16))"
  }

  func start(_ replica: Place) {
    let service = Service(replica.name, release: replica.release, world)
    service.mayFail = isFaulty && plan.parts.contains(.disk) || database != nil || files != nil
    service.onFailedStart = { [unowned self] in crash(replica) }
    replica.service = service
    let connection = database.map { DatabaseConnection($0, of: service.host) }
    if database != nil { service.host.skew = Int64(world.pick(-3_000...3_000)) * 1_000_000 }
    replica.connection = connection
    guard let store = connection ?? open(service, at: replica) else { return }
    service.start(settings.definition(world, release: replica.release), store, upstream)
  }

  /// Nil: the files can't be opened for now, and the process ends.
  private func open(_ service: Service, at replica: Place) -> (any Store)? {
    guard let files else { return disk }
    // What the last process has left is not brought home then.
    if isFaulty, plan.parts.contains(.disk), world.chance(6) {
      files.fail(full: world.pick(2...8), sync: files.usual.sync)
    }
    defer { if isFaulty { files.failAsUsual() } }
    do throws(StoreError) { return try files.open(service.host) } catch {
      guard isFaulty else { fail(nil, "the store can't be opened: \(error)") }
      if case .corrupt = error { fail(nil, "the store is broken: \(error)") }
      note("service", "the store can't be opened: \(error)")
      crash(replica)
      return nil
    }
  }

  private func makeClients() {
    func first(_ rows: Int) -> LensRequest.Window { WindowRange(rows).map { .rows($0) } ?? .all }
    func follow(_ name: String, _ request: TableRequest, isScrolling: Bool = false, isFinding: Bool = false) {
      followers.append(Follower(name, request, isScrolling: isScrolling, isFinding: isFinding, self))
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
    if plan.parts.contains(.languages) {
      follow("uwe", TableRequest(table: "todo", locale: "de-DE"))
      if plan.parts.contains(.upstream) { follow("ute", TableRequest(table: "news", locale: "de-DE")) }
    }
    if plan.parts.contains(.finds) {
      follow("pat", TableRequest(table: "todo"), isFinding: true)
      follow("sam", TableRequest(table: "todo", window: first(3)), isScrolling: true, isFinding: true)
    }
    if plan.parts.contains(.families) {
      for list in ["a", "b"] { follow("fay \(list)", TableRequest(table: "only;list=\(list)")) }
    }
    if plan.parts.contains(.upstream), plan.parts.contains(.families) {
      // Nobody follows the others, which are read now and then.
      let kinds = world.chance(2) ? ["b"] : ["a", "b"]
      for kind in kinds { follow("pia \(kind)", TableRequest(table: "part;kind=\(kind)")) }
      follow("part of b", TableRequest(table: "part;kind=b", window: first(2)), isScrolling: true)
    }
    if plan.parts.contains(.upstream), plan.parts.contains(.lookups) { follow("jon", TableRequest(table: "joined")) }
    if plan.parts.contains(.callers) {
      for caller in Self.owners { follow("of \(caller)", TableRequest(table: "mine", caller: caller)) }
      let part = TableRequest(table: "mine", window: first(2), caller: Self.owners[0])
      follow("part of \(Self.owners[0])", part, isScrolling: true, isFinding: true)
    }
    if plan.parts.contains(.lookups) { follow("zoe", TableRequest(table: "people")) }
    if plan.parts.contains(.views) {
      for view in ["left", "right"] { tappers.append(Tapper(TableRequest(table: "todo", view: view), self)) }
      tappers.append(Tapper(TableRequest(table: "board"), self))
    }
    for tapper in tappers { tapper.start() }
    if plan.parts.contains(.upstream), plan.parts.contains(.marks) { marker.start() }
    if plan.parts.contains(.upstream), plan.parts.contains(.refreshes) { refresher.start() }
    // No client can know that what was confirmed is gone.
    if plan.parts.contains(.edits), plan.parts.contains(.app), !losesCommits {
      apps = ["app", "other app"].prefix(world.pick(1...2)).map { App($0, self) }
    }
    for app in apps { app.start() }
    if plan.parts.contains(.edits), plan.parts.contains(.lookups) {
      editors.append(Editor("namer", self, isNamer: true))
    }
    if plan.parts.contains(.edits) { editors += (1...(isBusy ? 6 : 4)).map { Editor("editor\($0)", self) } }
    for follower in followers { follower.start() }
    for editor in editors { editor.start() }
  }
}
