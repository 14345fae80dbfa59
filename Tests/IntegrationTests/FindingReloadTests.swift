import Foundation
import JSON
import TestSupport
import Testing

/// A table is found by something else than before: those who look at it go on from what they were shown.
@Suite struct FindingReloadTests {
  private static func configuration(
    search: String = "[title]",
    filters: String = "state: {title: State, by: state}",
    header: String = "${$count} of ${$key}",
    order: String = "ascending",
    store: String = "memory"
  ) -> String {
    """
    store: \(store)
    cells:
      Title: {fields: {title: string}}
      Label: {fields: {title: string}}
    tables:
      todo:
        source:
          local:
            items:
              - {title: One, note: second, state: open, group: a}
              - {title: Two, note: first, state: closed, group: a}
              - {title: Three, note: first, state: open, group: b}
        cell: Label
        payload: {title: "${title}"}
        sections:
          groupBy: group
          header: {cell: Title, payload: {title: "\(header)"}}
        find:
          prompt: Search
          search: \(search)
          filters:
            \(filters)
          sorts:
            title: {title: Title, by: title, order: \(order)}
    """
  }

  /// Each from what was shown by the first configuration to what is shown by the other one.
  private static let cases: [(name: String, next: String, from: String, to: String)] = [
    ("search", configuration(search: "[note]"), "q=two", "q=first"),
    ("search alone", configuration(search: "[note]"), "q=two", "q=two"),
    ("search, typed on", configuration(search: "[title, note]"), "q=t", "q=tw"),
    ("a header that counts", configuration(header: "${$key}: ${$count}"), "q=t", "q=t"),
    ("a header, to another search", configuration(header: "${$key}: ${$count}"), "q=t", "filter=state:open&rows=1"),
    ("titles", configuration(filters: "state: {title: Condition, by: state}"), "find=1", "find=1"),
    ("an order", configuration(order: "descending"), "sort=title", "sort=title"),
    (
      "another filter", configuration(filters: "note: {title: Note, by: note}"), "filter=state:open",
      "filter=note:first"
    ),
    ("a filter that is gone", configuration(filters: "note: {title: Note, by: note}"), "filter=state:open", ""),
  ]

  @Test(arguments: cases.indices) func clientsGoOnFromWhatTheyWereShown(number: Int) throws {
    let (name, next, from, to) = Self.cases[number]
    let service = try ServiceProcess(Self.configuration(), arguments: ["--insecure"])
    var mirror = try service.mirror("todo", query: "?\(from)")
    let before = try service.mirror("todo").cursor
    try service.folder.write(next)
    service.signal(SIGHUP)
    try awaited("a version by the new configuration") { try service.mirror("todo").cursor != before }
    let changes = try service.changes("todo", after: mirror.cursor, query: "&\(to.isEmpty ? "rows=all" : to)")
    #expect(changes["reset"] == nil || changes["reset"] == "large", "\(name): \(changes)")
    try mirror.apply(changes)
    try mirror.check(equals: service.snapshot("todo", query: "?\(to)"))
  }

  /// A table without rows shows nothing that tells by what it is found: after a restart its menus come with a new version all the same.
  @Test func anEmptyTableHasNewMenusAfterARestart() throws {
    let folder = try TemporaryFolder()
    func configuration(_ prompt: String) -> String {
      """
      store: {path: "\(folder.url.path)/store.sqlite"}
      cells: {Label: {fields: {title: string}}}
      tables:
        todo:
          source: {local: {items: []}}
          cell: Label
          payload: {title: "${title}"}
          find: {prompt: \(prompt), search: [title]}
      """
    }
    func run(_ prompt: String, _ body: (ServiceProcess) throws -> Void) throws {
      let service = try ServiceProcess(configuration(prompt), arguments: ["--insecure"])
      try body(service)
      #expect(try service.end() == 0)
    }
    var mirror: TableMirror?
    try run("Search") { mirror = try $0.mirror("todo", query: "?find=1") }
    let first = try required(mirror, "a table")
    try run("Search") {
      let cursor = try $0.mirror("todo", query: "?find=1").cursor
      #expect(cursor == first.cursor, "nothing has changed")
    }
    try run("Look") { service in
      var mirror = first
      let changes = try service.changes("todo", after: mirror.cursor, query: "&find=1")
      #expect(changes["reset"] == "lens", "\(changes)")
      try mirror.apply(changes)
      #expect(mirror.attributes["find"]?["prompt"] == "Look" && mirror.cursor != first.cursor)
      try mirror.check(equals: service.snapshot("todo", query: "?find=1"))
    }
  }

