import JSON
import TableEngine
import TableModel
import TestSupport

/// A client that follows a table, as strict as a list view; it polls, asks for snapshots, moves its window, and forgets.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Follower: @unchecked Sendable {
  let name: String
  private let run: Run
  private var request: TableRequest
  private let queue: SimulatedQueue
  private var mirror: TableMirror?
  /// It changes its window.
  private let isScrolling: Bool
  /// It changes what it looks for.
  private let isFinding: Bool
  /// What it has shown before: now and then it goes on from there, as who comes back after a while does.
  private var old: [TableMirror] = []
  private var left: Set<String> = []
  private(set) var polls = 0
  private lazy var recorder = Recorder(name)

  init(_ name: String, _ request: TableRequest, isScrolling: Bool = false, isFinding: Bool = false, _ run: Run) {
    (self.name, self.request, self.run) = (name, request, run)
    (self.isScrolling, self.isFinding) = (isScrolling, isFinding)
    queue = SimulatedQueue(name, isSerial: true, run.outside)
  }

  var cursor: String? { mirror?.cursor }
  var content: TableMirror? { mirror }
  var seen: TableRequest { request }
  private var world: World { run.world }

  func start() { again(Double(world.pick(0...50))) }

  private func again(_ milliseconds: Double) { world.after(milliseconds, on: queue) { [self] in next() } }

  private func next() {
    guard let service = run.service else { return again(50) }
    if isScrolling, world.chance(6) { request.window = window }
    if isFinding, world.chance(6) { request.find = search }
    if !run.isJudging, let past = old.last, world.chance(60) {
      run.note(request.table, "\(name) comes back at \(past.cursor)")
      mirror = past
      old.removeLast()
    }
    let asked = world.steps
    if mirror == nil || world.chance(12) {
      let request = request
      service.snapshot(request) { [self] in arrive($0) { [self] in take($0, asked: asked, request) } }
    } else {
      if world.chance(200), run.isFaulty { mirror = nil }
      let after = mirror.flatMap { Cursor($0.cursor) }
      let request = request
      let wait = world.chance(4) ? 0.0 : Double(world.pick(1...20))
      service.poll(request, after: after, wait: wait) { [self] in
        arrive($0) { [self] in take($0, asked: wait == 0 ? asked : nil, after: after, request) }
      }
    }
  }

  private var search: FindSearch? {
    let words = world.pick([[], ["w"], ["w1"], ["w\(world.pick(1...9))"]])
    let choices =
      world.chance(2) || request.table != "todo"
      ? [] : [FindSearch.Choice(filter: Array("list".utf8), value: Array(world.pick(["a", "b"]).utf8))]
    let search = FindSearch(
      words: words.map { Array($0.utf8) },
      choices: choices,
      sort: world.chance(3) ? Array("value".utf8) : nil
    )
    return search.isEmpty ? nil : search
  }

  private var window: LensRequest.Window {
    if world.chance(5) { return .all }
    let from = world.chance(2) ? 0 : world.pick(0...8)
    return WindowRange(from: from, rows: world.pick(1...8)).map { .rows($0) } ?? .all
  }

  /// Over the network; perhaps never.
  private func arrive(_ answer: ReadAnswer?, _ body: @escaping @Sendable (ReadAnswer) -> Void) {
    guard let answer else { return again(Double(world.pick(20...200))) }
    if run.isFaulty, world.chance(60) { return again(Double(world.pick(20...200))) }
    world.after(Double(world.pick(0...5)), on: queue) { body(answer) }
  }

  private func take(_ answer: ReadAnswer, asked: Int?, after: Cursor? = nil, _ request: TableRequest) {
    switch answer {
    case .unavailable: return again(Double(world.pick(20...100)))
    case .refused(let error):
      run.note(request.table, "\(name) is refused: \(error.detail)")
      mirror = nil
      return again(100)
    case .reply(let body, let kind):
      do {
        let json = try JSONValue(parsing: body)
        let before = mirror
        switch kind {
        case .snapshot: try takeSnapshot(json)
        case .missed(let news):
          // What had changed then may be as it was by now.
          if let before, try !before.after(JSONValue(parsing: news)).looks(like: before),
            try !before.after(json).looks(like: before)
          {
            throw Malformed("nobody has told a poll after \(before.cursor) that it is behind")
          }
          fallthrough
        case .changes:
          try takeChanges(json, after, isPresent: asked != nil)
          if run.plan.records, let mirror { recorder.note(json, mirror, after: before?.cursor) }
        }
        try check(request, asked: asked)
      } catch {
        run.fail(request.table, "\(name): \(error)\n  \(String(decoding: body, as: UTF8.self))")
      }
      polls += 1
      again(world.chance(3) ? Double(world.pick(0...300)) : 0)
    }
  }

  private func takeSnapshot(_ json: JSONValue) throws {
    let fresh = try TableMirror(json)
    if let mirror, mirror.cursor == fresh.cursor { try mirror.check(equals: json) }
    try moves(to: fresh.cursor, from: mirror, isPresent: true)
    run.note(request.table, "\(name) has the snapshot \(fresh.cursor)")
    mirror = fresh
  }

  private func takeChanges(_ json: JSONValue, _ after: Cursor?, isPresent: Bool) throws {
    guard json["from"] == (after.map { .string($0.description) } ?? .null) else {
      throw Malformed("`from` is not \(after?.description ?? "null")")
    }
    let before = mirror
    if let snapshot = json["snapshot"], case .string? = json["reset"] {
      mirror = try TableMirror(snapshot)
      guard case .string(let to)? = json["to"], mirror?.cursor == to else {
        throw Malformed("the snapshot is not at `to`")
      }
    } else {
      guard let before else { throw Malformed("changes without a snapshot") }
      let after = try before.after(json)
      mirror = after
      try Minimum.check(json, from: before, to: after)
    }
    try moves(to: mirror?.cursor ?? "", from: before, isPresent: isPresent)
    run.note(
      request.table,
      "\(name) goes from \(after?.description ?? "nothing") to \(mirror?.cursor ?? "")\(json["reset"].map { " by reset \($0)" } ?? "")"
    )
  }

  /// No way back: within an epoch not to an older version, and to no epoch that was left.
  ///
  /// - Parameter isPresent: it is what the table is now, not what it was when a poll's time was over.
  private func moves(to next: String, from before: TableMirror?, isPresent: Bool) throws {
    guard let before, let old = Cursor(before.cursor), let new = Cursor(next) else { return }
    if world.chance(30) { self.old = self.old.suffix(5) + [before] }
    if old.epoch == new.epoch {
      guard new.version >= old.version else { throw Malformed("back from \(old) to \(new)") }
      guard !isPresent || !left.contains(new.epoch.description) else { throw Malformed("still in epoch \(new.epoch)") }
    } else {
      // What is another language now is another table then.
      // A member that nobody reads is made anew.
      guard request.locale == nil, request.caller == nil, !request.table.contains(";"),
        !run.changesLanguages || run.database != nil
      else {
        return
      }
      left.insert(old.epoch.description)
      guard !left.contains(new.epoch.description) else { throw Malformed("back to epoch \(new.epoch)") }
    }
  }

  private func check(_ request: TableRequest, asked: Int?) throws {
    guard let mirror else { return }
    run.shown.note(mirror, of: request)
    try run.check(mirror, of: request, asked: asked)
  }
}

