import JSON
import TableModel
import TestSupport

extension Run {
  func check(_ mirror: TableMirror, of request: TableRequest, asked: Int?) throws {
    guard let cursor = Cursor(mirror.cursor) else { throw Malformed("a cursor: \(mirror.cursor)") }
    let isPart = cursor.lensTag?.rows != nil || !(request.find?.isEmpty ?? true)
    switch request.table {
    case "news", "joined",
      _ where request.table.hasPrefix("part;"):
      if !isPart { try checkNews(mirror, cursor, request, asked: asked) }
      if request.table == "joined" { try checkNames(mirror, cursor, asked: asked) }
    case "people": try checkPeople(mirror, cursor, asked: asked)
    default: try checkTasks(mirror, cursor, request, isPart: isPart, asked: asked)
    }
  }

  /// A table that shows all that the upstream has, in one of its languages.
  var anyNews: TableRequest {
    let table = plan.parts.contains(.lookups) && world.chance(4) ? "joined" : "news"
    return TableRequest(table: table, locale: plan.parts.contains(.languages) && world.chance(3) ? "de-DE" : nil)
  }

  /// The same, or a member that shows a part of it.
  var anyNewsWithMembers: TableRequest {
    var request = anyNews
    if plan.parts.contains(.families), world.chance(2) {
      request.table = "part;kind=\(world.pick(NewsUpstream.kinds))"
    }
    return request
  }

  /// Somebody reads at once what the upstream has, in whatever table and language.
  func lookAtNews(as name: String, _ body: @escaping @Sendable () -> Void) {
    look(at: anyNewsWithMembers, as: name) { _ in body() }
  }

  /// Whether who asked at a step is answered with what a process shows that hasn't started lately: one that has shows what was stored, until
  /// the upstream has answered and that is stored.
  func isPresent(asked: Int) -> Bool {
    database != nil || !plan.parts.contains(.disk) && isHeard(before: asked)
  }

  /// Whether the source that asks for the list now has had it for a while.
  private func isHeard(before step: Int) -> Bool { (upstream.heardSince.map { $0 + 2_000 } ?? .max) < step }

