import JSON
import TestSupport
import Testing

/// Tables through windows, views, cells, searches and the eyes of who may not edit, edited meanwhile: every reply leads from any earlier state to what a snapshot
/// of the same lens says, to the byte, by the fewest operations.
@Suite struct LensOracleTests {
  @Test(arguments: [1, 2, 3] as [UInt64]) func everyReplyLeadsToTheSnapshotOfItsLens(seed: UInt64) throws {
    var oracle = try Oracle(seed: seed)
    for _ in 0..<150 { try oracle.step() }
    #expect(oracle.changesets > 20, "seed \(seed)")
    #expect(oracle.resets.isSubset(of: ["lens", "large"]), "seed \(seed): \(oracle.resets)")
  }

  /// So few versions are held that most states are of one that is not.
  @Test(arguments: [1, 2, 3] as [UInt64]) func statesOfForgottenVersionsAreLedOnOrReset(seed: UInt64) throws {
    var oracle = try Oracle(seed: seed, history: 4)
    for _ in 0..<1_000 { try oracle.step() }
    #expect(oracle.outlasting > 0, "seed \(seed): \(oracle.outlasting) of \(oracle.changesets)")
    #expect(oracle.resets.isSubset(of: ["lens", "large", "expired"]), "seed \(seed): \(oracle.resets)")
  }
}

/// How one client asks.
private struct ClientLens: Hashable {
  var view: String?
  var cells: String?
  /// Its caller may edit.
  var isEditor = true

  var headers: [String: String] {
    let token = isEditor ? Oracle.token : [:]
    return cells.map { token.merging(["Accept-Cells": $0]) { $1 } } ?? token
  }
  var query: String { view.map { "&view=\($0)" } ?? "" }
}

private struct Oracle {
  static let token = ["Authorization": "Bearer editor-token"]
  private static let configuration = """
    store: memory
    history: HISTORY
    cells:
      Title: {fields: {title: string}}
      Label: {fields: {title: string}}
      Plain: {fields: {title: string, count: integer}}
      Expandable:
        fields: {title: string, isExpanded: boolean}
        expands: isExpanded
        fallback: Label
    representations:
      $default: {cell: Plain, payload: {title: "${title}", count: 1}}
      plain: {cell: Label, payload: {title: "${title}"}}
      long: {cell: Expandable, payload: {title: "${title}", isExpanded: false}}
    auth:
      tokens: [{name: editor, sha256: "DIGEST", allow: [read, edit]}]
    tables:
      t:
        source: {local: {items: [], default: {title: New, group: 1}}}
        row: {type: "${kind ?? 'plain'}"}
        actions: {flag: {title: Flag, when: title == 'a', patch: {title: b}}}
        find:
          search: [title]
          filters: {kind: {title: Kind, by: kind}}
          sorts:
            title: {title: By title, by: title}
            flat: {title: All by title, by: title, order: descending, sections: false}
        sections:
          groupBy: group
          header: {cell: Title, payload: {title: "${$key} (${$count})"}}
    """
  private let service: ServiceProcess
  private let client: HTTPClient
  private let seed: UInt64
  private var random: SeededGenerator
  private var held: [ClientLens: [TableMirror]] = [:]
  private(set) var changesets = 0
  private(set) var resets: Set<String> = []
  /// Changesets from versions that were no longer held.
  private(set) var outlasting = 0
  private let history: Int
  /// What the client of this step looks for.
  private var find: String?
  /// Follows a window: what is not held is noted for windows that somebody waits with.
  private let follower: HTTPClient

  init(seed: UInt64, history: Int = 200) throws {
    (self.seed, random, self.history) = (seed, SeededGenerator(seed: seed), history)
    let configuration = Self.configuration.replacing("HISTORY", with: "\(history)")
      .replacing("DIGEST", with: try sha256("editor-token"))
    service = try ServiceProcess(configuration, arguments: ["--insecure"])
    (client, follower) = (try service.client(), try service.client())
    try follower.send("GET", "/v1/tables/t/stream?rows=1")
    _ = try follower.receiveHead("the stream")
  }