  /// A process that has just started knows nothing of the configuration before: what was shown by it can't be made again.
  @Test(arguments: cases.indices) func anotherProcessSetsThemBack(number: Int) throws {
    let (name, next, from, to) = Self.cases[number]
    let folder = try TemporaryFolder()
    let store = "{path: \"\(folder.url.path)/store.sqlite\"}"
    var mirror: TableMirror
    do {
      let service = try ServiceProcess(Self.configuration(store: store), arguments: ["--insecure"])
      mirror = try service.mirror("todo", query: "?\(from)")
      #expect(try service.end() == 0)
    }
    let configuration = next.replacing("store: memory", with: "store: \(store)")
    let service = try ServiceProcess(configuration, arguments: ["--insecure"])
    let changes = try service.changes("todo", after: mirror.cursor, query: "&\(to.isEmpty ? "rows=all" : to)")
    #expect(changes["reset"] == "lens", "\(name): \(changes)")
    try mirror.apply(changes)
    try mirror.check(equals: service.snapshot("todo", query: "?\(to)"))
  }

  /// Rows that a process with another configuration has made are not searched until they are made anew: nothing would be found of them.
  @Test func rowsOfAnotherConfigurationAreNotSearched() throws {
    let items: JSONValue = [
      ["id": 1, "title": "One", "note": "second"], ["id": 2, "title": "Two", "note": "first"],
    ]
    let upstream = try ScriptedUpstream(items)
    let folder = try TemporaryFolder()
    func start(_ search: String) throws -> ServiceProcess {
      try ServiceProcess(
        """
        store: {path: "\(folder.url.path)/store.sqlite"}
        cells: {Label: {fields: {title: string}}}
        sources: {all: {url: "\(upstream.url)/items", every: 100ms, retries: 0}}
        tables:
          t: {source: all, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}, find: {search: [\(search)]}}
        """,
        arguments: ["--insecure"]
      )
    }
    var mirror: TableMirror
    do {
      let service = try start("title")
      try service.follow("t", until: "is ready") { $0.state == "ready" }
      mirror = try service.mirror("t", query: "?q=two")
      #expect(mirror.rows == ["2"])
      #expect(try service.end() == 0)
    }
    upstream.answer(.status(500, "down"))
    let service = try start("note")
    let plain = try service.follow("t", until: "has failed") { $0.state == "stale" && $0.rows == ["1", "2"] }.cursor
    for target in [
      "?q=first", "?q=two", "?find=1", "/rows?at=0,0&q=two", "/changes?q=two", "/changes?after=\(plain)&wait=0&q=two",
      "/changes?after=\(mirror.cursor)&q=first", "/stream?q=two",
    ] {
      let reply = try service.request("GET", "/v1/tables/t\(target)")
      #expect(reply.status == 503 && reply["Retry-After"] == "1", "\(target): \(reply.text)")
    }
    let pairs = try service.request("GET", "/v1/changes?after=t;;q=two:&after=t:&wait=0").json
    let entries = (pairs["changes"] ?? .null).elements
    #expect(entries.first { $0["pair"] == 0 }?["problem"]?["status"] == 503, "\(pairs)")
    #expect(entries.contains { $0["pair"] == nil && $0["snapshot"] != nil }, "\(pairs)")
    // Who has found something before waits with that.
    let changes = try service.changes("t", after: mirror.cursor, query: "&q=two")
    #expect(changes["stages"] == [] && changes["to"]?.text == mirror.cursor, "\(changes)")
    let waiting = try service.poll("t", after: mirror.cursor, query: "&q=two")
    try service.awaitPolls(1)
    upstream.answer(items)
    let reply = try waiting.value().json
    #expect(reply["reset"] == "lens", "\(reply)")
    try mirror.apply(reply)
    #expect(mirror.rows == [])
    try mirror.check(equals: service.snapshot("t", query: "?q=two"))
    #expect(try service.mirror("t", query: "?q=first").rows == ["2"])
  }

  @Test func whoWaitsIsToldWhatIsFoundNow() throws {
    let service = try ServiceProcess(Self.configuration(), arguments: ["--insecure"])
    var mirror = try service.mirror("todo", query: "?q=two")
    let other = try service.mirror("todo", query: "?filter=state:open").cursor
    let (waiter, filtering) = (try service.client(), try service.client())
    try waiter.send("GET", "/v1/tables/todo/changes?after=\(mirror.cursor)&wait=50&q=two")
    try filtering.send("GET", "/v1/tables/todo/changes?after=\(other)&wait=50&filter=state:open")
    try service.awaitPolls(2)
    let next = Self.configuration(search: "[note]", filters: "note: {title: Note, by: note}")
    try service.folder.write(next)
    service.signal(SIGHUP)
    try mirror.apply(waiter.receive("what is found now").json)
    try mirror.check(equals: service.snapshot("todo", query: "?q=two"))
    #expect(mirror.rows == [])
    // What it waits with is no longer offered.
    let refused = try filtering.receive("the refusal")
    #expect(refused.status == 400 && refused.text.contains("`note`"), "\(refused.text)")
  }