/// The fewest operations that a changeset may have.
enum Minimum {
  static func check(_ json: JSONValue, from old: TableMirror, to new: TableMirror) throws {
    guard case .array(let stages)? = json["stages"] else { return }
    func count(_ kind: String, _ name: String) -> Int {
      stages.reduce(0) { sum, stage in
        if case .array(let list)? = stage[kind]?[name] { sum + list.count } else { sum }
      }
    }
    // Of rows in sections that stay where they are: those that are new, gone, or in another section.
    let sections = Set(old.sections.map(\.id)).intersection(new.sections.map(\.id))
    let moved = count("sections", "move")
    guard moved == 0, sections.count == old.sections.count, sections.count == new.sections.count else { return }
    var (before, after): ([String: String], [String: String]) = ([:], [:])
    for section in old.sections { for row in section.rows { before[row.name] = section.id } }
    for section in new.sections { for row in section.rows { after[row.name] = section.id } }
    let gone = before.keys.count { after[$0] == nil }
    let come = after.keys.count { before[$0] == nil }
    var moves = before.count { id, section in after[id].map { $0 != section } ?? false }
    for section in new.sections {
      let places = Dictionary(
        uniqueKeysWithValues: (old.sections.first { $0.id == section.id }?.rows ?? []).enumerated().map {
          ($1.name, $0)
        }
      )
      let kept = section.rows.compactMap { places[$0.name] }
      moves += kept.count - longestRising(kept)
    }
    let told = (count("rows", "delete"), count("rows", "insert"), count("rows", "move"))
    guard told == (gone, come, moves) else {
      throw Malformed("\(told) rows are deleted, inserted and moved where \((gone, come, moves)) would do")
    }
  }

  private static func longestRising(_ numbers: [Int]) -> Int {
    var tails: [Int] = []
    for number in numbers {
      if let place = tails.firstIndex(where: { $0 >= number }) { tails[place] = number } else { tails.append(number) }
    }
    return tails.count
  }
}

extension TableMirror {
  /// What is shown after changes.
  fileprivate func after(_ json: JSONValue) throws -> TableMirror {
    if let snapshot = json["snapshot"] { return try TableMirror(snapshot) }
    var next = self
    try next.apply(json)
    return next
  }

  /// Whether nothing is different that has to wake who waits for it.
  fileprivate func looks(like other: TableMirror) -> Bool {
    state == other.state
      && JSONValue.array(sections.map(\.woken)).bytes == JSONValue.array(other.sections.map(\.woken)).bytes
  }
}

extension TableMirror.Section {
  /// All but the rows before the cut.
  fileprivate var woken: JSONValue {
    ["id": .string(id), "header": header, "footer": footer, "rows": .array(rows)]
  }
}

extension JSONValue {
  fileprivate var name: String { if case .string(let text)? = self["id"] { text } else { "" } }
}
