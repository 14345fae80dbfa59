import Foundation
import JSON
import TestSupport
import Testing

/// A list that tables that always live show, and members of a family.
private func configuration(_ upstream: ListUpstream, every: String = "1h") -> String {
  let edits = "{patch: {url: \"\(upstream.server.url)/items/${$id}\", body: {title: \"${$edit.title}\"}}}"
  return """
    store: memory
    sources:
      items: {url: "\(upstream.server.url)/items", every: \(every), timeout: 30s, stallTimeout: 30s, retries: 0}
    cells:
      Label: {fields: {title: string}}
    tables:
      edited: {source: items, row: {id: "${number}"}, cell: Label, payload: {title: "${title}"}, edits: \(edits)}
      other: {source: items, row: {id: "${number}"}, cell: Label, payload: {title: "${title}"}}
      parts:
        source: items
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: main, where: "state == $params.state"}]
        parameters: {state: {pattern: "[a-z0-9]+"}}
      named:
        source: items
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${$params.name} ${title}"}
        parameters: {name: {pattern: "[a-z]+"}}
    """
}

/// Three items, each in a state of its own.
private func list() throws -> ListUpstream {
  let upstream = try ListUpstream()
  upstream.items.change { $0 = [issue(1, "s1", "One"), issue(2, "s2", "Two"), issue(3, "s3", "Three")] }
  return upstream
}

@Suite struct CommonAnswerTests {
  private static let shown = [
    "edited": ["One", "Two", "Three"], "other": ["One", "Two", "Three"], "parts;state=s2": ["Two"],
    "parts;state=s3": ["Three"],
    "named;name=a": ["a One", "a Two", "a Three"],
  ]

  private static func fetches(_ upstream: ListUpstream) -> Int {
    upstream.server.requests.current.count { $0.method == "GET" }
  }

  /// The upstream no longer has the list: members that showed some of it are stale, as the tables are that always live.
  @Test func membersOfAListThatIsGoneAreStale() throws {
    let upstream = try list()
    let service = try ServiceProcess(configuration(upstream) + "\nproblems: full")
    for table in Self.shown.keys { try service.follow(table, until: "is ready") { $0.state == "ready" } }
    for status in [500, 404] {
      upstream.server.answer(.status(status, "{}"))
      _ = try service.request("POST", "/v1/tables/other/refresh")
      for (table, titles) in Self.shown {
        let mirror = try service.follow(table, until: "is stale by \(status)") { mirror in
          let detail = mirror.attributes["problem"]?["detail"]?.text ?? ""
          return mirror.state == "stale" && detail.contains("answered \(status)")
        }
        #expect(mirror.titles == [titles], "\(table), \(status)")
      }
    }
  }

  /// Tables that always live and members of families that ask the same are fed by one request, and so is a refresh of the source.
  @Test func tablesAndMembersThatAskTheSameAreFedByOneFetch() throws {
    let upstream = try list()
    let service = try ServiceProcess(configuration(upstream))
    for (table, titles) in Self.shown {
      let mirror = try service.follow(table, until: "is ready") { $0.state == "ready" }
      #expect(mirror.titles == [titles], "\(table)")
    }
    #expect(Self.fetches(upstream) == 1)
    upstream.items.change { $0[1]["title"] = "2" }
    #expect(try service.request("POST", "/v1/sources/items/refresh").status == 200)
    #expect(Self.fetches(upstream) == 2)
    #expect(try service.mirror("other").titles == [["One", "2", "Three"]])
    #expect(try service.mirror("parts;state=s2").titles == [["2"]])
    #expect(try service.mirror("named;name=a").titles == [["a One", "a 2", "a Three"]])
  }

  /// The member goes, and the table is still told what comes; the table goes, and so is the member.
  @Test func eachIsToldAsLongAsItIsThere() throws {
    let upstream = try list()
    let both = configuration(upstream, every: "200ms")
    let service = try ServiceProcess(both)
    _ = try service.mirror("named;name=a")
    let tables = both.components(separatedBy: "\n").filter { !$0.contains("edited: {") && !$0.contains("other: {") }
    try service.folder.write(tables.joined(separator: "\n"))
    service.signal(SIGHUP)
    try service.log.wait(for: "another reading") { $0.contains { $0.contains("was read again") } ? true : nil }
    upstream.items.change { $0[1]["title"] = "2" }
    try service.follow("named;name=a", until: "shows it") { $0.titles == [["a One", "a 2", "a Three"]] }
    try service.folder.write(both)
    service.signal(SIGHUP)
    try service.follow("named;name=a", until: "goes on") { $0.titles == [["a One", "a 2", "a Three"]] }
    try service.log.wait(for: "a third one") { log in log.count { $0.contains("was read again") } >= 2 ? true : nil }
    upstream.items.change { $0[1]["title"] = "two" }
    for table in ["edited", "other"] {
      try service.follow(table, until: "shows it") { $0.titles == [["One", "two", "Three"]] }
    }
  }

  /// What the upstream has accepted is in all that have the answer when the edit is answered, though the upstream can't be
  /// fetched meanwhile.
  @Test func anAcceptedEditIsInAllThatHaveTheAnswer() throws {
    let upstream = try list()
    let service = try ServiceProcess(configuration(upstream))
    var mirrors: [String: TableMirror] = [:]
    for table in Self.shown.keys {
      mirrors[table] = try service.follow(table, until: "is ready") { $0.state == "ready" }
    }
    let items = upstream.items
    let patched: @Sendable (ScriptedUpstream.Request) -> ScriptedUpstream.Answer = { request in
      let item = request.target.split(separator: "/").last.flatMap { Int($0) } ?? 0
      let title = (try? JSONValue(parsing: request.body))?["title"] ?? .null
      return items.change { items in
        items[item - 1]["title"] = title
        return .json(items[item - 1])
      }
    }
    upstream.server.answer { $0.method == "GET" ? .silence : patched($0) }
    let before = Self.fetches(upstream)
    // Two at once, each built on the other, whichever comes first.
    let edits = (2...3).map { number in
      Background("edit \(number)") {
        try service.request("PATCH", "/v1/tables/edited/items/\(number)", body: ["title": .string("new \(number)")])
      }
    }
    for edit in edits {
      let reply = try edit.value()
      #expect(reply.status == 200, "\(reply.text)")
    }
    let expected = [
      "edited": ["One", "new 2", "new 3"], "other": ["One", "new 2", "new 3"], "parts;state=s2": ["new 2"],
      "parts;state=s3": ["new 3"], "named;name=a": ["a One", "a new 2", "a new 3"],
    ]
    for (table, titles) in expected {
      #expect(try service.mirror(table).titles == [titles], "\(table)")
      // And a changeset leads there.
      let known = try required(mirrors[table], "a mirror")
      try service.follow(table, from: known, until: "follows") { $0.titles == [titles] && $0.resets.isEmpty }
    }
    #expect(Self.fetches(upstream) <= before + 2, "each edit has one begun, which the next takes the place of")
    upstream.server.answer { $0.method == "GET" ? .json(.array(items.current)) : patched($0) }
    try service.follow("other", until: "stays so") { $0.titles == [["One", "new 2", "new 3"]] }
  }
}