  /// Polls of several tables and streams are no longer shown anything by a search that a reload has removed.
  @Test func aSearchThatIsGoneIsNoLongerAnswered() throws {
    let service = try ServiceProcess(Self.configuration(), arguments: ["--insecure"])
    let cursor = try service.mirror("todo", query: "?filter=state:open").cursor
    let plain = try service.mirror("todo").cursor
    let (waiter, asking, stream) = (try service.client(), try service.client(), try service.client())
    try waiter.send("GET", "/v1/changes?after=todo;;filter=state%3Aopen:\(cursor)&wait=50")
    try asking.send("GET", "/v1/changes?after=todo:\(cursor)&wait=50&filter=state:open")
    try stream.send("GET", "/v1/tables/todo/stream?after=\(cursor)&filter=state:open")
    _ = try stream.receiveHead("the stream")
    try service.awaitPolls(2)
    try service.folder.write(Self.configuration(filters: "note: {title: Note, by: note}"))
    service.signal(SIGHUP)
    for (client, field) in [(waiter, "after"), (asking, "filter")] {
      let reply = try client.receive("the refusal")
      let entries = try (reply.json["changes"] ?? .null).elements
      #expect(entries.count == 1 && entries.first?["problem"]?["status"] == 400, "\(reply.text)")
      #expect(entries.first?["problem"]?["field"]?.text == field && reply.text.contains("`note`"), "\(reply.text)")
    }
    var events = ""
    while case let chunk = try stream.receiveChunk("the end of the stream"), !chunk.isEmpty { events += chunk }
    #expect(!events.contains("event: changes"), "\(events)")
    // The version with the new menu may come behind the refusals.
    try awaited("a version by the new configuration") { try service.mirror("todo").cursor != plain }
    #expect(try service.request("GET", "/v1/tables/todo/stream?filter=state:open").status == 400)
  }

  /// The same table, which can't be searched.
  private static var plain: String { configuration().components(separatedBy: "\n    find:")[0] }

  private static let menuCases: [(members: [String], headers: [String: String])] = [
    (["find=1"], [:]), (["find=1", "rows=2"], [:]), (["q=%21%21"], [:]), (["find=1"], ["Accept-Cells": "Label"]),
  ]

  /// Whoever waits and asks for menus alone is told by a reload that they have come or gone, and is where a snapshot is
  /// then: polls, polls of several tables, and streams.
  ///
  /// - Parameter isOffered: after the reload, and not before; false: before.
  @Test(arguments: menuCases.indices, [true, false])
  func menusComeAndGoForThoseWhoWait(number: Int, isOffered: Bool) throws {
    let (members, headers) = Self.menuCases[number]
    let query = members.joined(separator: "&")
    let first = isOffered ? Self.plain : Self.configuration()
    let service = try ServiceProcess(first, arguments: ["--insecure"])
    let plain = try service.mirror("todo").cursor
    let before = try service.mirror("todo", headers, query: "?\(query)")
    #expect((before.attributes["find"] == JSONValue.null) == isOffered)
    let cursor = before.cursor
    let waiters = try [
      "/v1/tables/todo/changes?after=\(cursor)&wait=50&\(query)",
      "/v1/changes?after=todo;;\(members.joined(separator: ";")):\(cursor)&wait=50",
      "/v1/changes?after=todo:\(cursor)&wait=50&\(query)",
    ].map { target in
      let client = try service.client()
      try client.send("GET", target, headers)
      return (target, client)
    }
    try service.awaitPolls(waiters.count)
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/todo/stream?after=\(cursor)&\(query)", headers)
    _ = try stream.receiveHead("the stream")
    try service.folder.write(isOffered ? Self.configuration() : Self.plain)
    service.signal(SIGHUP)
    let signalled = ContinuousClock.now
    var told: [(name: String, changes: JSONValue)] = []
    for (target, client) in waiters {
      let reply = try client.receive(target).json
      told.append((target, try reply["changes"].map { try required($0.elements.first, "an entry") } ?? reply))
    }
    #expect(ContinuousClock.now - signalled < .seconds(45), "told when it came, not at the end of the wait")
    var events = ""
    while !events.contains("}\n\n") { events += try stream.receiveChunk("an event") }
    let line = events.split(separator: "\n").first { $0.hasPrefix("data: ") }
    told.append(("the stream", try JSONValue(parsing: String(required(line, "data").dropFirst(6)))))
    try awaited("a version by the new configuration") { try service.mirror("todo").cursor != plain }
    for (name, changes) in told {
      var mirror = before
      try mirror.apply(changes)
      #expect((mirror.attributes["find"] == JSONValue.null) != isOffered, "\(name): \(changes)")
      // Those who were told that menus have gone may not have been told of the version yet.
      let rest = try service.changes("todo", after: mirror.cursor, query: "&\(query)", headers)
      #expect(rest["reset"] == nil && rest["stages"] == [], "\(name): \(changes), \(rest)")
      try mirror.apply(rest)
      try mirror.check(equals: service.snapshot("todo", headers, query: "?\(query)"))
    }
  }