  mutating func step() throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: try edit()
    case 4: try tap()
    default: try poll()
    }
  }

  // MARK: What changes

  private mutating func edit() throws {
    find = nil
    let rows = try snapshot(ClientLens(), rows: nil).rows
    let group = pick([1, 2, 3, true, "", .null] as [JSONValue])
    let item: JSONValue = [
      "title": pick(["a", "b", "é"]), "group": group, "kind": pick(["plain", "long"]),
    ]
    guard let row = rows.randomElement(using: &random), let neighbor = rows.randomElement(using: &random) else {
      return try send("POST", "items", item, [201])
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try send("POST", "items", item, [201])
    case 1: try send("POST", "items?before=\(row)", item, [201])
    case 2: try send("PATCH", "items/\(row)", ["group": group, "title": pick(["c", "d"])], [200])
    case 3: try send("DELETE", "items/\(row)", nil, [200])
    // A row is no neighbour of its own.
    default: try send("POST", "items/\(row)/move", ["after": .string(neighbor)], row == neighbor ? [422] : [200])
    }
  }

  private mutating func tap() throws {
    find = nil
    let lens = ClientLens(view: pick(["v", "w"]))
    guard let row = try snapshot(lens, rows: nil).rows.randomElement(using: &random) else { return }
    try send("POST", "rows/\(row)/tap?view=\(lens.view ?? "")", nil, [200])
  }

  private func send(_ method: String, _ path: String, _ body: JSONValue?, _ statuses: [Int]) throws {
    let reply = try client.request(method, "/v1/tables/t/\(path)", Self.token, body: body)
    guard statuses.contains(reply.status) else { throw wrong("\(method) \(path): \(reply.text)") }
  }

  // MARK: What is followed

  /// From any state that a client had to the present one, through any window.
  private mutating func poll() throws {
    let lens = ClientLens(
      view: pick([nil, "v", "w"]),
      cells: pick([nil, "Label, Title", "Plain", "Title"]),
      isEditor: Int.random(in: 0..<4, using: &random) > 0
    )
    find = pick([nil, nil, "q=a", "q=b&sort=title", "filter=kind:long", "sort=flat", "q=d&sort=flat", "find=1"])
    let window = pick([nil, "all", "1", "2", "5", "40", "0-2", "1-3", "3-3", "2-9", "5-40", "60-70"])
    guard let old = held[lens]?.suffix(history).randomElement(using: &random), Bool.random(using: &random) else {
      held[lens, default: []].append(try snapshot(lens, rows: window))
      return
    }
    let query = lens.query + (window.map { "&rows=\($0)" } ?? "") + (find.map { "&\($0)" } ?? "")
    let changes = try service.changes("t", after: old.cursor, query: query, lens.headers)
    var new = old
    try new.apply(changes)
    let snapshot = try service.snapshot("t", lens.headers, query: target(lens, window ?? Self.window(old)))
    try new.check(equals: snapshot)
    try checkWindow(new, lens)
    guard
      lens.isEditor == new.sections.flatMap(\.rows).contains(where: { $0["can"]?["edit"] == true }) || new.rows.isEmpty
    else { throw wrong("\(new.sections)") }
    if let reset = changes["reset"]?.text {
      resets.insert(reset)
    } else {
      changesets += 1
      if let from = version(old.cursor), let to = version(new.cursor), to - from >= history { outlasting += 1 }
      let (told, fewest) = (try Operations(of: changes), Operations(from: old, to: new))
      guard told == fewest else { throw wrong("\(told), not \(fewest), in \(changes)") }
    }
    held[lens, default: []].append(new)
  }

  /// Which rows a client has, as a request says it.
  private static func window(_ table: TableMirror) -> String? {
    guard let window = table.attributes["window"], let rows = window["rows"]?.number else { return nil }
    return window["from"]?.number.map { "\($0)-\($0 + rows - 1)" } ?? "\(rows)"
  }

  /// A window shows what stands at its places in the whole table, and says how many rows of a section stand before it.
  private func checkWindow(_ table: TableMirror, _ lens: ClientLens) throws {
    guard let window = table.attributes["window"], let rows = window["rows"]?.number else { return }
    let (from, whole) = (window["from"]?.number ?? 0, try snapshot(lens, rows: nil))
    guard table.cursor.split(separator: "~").first == whole.cursor.split(separator: "~").first else { return }
    var before = 0
    let expected = whole.sections.compactMap { section -> TableMirror.Section? in
      let shown = section.rows.enumerated().filter { (from..<from + rows).contains(before + $0.offset) }
      before += section.rows.count
      guard let first = shown.first else { return nil }
      var cut = section
      (cut.rows, cut.skipped) = (shown.map(\.element), first.offset)
      return cut
    }
    guard expected.map(\.json) == table.sections.map(\.json), window["of"]?.number == before else {
      throw wrong("\(window) is\n\(table.sections)\nof\n\(whole.sections)")
    }
  }

  private func snapshot(_ lens: ClientLens, rows: String?) throws -> TableMirror {
    try service.mirror("t", lens.headers, query: target(lens, rows))
  }

  private func target(_ lens: ClientLens, _ rows: String?) -> String {
    "?rows=\(rows ?? "all")" + lens.query + (find.map { "&\($0)" } ?? "")
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  /// The number in a cursor: `EPOCH.VERSION`, and what tells its lens.
  private func version(_ cursor: String) -> Int? {
    cursor.split(separator: ".").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
  }

  private func wrong(_ what: String) -> Malformed { Malformed("seed \(seed): \(what)") }
}