  /// Somebody asks for a snapshot, which has to show all that was answered before.
  func look(at request: TableRequest, as name: String, _ body: @escaping @Sendable (Cursor?) -> Void) {
    let asked = world.steps
    guard let service else { return body(nil) }
    service.snapshot(request) { [self] answer in
      guard case .reply(let bytes, _)? = answer else { return body(nil) }
      do {
        let mirror = try TableMirror(try JSONValue(parsing: bytes))
        note(request.table, "\(name) looks at \(mirror.cursor)")
        shown.note(mirror, of: request)
        try check(mirror, of: request, asked: asked)
        body(Cursor(mirror.cursor))
      } catch {
        fail(request.table, "\(name): \(error)\n  \(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  private func checkTasks(
    _ mirror: TableMirror,
    _ cursor: Cursor,
    _ request: TableRequest,
    isPart: Bool,
    asked: Int?
  ) throws {
    var shown: [String: TaskModel.Row] = [:]
    var named: [String: TaskModel.Row] = [:]
    for section in mirror.sections {
      for row in section.rows {
        guard case .string(let id)? = row["id"], let value = Self.write(row, "value"),
          let note = Self.write(row, "note")
        else { throw Malformed("a row: \(row)") }
        shown[id] = [.value: value, .note: note]
        if case .string(let owner)? = row["payload"]?["owner"] { tasks.note(owner: owner, of: id) }
        if let caller = request.caller, row["payload"]?["owner"] != .string(caller) {
          throw Malformed("\(caller) is shown somebody else's row: \(row)")
        }
        if request.table == "board", let name = Self.write(row, "person") {
          // Not known is which list it stands in, where they are not grouped.
          if let person = people.row(ofWrite: name) { named[person] = [.value: name] }
        }
      }
    }
    for field in TaskModel.Field.allCases {
      let ofWrite = Dictionary(grouping: shown.values.compactMap { $0[field] }) { $0 }
      if ofWrite.contains(where: { $1.count > 1 && !tasks.mayBeThereTwice($0) }) {
        throw Malformed("one write is shown in two rows: \(shown)")
      }
    }
    var scope = TaskModel.Scope.all
    if let caller = request.caller { scope = .owned(by: caller) }
    if isPart || request.table.contains(";") { scope = .some }
    tasks.show(TaskModel.Content(table: request.name, cursor: cursor, rows: shown, scope: scope), asked: asked)
    if !named.isEmpty {
      people.show(TaskModel.Content(table: "board", cursor: cursor, rows: named, scope: .some), asked: asked)
    }
    if scope == .all { rows = shown.keys.sorted() }
  }

  private func checkPeople(_ mirror: TableMirror, _ cursor: Cursor, asked: Int?) throws {
    var shown: [String: TaskModel.Row] = [:]
    for row in mirror.sections.flatMap(\.rows) {
      guard case .string(let id)? = row["id"] else { throw Malformed("a row: \(row)") }
      if let write = Self.write(row, "value") { shown[id] = [.value: write] }
    }
    people.show(TaskModel.Content(table: "people", cursor: cursor, rows: shown, scope: .some), asked: asked)
  }

  private static func write(_ row: JSONValue, _ field: String) -> Int? {
    guard case .string(let text)? = row["payload"]?[field], text.first == "w" else { return nil }
    return Int(text.dropFirst())
  }

  private func checkNames(_ mirror: TableMirror, _ cursor: Cursor, asked: Int?) throws {
    var named: [String: TaskModel.Row] = [:]
    for row in mirror.sections.flatMap(\.rows) {
      guard let name = Self.write(row, "person"), let person = people.row(ofWrite: name) else { continue }
      named[person] = [.value: name]
    }
    guard !named.isEmpty else { return }
    let isTold = mirror.state == "ready" && isHeard(before: asked ?? 0) && isPresent(asked: asked ?? 0)
    people.show(
      TaskModel.Content(table: "joined", cursor: cursor, rows: named, scope: .some),
      asked: isTold ? asked : nil
    )
  }

  /// What the upstream had at some time, and nothing older than what was shown before.
  private func checkNews(_ mirror: TableMirror, _ cursor: Cursor, _ request: TableRequest, asked: Int?) throws {
    var items: [Int: Int] = [:]
    var revision: Int?
    for row in mirror.sections.flatMap(\.rows) {
      guard case .string(let id)? = row["id"], case .integer(let changed)? = row["payload"]?["revision"] else {
        throw Malformed("a row: \(row)")
      }
      if id == "state" { revision = Int(changed) } else if let id = Int(id) { items[id] = Int(changed) }
      // In one process a restart may bring rows back from before: those that the disk has refused, or of another language.
      let isPresent = mirror.state == "ready" || database != nil
      if let asked, isPresent, case .integer(let mark)? = row["payload"]?["mark"] {
        try marker.check(id, .mark, Int(mark), asked: asked)
      }
    }
    let kind = request.isOfMember ? String(request.table.suffix(1)) : nil
    if let asked, kind == nil, mirror.state == "ready" || database != nil {
      try marker.check(shown: Set(items.keys), asked: asked)
    }
    if kind == nil { newsRows = items.keys.sorted().map { "\($0)" } }
    guard let revision else {
      guard items.isEmpty else { throw Malformed("news without its state") }
      return
    }
    guard upstream.past.indices.contains(revision) else { throw Malformed("a revision: \(revision)") }
    guard isLaid(items, ofKind: kind, over: revision) else {
      throw Malformed(
        "\(request.table) shows \(items), which the upstream never had at revision \(revision): \(upstream.past[revision])"
      )
    }
    if let asked { try refresher.check(mirror, of: request, cursor, revision: revision, asked: asked) }
    let epoch = cursor.epoch.description
    newsVersions[epoch, default: [:]][cursor.version] = revision
    for (version, other) in newsVersions[epoch] ?? [:]
    where (version < cursor.version && other > revision) || (version > cursor.version && other < revision) {
      throw Malformed(
        "\(request.table) at \(cursor) shows revision \(revision), and version \(version) revision \(other)"
      )
    }
    if newsVersions[epoch]?.count ?? 0 > 200 {
      newsVersions[epoch] = newsVersions[epoch]?.filter { $0.key + 100 > cursor.version }
    }
  }

  /// Whether items are those of an answer, or those of one kind, and edits that were accepted since.
  private func isLaid(_ items: [Int: Int], ofKind kind: String?, over revision: Int) -> Bool {
    let past = upstream.past[revision]
    func fits(_ id: Int, _ revision: Int) -> Bool { kind == nil || upstream.pastKinds[revision][id] == kind }
    let isKnown = items.allSatisfy { id, shown in
      past[id] != nil || upstream.mayBeLaid(id, shown, over: revision) && fits(id, shown)
    }
    guard isKnown else { return false }
    return past.allSatisfy { id, base in
      let edited = upstream.edited[id] ?? []
      guard let shown = items[id] else { return !fits(id, base) || edited.contains { $0 > base && !fits(id, $0) } }
      return (shown == base || edited.contains(shown)) && fits(id, shown)
    }
  }
}
