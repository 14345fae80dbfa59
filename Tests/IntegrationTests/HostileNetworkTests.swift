import Foundation
import JSON
import TablecastClient
import TablecastCurl
import TestSupport
import Testing

/// The client behind a proxy that misbehaves, before the real service: it always converges, never shows a state that the
/// service didn't have, and never storms.
///
/// Runs alone, as `make test` has it: the client's tasks need threads, which other tests keep for as long as they wait.
/// `TABLECAST_HOSTILE_SECONDS` says for how long, `TABLECAST_SEED` repeats a run.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TABLECAST_HOSTILE_SECONDS"] != nil))
struct HostileNetworkTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seconds = environment["TABLECAST_HOSTILE_SECONDS"].flatMap { Double($0) } ?? 8
  private static let seed = environment["TABLECAST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)

  private static let configuration = """
    store: {path: "{folder}/store.sqlite"}
    cells:
      Label: {fields: {title: string}}
    representations:
      $default: {cell: Label, payload: {title: "${title}"}}
    tables:
      todo:
        source: {local: {items: [{title: A, section: one}, {title: B, section: one}, {title: C, section: two}]}}
        sections: {groupBy: section}
        can: {edit: true, move: true}
    """

  @Test func theClientConvergesWhateverTheNetworkDoes() throws {
    let service = try ServiceProcess(Self.configuration)
    let run = try HostileRun(service, seed: Self.seed)
    print("seed \(Self.seed), \(Self.seconds) s")
    let end = Date(timeIntervalSinceNow: Self.seconds)
    // A slow machine takes longer to show anything.
    while Date() < end || run.checkedStates < 4 && Date() < end + 120 {
      try run.step(longSilence: Self.seconds > 120 ? 60 : 1.5)
    }
    try run.converge()
    let problems = run.problems
    #expect(problems.isEmpty, "seed \(Self.seed): \(problems.prefix(5))")
    // A burst of 20, then 5 a second, is what a client may do at the very most.
    #expect(run.readsInTheWorstMinute <= 20 + 5 * 60, "seed \(Self.seed)")
    print("\(run.summary)")
    #expect(run.checkedStates > 3, "seed \(Self.seed): next to nothing was shown")
  }
}

/// One client, one proxy, one service, and edits from both sides.
private final class HostileRun {
  private let service: ServiceProcess
  private let proxy: HostileProxy
  private let client: TablecastClient<AnyCell>
  private let table: LiveTable<AnyCell>
  private let observation: TableObservation
  private let shown: Monitor<[TableSnapshot]>
  private let outcomes: Monitor<[String: EditState]>
  private var random: SeededGenerator
  private var edits = 0
  private(set) var problems: [String] = []
  private(set) var checkedStates = 0