/// How many operations of each kind a changeset has, or has to have.
private struct Operations: Equatable {
  var sections: [String: Int] = [:]
  var rows: [String: Int] = [:]

  init(of changes: JSONValue) throws {
    for stage in (changes["stages"] ?? .null).elements {
      for kind in ["delete", "insert", "move", "update"] {
        sections[kind, default: 0] += (stage["sections"]?[kind] ?? .null).elements.count
        rows[kind, default: 0] += (stage["rows"]?[kind] ?? .null).elements.count
      }
    }
    drop()
  }

  init(from old: TableMirror, to new: TableMirror) {
    let before = Dictionary(uniqueKeysWithValues: old.sections.enumerated().map { ($1.id, $0) })
    let after = Set(new.sections.map(\.id))
    let kept = new.sections.filter { before[$0.id] != nil }
    sections["delete"] = before.keys.count { !after.contains($0) }
    sections["insert"] = after.count { before[$0] == nil }
    sections["move"] = kept.count - longestRise(kept.compactMap { before[$0.id] })
    sections["update"] = kept.count { section in
      let was = before[section.id].map { old.sections[$0] }
      return was?.header != section.header || was?.footer != section.footer || was?.skipped != section.skipped
    }
    let (from, to) = (places(old), places(new))
    for (id, place) in from where after.contains(place.section) {
      if let now = to[id], before[now.section] != nil { continue }
      rows["delete", default: 0] += 1
    }
    for (id, place) in to where before[place.section] != nil {
      guard let was = from[id], after.contains(was.section) else {
        rows["insert", default: 0] += 1
        continue
      }
      if was.row != place.row { rows["update", default: 0] += 1 }
      if was.section != place.section { rows["move", default: 0] += 1 }
    }
    for section in kept {
      let indexes = section.rows.compactMap { row in
        row["id"]?.text.flatMap { from[$0] }.flatMap { $0.section == section.id ? $0.index : nil }
      }
      rows["move", default: 0] += indexes.count - longestRise(indexes)
    }
    drop()
  }

  private mutating func drop() {
    sections = sections.filter { $0.value > 0 }
    rows = rows.filter { $0.value > 0 }
  }
}

private func places(_ table: TableMirror) -> [String: (section: String, index: Int, row: JSONValue)] {
  var places: [String: (section: String, index: Int, row: JSONValue)] = [:]
  for section in table.sections {
    for (index, row) in section.rows.enumerated() { places[row["id"]?.text ?? ""] = (section.id, index, row) }
  }
  return places
}

/// How many elements of a sequence can stay where they are: the longest increasing subsequence.
private func longestRise(_ numbers: [Int]) -> Int {
  var ends: [Int] = []
  for number in numbers {
    if let place = ends.firstIndex(where: { $0 >= number }) { ends[place] = number } else { ends.append(number) }
  }
  return ends.count
}
