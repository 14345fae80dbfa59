import TestSupport

extension Run {
  /// What is done to the service.
  func operate() {
    guard isFaulty || plan.parts.contains(.reloads) || plan.parts.contains(.upstream) else { return }
    // Of several, some should be there.
    let isNext = isHasty && world.chance(3)
    world.after(Double(world.pick(isNext ? 0...8 : interval)), on: operation) { [self] in
      guard isEditing else { return }
      guard !isResting else { return operate() }
      if files?.isBroken == true, world.chance(3) { world.chance(2) ? crash(replicas[0]) : end(replicas[0]) }
      perform(isNext ? deeds.any(world) : deeds.next(world))
      operate()
    }
  }

  private func perform(_ deed: Deeds.Deed) {
    let replica = world.pick(replicas)
    switch deed {
    case .crash where plan.parts.contains(.crashes): crash(replica)
    case .end where plan.parts.contains(.crashes): end(replica)
    case .upgrade where plan.parts.contains(.releases): upgrade()
    case .pause where isFaulty: pause(replica)
    case .cut where isFaulty: cut(replica)
    case .configure where plan.parts.contains(.reloads): if database != nil { roll() } else { reload() }
    case .change where plan.parts.contains(.upstream): return upstream.change()
    case .refuse where isFaulty && plan.parts.contains(.disk): return refuseCommits()
    default: return
    }
    if hasCrowds, world.chance(2) { crowd = (replica, world.now + UInt64(world.pick(1...1_000)) * 1_000_000) }
    if isHasty, losesCommits, let database, world.chance(8) { changeServer(database, in: 0...50) }
  }

  /// For a moment the disk takes nothing of some tables, or of all.
  private func refuseCommits() {
    let end = Double(world.pick(1...(world.chance(2) ? 10 : 200)))
    note("service", "the disk refuses commits for \(end) ms")
    if let files {
      files.fail(full: world.pick([0, 1, 3]), sync: world.pick([0, 0, 1, 3]))
    } else {
      disk.refuses = (world.pick([1, 2, 4]), UInt64(world.pick(0...99)))
    }
    world.after(end, on: operation) { [self] in
      disk.refuses = nil
      if isFaulty { files?.failAsUsual() }
    }
  }

  /// Between two things that are done, in milliseconds.
  private var interval: ClosedRange<Int> {
    if database == nil { return isRestless ? 1...20 : isBusy ? 1...60 : 5...400 }
    return isRestless ? 5...100 : isBusy ? 20...400 : 50...2_000
  }

  func crash(_ replica: Place) {
    guard let service = replica.service else { return }
    note("service", "\(replica.name) is killed")
    if database == nil { for tapper in tappers { tapper.forget() } }
    crashes += 1
    service.crash()
    comeBack(replica)
  }

  /// The process has ended, and another one begins before long.
  private func comeBack(_ replica: Place) {
    replica.service = nil
    if let connection = replica.connection {
      connection.end()
    } else if let files {
      let losesPower = world.chance(2)
      if losesPower {
        note("service", "the machine loses its power")
        marker.forget()
        refresher.forget()
      }
      files.end(losesPower: losesPower)
      if losesCommits, !losesPower { changeFiles(files) }
    } else {
      disk.loseSome()
    }
    replica.connection = nil
    world.after(Double(world.pick(1...(database == nil ? 300 : 3_000))), on: operation) { [self] in start(replica) }
  }

  /// A backup is made of the store's files, or put in their place.
  private func changeFiles(_ files: FileDisk) {
    guard isFaulty, files.hasBackup, world.chance(3) else { return files.backUp() }
    note("service", "the store is restored from a backup")
    files.restore()
    loseCommits()
  }

  // MARK: Lulls

  var isResting: Bool { world.now < lullEnd }

  /// Has a client begin something else when the present lull is over. False: there is none.
  func waitsForLull(on queue: SimulatedQueue, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard isResting, isEditing else { return false }
    world.schedule(at: lullEnd + UInt64(world.pick(0...50)) * 1_000_000, on: queue, body)
    return true
  }

  /// Now and then nobody does anything for a while, but for what is under way: what was missed is not made up for by what comes next.
  /// Whoever waits then has to be where the tables are.
  func rest() {
    world.after(Double(world.pick(50...1_500)), on: operation) { [self] in
      guard isEditing else { return }
      let pause = UInt64(world.pick([100, 700, 3_000])) * 1_000_000
      lullEnd = world.now + pause + 700_000_000
      note("service", "everybody rests until \(lullEnd / 1_000_000)")
      world.schedule(at: world.now + pause, on: operation) { [self] in
        for replica in replicas { replica.service?.endWaits() }
      }
      world.schedule(at: lullEnd, on: operation) { [self] in rest() }
    }
  }

  /// Now and then a standby of the database falls behind, and is promoted.
  func changeServers(_ database: Database) {
    world.after(Double(world.pick(50...2_000)), on: operation) { [self] in
      guard isFaulty else { return }
      changeServer(database, in: 0...400)
      changeServers(database)
    }
  }