  init(_ service: ServiceProcess, seed: UInt64) throws {
    self.service = service
    random = SeededGenerator(seed: seed)
    proxy = try HostileProxy(to: service.port, seed: seed ^ 7)
    let tokens = Monitor(0)
    var options = ClientOptions()
    options.transport = try CurlTransport()
    options.wait = 4
    options.seed = seed
    // A token that is renewed whenever it is asked for again.
    options.token = { isRefused in "token-\(tokens.change { $0 += isRefused ? 1 : 0; return $0 })" }
    let url = try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))
    client = TablecastClient(url: url, cells: AnyCell.self, options: options)
    table = client.table("todo")
    let shown = Monitor<[TableSnapshot]>([])
    (self.shown, outcomes) = (shown, Monitor([:]))
    observation = table.observe { change in shown.change { $0.append(change.snapshot) } }
  }

  /// One thing that happens, and what was shown since.
  func step(longSilence: Double) throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2: try editDirectly()
    case 3...5: edit()
    case 6 where Int.random(in: 0..<8, using: &random) == 0: proxy.fallSilent(seconds: longSilence)
    case 7: client.wake()
    default: break
    }
    // The app's own part: a table that was refused is asked for again when the user wants it.
    if table.snapshot?.connection == .refused { table.reload() }
    try checkShown()
    Thread.sleep(forTimeInterval: Double.random(in: 0.02..<0.3, using: &random))
  }

  private func editDirectly() throws {
    let snapshot = try service.snapshot("todo")
    let rows = (snapshot["sections"] ?? .null).elements.flatMap { ($0["rows"] ?? .null).elements }
    let ids = rows.filter { $0["payload"]?["title"]?.text?.hasPrefix("d") == true }.compactMap { $0["id"]?.text }
    if ids.count < 12 {
      let section = ["one", "two", "three"].randomElement(using: &random) ?? "one"
      let item: JSONValue = ["title": .string("d\(ids.count)"), "section": .string(section)]
      _ = try service.request("POST", "/v1/tables/todo/items", body: item)
    } else if let id = ids.randomElement(using: &random) {
      _ = try service.request("DELETE", "/v1/tables/todo/items/\(id)")
    }
  }

  private func edit() {
    // As many as users make while nothing gets through: each is replayed over every state until it is answered.
    guard (table.snapshot?.edits ?? []).count(where: { !$0.state.isOver }) < 20 else { return }
    let title = "c\(edits)"
    let rows = table.snapshot?.sections.flatMap { $0.rows.map(\.id) } ?? []
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1:
      guard edits < 400 else { return }
      edits += 1
      guard let item = try? JSONText("{\"title\":\"\(title)\",\"section\":\"one\"}"),
        let preview = try? JSONText("{\"cellIdentifier\":\"Label\",\"payload\":{\"title\":\"\(title)\"}}")
      else { return }
      note(title, table.add(item, preview: preview))
    case 2:
      guard let row = rows.last else { return }
      table.move(row, to: .section("one", at: 0))
    default:
      // Not of those that are counted at the end.
      let direct = table.snapshot?.sections.flatMap(\.rows).first { $0.json.text.contains("\"title\":\"d") }
      if let direct { table.delete(direct.id) }
    }
  }

  private func note(_ title: String, _ edit: PendingEdit) {
    let outcomes = outcomes
    outcomes.change { $0[title] = .local }
    Task { [edit] in
      let state = await edit.outcome()
      outcomes.change { $0[title] = state }
    }
  }

  /// A state at a cursor is what the service had there if the service's own changes lead from it to what it has now.
  private func checkShown() throws {
    for snapshot in shown.change({ shown in
      defer { shown = [] }; return shown
    }) {
      guard let cursor = snapshot.cursor?.text, snapshot.edits.allSatisfy(\.state.isOver) else { continue }
      var mirror = try TableMirror(JSONValue(parsing: snapshot.json))
      let changes = try service.changes("todo", after: cursor)
      guard changes["reset"] == nil else { continue }
      do {
        try mirror.apply(changes)
        let now = try service.snapshot("todo")
        guard now["cursor"]?.text == mirror.cursor else { continue }
        let fresh = try TableMirror(now)
        if mirror.sections.map(\.json) != fresh.sections.map(\.json) {
          problems.append("shown at \(cursor): \(snapshot.json)")
        }
        checkedStates += 1
      } catch { problems.append("shown at \(cursor): \(error)") }
    }
  }

  /// The network is as it should be, and the user asks again: then all is as at the service.
  func converge() throws {
    proxy.calmDown()
    let deadline = Date(timeIntervalSinceNow: 90)
    while true {
      if table.snapshot?.connection == .refused { table.reload() }
      client.wake()
      try checkShown()
      let now = try TableMirror(try service.snapshot("todo"))
      if let snapshot = table.snapshot, snapshot.connection == .live, snapshot.edits.allSatisfy(\.state.isOver),
        let mine = try? TableMirror(JSONValue(parsing: snapshot.json)), mine.cursor == now.cursor
      {
        if mine.sections.map(\.json) != now.sections.map(\.json) { problems.append("another table at the end") }
        break
      }
      guard Date() < deadline else {
        problems.append(
          "no convergence: \(table.snapshot.map { "\($0.connection) \($0.edits.map(\.state))" } ?? "nothing")"
        )
        return
      }
      Thread.sleep(forTimeInterval: 0.2)
    }
    try checkEdits()
  }

  /// What was confirmed is there once, what was refused isn't: however often it was sent.
  private func checkEdits() throws {
    let outcomes = try outcomes.wait(for: "the outcomes of all edits") { outcomes in
      outcomes.values.allSatisfy(\.isOver) ? outcomes : nil
    }
    let rows = try TableMirror(service.snapshot("todo")).sections.flatMap(\.rows)
    for (title, state) in outcomes {
      let count = rows.filter { $0["payload"]?["title"]?.text == title }.count
      switch state {
      case .refused where count > 0: problems.append("`\(title)` was refused, and is there")
      case .confirmed where count != 1: problems.append("`\(title)` was confirmed, and is there \(count) times")
      case _ where count > 1: problems.append("`\(title)` is there \(count) times")
      default: continue
      }
    }
  }

  var readsInTheWorstMinute: Int {
    let times = proxy.state.current.reads
    var (worst, first) = (0, 0)
    for (index, time) in times.enumerated() {
      while time.timeIntervalSince(times[first]) > 60 { first += 1 }
      worst = max(worst, index - first + 1)
    }
    return worst
  }

  var summary: String {
    let state = proxy.state.current
    let states = outcomes.current.values.reduce(into: [String: Int]()) { counts, state in
      switch state {
      case .confirmed: counts["confirmed", default: 0] += 1
      case .refused: counts["refused", default: 0] += 1
      default: counts["unknown", default: 0] += 1
      }
    }
    return "\(state.reads.count) reads, \(readsInTheWorstMinute) in the worst minute, \(checkedStates) states checked; "
      + "added: \(states); \(state.deeds.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))"
  }
}