  /// Members whose rows are made in common have the headers of the table.
  @Test func membersThatShareRowsAreFoundWithTheirHeaders() throws {
    let upstream = try ScriptedUpstream([
      ["id": 1, "title": "One", "team": "a", "size": 2], ["id": 2, "title": "Two", "team": "b", "size": 3],
      ["id": 3, "title": "Three", "team": "a", "size": 4],
    ])
    let service = try ServiceProcess(
      """
      store: memory
      cells:
        Title: {fields: {title: string}}
        Label: {fields: {title: string}}
      sources: {all: {url: "\(upstream.url)/items", every: 1h, retries: 0}}
      tables:
        teams:
          source: all
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          parameters: {team: {pattern: "[a-z]"}}
          sections:
            - id: main
              where: team == $params.team
              header: {cell: Title, payload: {title: "${$count}, ${$items | map(size) | sum}"}}
          find: {search: [title]}
      """,
      arguments: ["--insecure"]
    )
    var mirror = try service.mirror("teams;team=a", query: "?q=t")
    #expect(mirror.rows == ["3"] && mirror.sections.first?.header["payload"]?["title"] == "1, 4", "\(mirror.sections)")
    let changes = try service.changes("teams;team=a", after: mirror.cursor, query: "&q=o")
    #expect(changes["reset"] == nil, "\(changes)")
    try mirror.apply(changes)
    #expect(mirror.rows == ["1"] && mirror.sections.first?.header["payload"]?["title"] == "1, 2", "\(mirror.sections)")
  }

  /// Whether all of a section's rows are found or some.
  @Test func headersReadItemsInTheOrderOfTheSort() throws {
    let configuration = Self.configuration(header: "${$items | map(title) | join('|')}", order: "descending")
    let service = try ServiceProcess(configuration, arguments: ["--insecure"])
    for (query, headers) in [
      ("", ["One|Two", "Three"]), ("q=t", ["Two", "Three"]), ("sort=title", ["Two|One", "Three"]),
      ("sort=title&filter=state:open", ["One", "Three"]), ("sort=title&rows=1", ["Two|One"]),
    ] {
      let table = try service.mirror("todo", query: "?\(query)")
      #expect(table.sections.map { $0.header["payload"]?["title"]?.text } == headers, "\(query)")
    }
  }

  @Test func aSearchOfTheQueryCountsForAllTablesWithoutALensOfTheirOwn() throws {
    let service = try ServiceProcess(
      Self.configuration()
        + "\n  plain: {source: {local: {items: [{title: A}]}}, cell: Label, payload: {title: \"${title}\"}}",
      arguments: ["--insecure"]
    )
    let pairs = "after=todo:&after=todo;;rows=1:&after=plain:"
    let reply = try service.request("GET", "/v1/changes?\(pairs)&wait=0&q=two&filter=state:closed&filter=state:open")
    let entries = try (reply.json["changes"] ?? .null).elements
    #expect(entries.count == 3, "\(reply.text)")
    #expect(entries.first?["snapshot"]?["counts"]?["rows"] == 1 && entries.first?["snapshot"]?["find"] != nil)
    #expect(entries.first { $0["pair"] == 1 }?["snapshot"]?["window"] == ["rows": 1, "of": 3], "\(reply.text)")
    let problem = entries.first { $0["table"] == "plain" }?["problem"]
    #expect(problem?["status"] == 400 && problem?["field"] == "q", "\(reply.text)")
    #expect(reply["Link"].contains("&q=two&filter=state%3Aclosed&filter=state%3Aopen"), "\(reply["Link"])")
    #expect(try service.request("GET", "/v1/changes?after=todo:&wait=0&find=2").status == 400)
  }
}
