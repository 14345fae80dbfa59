import TestSupport

extension Run {
  /// What is done to the service.
  func operate() {
    guard isFaulty || plan.parts.contains(.reloads) || plan.parts.contains(.upstream) else { return }
    // Of several, some should be there.
    world.after(Double(world.pick(pause)), on: operation) { [self] in
      guard isEditing else { return }
      if files?.isBroken == true, world.chance(3) { crash(replicas[0]) }
      switch world.pick(0...19) {
      case 0...1 where plan.parts.contains(.crashes) && (!isRestless || world.chance(4)): crash(world.pick(replicas))
      case 2...5 where database != nil && isFaulty: disturb(world.pick(replicas))
      case 6 where database != nil && plan.parts.contains(.reloads): roll()
      case 2...6 where plan.parts.contains(.reloads) && database == nil: reload()
      case 17 where plan.parts.contains(.crashes) && database == nil && world.chance(2): end(replicas[0])
      case 7...16 where plan.parts.contains(.upstream): upstream.change()
      default: break
      }
      operate()
    }
  }

  /// Between two things that are done, in milliseconds.
  private var pause: ClosedRange<Int> {
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

  /// Now and then a standby of the database falls behind, and is promoted.
  func changeServers(_ database: Database) {
    world.after(Double(world.pick(50...2_000)), on: operation) { [self] in
      database.leaveStandbyBehind()
      world.after(Double(world.pick(0...400)), on: operation) { [self] in
        guard isFaulty else { return }
        note("service", "another server of the database is promoted")
        database.promote()
        loseCommits()
        changeServers(database)
      }
    }
  }

  private func loseCommits() {
    tasks.doubt()
    people.doubt()
    marker.forget()
    refresher.forget()
    for tapper in tappers { tapper.forget() }
  }

  /// What happens to one of several.
  private func disturb(_ replica: Place) {
    guard let service = replica.service else { return }
    switch world.pick(0...2) {
    case 0:
      let pause = world.pick([20, 500, 1_500, 6_000])
      note("service", "\(replica.name) is stopped for \(pause) ms")
      service.host.pausedUntil = world.now + UInt64(pause) * 1_000_000
    case 1:
      guard let connection = replica.connection, !connection.isCut else { return }
      note("service", "\(replica.name) is cut off")
      connection.cut()
      world.after(Double(world.pick([20, 500, 1_500, 6_000])), on: operation) { [self] in
        note("service", "\(replica.name) is connected")
        connection.mend()
      }
    default: end(replica)
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

  /// Gives another configuration to all replicas, one after the other.
  private func roll() {
    var next = Settings.random(world, changesLanguages: false, renames: renames && !losesCommits, isTight: isTight)
    next.generation = settings.generation + 1
    reloads += 1
    note("service", "generation \(next.generation) is rolled out, \(next.source)")
    settings = next
    for replica in replicas { roll(replica.service, next) }
  }

  private func roll(_ service: Service?, _ next: Settings) {
    guard let service, service.host.isAlive else { return }
    world.after(Double(world.pick(1...1_500)), on: operation) { [self] in
      // One that has started since then has begun with it, or with a later one.
      guard service.host.isAlive, settings.generation == next.generation else { return }
      let name = service.host.name
      let began = service.reload(next.definition(world)) { [self] isTaken in
        note("service", "\(name) has\(isTaken ? "" : " not") generation \(next.generation)")
        if !isTaken { roll(service, next) }
      }
      if !began { roll(service, next) }
    }
  }

  private func reload() {
    let next = Settings.random(
      world,
      changesLanguages: changesLanguages,
      renames: renames && !losesCommits,
      isTight: isTight
    )
    let before = settings
    let began = replicas[0].service?.reload(next.definition(world)) { [self] isTaken in
      note("service", isTaken ? "has another configuration" : "has refused another configuration")
      // Under another name, that is not the store's, its items would not be found after a restart.
      if !isTaken { settings = before }
    }
    guard began == true else { return }
    reloads += 1
    note("service", "reads another configuration")
    settings = next
  }
}
