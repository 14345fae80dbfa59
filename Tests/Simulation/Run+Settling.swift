import JSON
import TableEngine
import TableModel
import TestSupport

extension Run {
  /// Without faults everybody shows the same before long.
  func settle() {
    note("service", "no more faults")
    world.starves = false
    (isFaulty, isEditing, upstream.isFaulty, disk.failsOneOf) = (false, false, false, 0)
    disk.refuses = nil
    database?.breaksOneOf = 0
    database?.isHeardLateOneOf = 0
    files?.fail(full: 0, sync: 0)
    if files?.isBroken == true { crash(replicas[0]) }
    bringBack()
    for app in apps { app.wakeSoon() }
    let (end, last) = (world.now + 25_000_000_000, world.steps + 400_000)
    while world.now < end, world.steps < last, world.step() {}
    guard world.now >= end else { fail(nil, "there is always something to do: \(world.steps) steps") }
    // From now on nobody goes back to what they showed before; who has just done so is told where the table is.
    isJudging = true
    while world.now < end + 2_000_000_000, world.step() {}
    // Where steps take long, all that is asked may be much for the database.
    let isReady = { [self] in replicas.allSatisfy { $0.service?.isReady == true } }
    while !isReady(), world.now < end + 12_000_000_000, world.step() {}
    // An app sends its edits after that, and asks again after a minute at most where its polls have failed for long.
    while apps.contains(where: { $0.openCount > 0 }), world.now < end + 75_000_000_000, world.step() {}
    for replica in replicas where replica.service?.isReady != true {
      fail(nil, "\(replica.name) is not ready: \(replica.service?.engine?.unreadiness ?? "it is not there")")
    }
    for editor in editors {
      if let order = editor.waitsFor { fail(nil, "\(editor.name) is never answered: \(order)") }
    }
    for app in apps { if let problem = app.problem(rows: rows) { fail("todo", problem) } }
    // Where they have little memory, members make room for one another until the end.
    for follower in followers where !(isTight && follower.seen.isOfMember) {
      guard let mirror = follower.content else { fail(follower.seen.table, "\(follower.name) has no table") }
      for replica in replicas { if let service = replica.service { compare(follower, mirror, service) } }
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

  /// All rows are made by the configuration and the release that are everywhere by then.
  private func checkWords(_ content: TableMirror, of table: String) {
    var last = settings
    last.release = release
    guard ["todo", "only", "mine", "news"].contains(table.prefix { $0 != ";" }) else { return }
    for row in content.sections.flatMap(\.rows) {
      guard case .string(let title)? = row["payload"]?["title"], title.hasPrefix(last.words) else {
        fail(table, "a row of \(table) is not made by '\(last.words)': \(row)")
      }
    }
  }

  private func compare(_ follower: Follower, _ mirror: TableMirror, _ service: Service) {
    let asked = world.steps
    nonisolated(unsafe) var answer: ReadAnswer??
    var request = follower.seen
    (request.window, request.find) = (.all, nil)
    service.snapshot(request) { answer = $0 }
    let end = world.now + 10_000_000_000
    while answer == nil, world.now < end, world.step() {}
    guard case .reply(let body, _)?? = answer, let fresh = try? TableMirror(try JSONValue(parsing: body)) else {
      fail(follower.seen.table, "\(follower.seen.table) is not answered at the end: \(String(describing: answer))")
    }
    do { try check(fresh, of: request, asked: asked) } catch { fail(follower.seen.table, "\(error)") }
    checkWords(fresh, of: follower.seen.table)
    guard let current = follower.content.flatMap({ Cursor($0.cursor) }), let new = Cursor(fresh.cursor) else { return }
    if current.lensTag == nil, current != new {
      fail(follower.seen.table, "\(follower.name) is at \(current), \(service.host.name) at \(new)")
    }
  }
}