  /// - Parameter pause: in milliseconds, from when the standby hears of nothing more.
  private func changeServer(_ database: Database, in pause: ClosedRange<Int>) {
    database.leaveStandbyBehind()
    world.after(Double(world.pick(pause)), on: operation) { [self] in
      guard isFaulty, database.promote() else { return }
      note("service", "another server of the database is promoted")
      loseCommits()
    }
  }

  private func loseCommits() {
    tasks.doubt()
    people.doubt()
    marker.forget()
    refresher.forget()
    for tapper in tappers { tapper.forget() }
  }

  /// One of several is stopped, as by SIGSTOP.
  private func pause(_ replica: Place) {
    guard let service = replica.service else { return }
    let pause = world.pick([20, 500, 1_500, 6_000])
    note("service", "\(replica.name) is stopped for \(pause) ms")
    service.host.pausedUntil = world.now + UInt64(pause) * 1_000_000
  }

  /// One of several is cut off from the database: for long, or again and again.
  private func cut(_ replica: Place) {
    if world.chance(2) {
      cut(replica, for: world.pick([20, 500, 1_500, 6_000])) {}
    } else {
      flicker(replica, times: world.pick(3...20))
    }
  }

  private func flicker(_ replica: Place, times: Int) {
    guard times > 0, isFaulty else { return }
    cut(replica, for: world.pick(1...20)) { [self] in
      world.after(Double(world.pick(1...60)), on: operation) { [self] in flicker(replica, times: times - 1) }
    }
  }

  /// - Parameter pause: in milliseconds.
  private func cut(_ replica: Place, for pause: Int, then: @escaping @Sendable () -> Void) {
    guard let connection = replica.connection, !connection.isCut else { return }
    note("service", "\(replica.name) is cut off")
    connection.cut()
    world.after(Double(pause), on: operation) { [self] in
      note("service", "\(replica.name) is connected")
      connection.mend()
      then()
    }
  }

  private func end(_ replica: Place) {
    guard let service = replica.service, service.host.isAlive, !service.isEnding else { return }
    note("service", "\(replica.name) is told to end")
    service.end { [self] in
      guard replica.service === service else { return }
      note("service", "\(replica.name) has ended")
      if database == nil { for tapper in tappers { tapper.forget() } }
      service.crash()
      comeBack(replica)
    }
  }

  /// Puts processes of another release in the place of all, one after the other.
  private func upgrade() {
    release = world.pick([0, 1, 2].filter { $0 != release })
    note("service", "release \(release) is rolled out")
    upgrade(replicas[...], to: release)
  }

  private func upgrade(_ left: ArraySlice<Place>, to release: Int) {
    guard let replica = left.first, self.release == release else { return }
    replica.release = release
    end(replica)
    world.after(Double(world.pick(1...3_000)), on: operation) { [self] in upgrade(left.dropFirst(), to: release) }
  }

  /// Gives another configuration to all replicas, one after the other.
  private func roll() {
    var next = Settings.random(world, changesLanguages: false, renames: renames && !losesCommits, isTight: isTight)
    keepName(&next)
    next.generation = settings.generation + 1
    reloads += 1
    note("service", "generation \(next.generation) is rolled out, \(next.source)")
    settings = next
    for replica in replicas { roll(replica, replica.service, next) }
  }

  private func roll(_ replica: Place, _ service: Service?, _ next: Settings) {
    guard let service, service.host.isAlive else { return }
    world.after(Double(world.pick(1...1_500)), on: operation) { [self] in
      // One that has started since then has begun with it, or with a later one.
      guard service.host.isAlive, settings.generation == next.generation else { return }
      let name = service.host.name
      let began = service.reload(next.definition(world, release: service.release)) { [self] isTaken in
        note("service", "\(name) has\(isTaken ? "" : " not") generation \(next.generation)")
        if !isTaken { roll(replica, service, next) }
      }
      if !began { roll(replica, service, next) }
    }
  }

  private func reload() {
    var next = Settings.random(
      world,
      changesLanguages: changesLanguages,
      renames: renames && !losesCommits,
      isTight: isTight,
      takesAway: isRestless ? 2 : 4
    )
    keepName(&next)
    takeOver(next)
  }

  /// Before a table is stored that shows the items, those of another name are another source's: who comes back to the first name finds what
  /// was there.
  private func keepName(_ next: inout Settings) {
    if !followers.contains(where: { $0.seen.table == "todo" && $0.content != nil }) { next.source = settings.source }
  }

  /// Has the table be there again that a configuration has taken away.
  func bringBack() {
    guard !settings.hasBoard else { return }
    var next = settings
    next.hasBoard = true
    takeOver(next)
    world.after(200, on: operation) { [self] in bringBack() }
  }

  private func takeOver(_ next: Settings) {
    let before = settings
    // The list is asked for by another source, then.
    let asksAnew = next.every != before.every
    let service = replicas[0].service
    let began = service?.reload(next.definition(world, release: service?.release ?? 0)) { [self] isTaken in
      if isTaken, asksAnew { upstream.askAnew() }
      note("service", isTaken ? "has another configuration" : "has refused another configuration")
      // Under another name, that is not the store's, its items would not be found after a restart.
      if !isTaken { settings = before }
    }
    guard began == true else { return }
    reloads += 1
    if asksAnew { upstream.askAnew() }
    note("service", "reads another configuration")
    settings = next
  }
}
