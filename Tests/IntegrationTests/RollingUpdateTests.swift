import Foundation
import JSON
import TestSupport
import Testing

/// Clients that move between replicas of two generations while one takes the other's place.
@Suite(.serialized) struct RollingUpdateTests {
  /// How the newer generation differs, in the set's configuration.
  struct Change: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var old: String
    var new: String
  }

  private static let label = "Label: {nib: Label, fields: {title: string}}"
  private static let note = "Note: {nib: Note, fields: {title: string, isOpen: boolean}, expands: isOpen}"

  /// Nothing in them changes what these clients are shown.
  private static let unseen = [
    Change(
      testDescription: "a cell is added",
      old: label,
      new: "\(label)\n  New: {nib: New, fields: {title: string, isOpen: boolean}, expands: isOpen}"
    ),
    Change(
      testDescription: "a field is added",
      old: label,
      new: "Label: {nib: Label, fields: {title: string, more: optional string}}"
    ),
    Change(
      testDescription: "a version is raised",
      old: note,
      new: note.replacingOccurrences(of: "nib: Note,", with: "nib: Note, version: 3,")
    ),
    Change(
      testDescription: "a cell is added that rows come to",
      old: "todo: {source: {local: {items: [{title: A}]}}, cell: Label",
      new: "todo: {source: {local: {items: [{title: A}]}}, cell: New"
    ),
  ]

  @Test(arguments: unseen) func whoeverIsShownTheSameIsNotReset(_ change: Change) throws {
    let set = try ReplicaSet(1)
    let older = set.replicas[0]
    #expect(try older.request("POST", "/v1/tables/notes/rows/1/tap?view=v").status == 200)
    let cells = ["Accept-Cells": "Label, Note, New"]
    let few = ["Accept-Cells": "Label, New"]
    let clients: [(table: String, headers: [String: String], query: String)] = [
      ("notes", cells, ""), ("notes", few, ""), ("notes", [:], "&view=v"), ("notes", cells, "&view=v"),
      ("todo", cells, ""),
    ]
    var mirrors = try clients.map { try older.mirror($0.table, $0.headers, query: "?" + $0.query.dropFirst()) }
    var configuration = set.configuration(generation: 1).replacingOccurrences(of: change.old, with: change.new)
    if change.new.contains("cell: New") {
      configuration = configuration.replacingOccurrences(
        of: Self.label,
        with: "\(Self.label)\n  New: {nib: New, fields: {title: string}, fallback: Label}"
      )
    }
    let newer = try set.add(configuration)
    try set.awaitOutranked(older, by: newer)
    for round in 0..<3 {
      for (index, client) in clients.enumerated() {
        for replica in [newer, older, newer, older] {
          // A reply that comes at once has something to tell.
          let reply = try replica.changes(
            client.table,
            after: mirrors[index].cursor,
            query: client.query,
            client.headers
          )
          try mirrors[index].apply(reply)
          #expect(mirrors[index].resets == [], "\(client) \(reply)")
        }
        for replica in [newer, older] {
          let shown = try replica.snapshot(client.table, client.headers, query: "?" + client.query.dropFirst())
          try mirrors[index].check(equals: shown)
          #expect(shown["cursor"]?.text == mirrors[index].cursor, "\(client)")
        }
      }
      // Nothing new: a poll waits at either.
      let waiting = try [older, newer].map {
        try $0.poll("notes", after: mirrors[3].cursor, query: clients[3].query, clients[3].headers)
      }
      for replica in [older, newer] { try replica.awaitPolls(1) }
      let title = JSONValue.string("round \(round)")
      #expect(try newer.request("PATCH", "/v1/tables/notes/items/1", body: ["title": title]).status == 200)
      let replies = try waiting.map { try $0.value() }
      let reply = try replies[0].json
      #expect(replies[0].text == replies[1].text && reply["stages"]?.elements.count == 1, "\(reply)")
      try mirrors[3].apply(reply)
      try set.converge()
    }
  }

  /// A cell that a client can't show any more: it is shown another one, once, and then what the newer ones show.
  @Test func whoeverIsShownOtherwiseIsResetOnce() throws {
    let fallible = Self.note.replacingOccurrences(of: "nib: Note,", with: "nib: Note, version: 2, fallback: Label,")
    let set = try ReplicaSet(0)
    let older = try set.add(set.configuration().replacingOccurrences(of: Self.note, with: fallible))
    let headers = ["Accept-Cells": "Label, Note;v=2"]
    let query = "&view=v"
    #expect(try older.request("POST", "/v1/tables/notes/rows/1/tap?view=v").status == 200)
    var mirror = try older.mirror("notes", headers, query: "?view=v")
    #expect(mirror.row("1")?["cellIdentifier"] == "Note")
    let raised = fallible.replacingOccurrences(of: "version: 2", with: "version: 3")
    let newer = try set.add(set.configuration(generation: 1).replacingOccurrences(of: Self.note, with: raised))
    try set.awaitOutranked(older, by: newer)
    for round in 0..<3 {
      let title = JSONValue.string("round \(round)")
      #expect(try newer.request("PATCH", "/v1/tables/notes/items/1", body: ["title": title]).status == 200)
      try set.converge()
      for replica in [older, newer, older, older, newer] {
        try mirror.apply(try replica.changes("notes", after: mirror.cursor, query: query, headers))
        #expect(mirror.resets.count <= 1)
      }
      let shown = try newer.snapshot("notes", headers, query: "?view=v")
      try mirror.check(equals: shown)
      #expect(mirror.row("1")?["cellIdentifier"] == "Label" && mirror.row("1")?["payload"]?["title"] == title)
      // The older one doesn't answer at once, again and again.
      let waiting = try older.poll("notes", after: mirror.cursor, wait: 1, query: query, headers)
      try older.awaitPolls(1)
      let reply = try waiting.value().json
      #expect(reply["reset"] == nil && reply["stages"] == [] && reply["to"]?.text == mirror.cursor, "\(reply)")
    }
    #expect(mirror.resets == ["lens"])
    // Its own clients go on.
    var own = try older.mirror("notes", headers)
    #expect(try newer.request("PATCH", "/v1/tables/notes/items/1", body: ["title": "last"]).status == 200)
    own = try older.follow("notes", headers, from: own, until: "shows it") {
      $0.row("1")?["payload"]?["title"] == "last"
    }
    #expect(own.resets == [] && own.row("1")?["cellIdentifier"] == "Note")
    // Where nobody is left who shows it otherwise, a client is set back to what this one shows.
    newer.signal(SIGKILL)
    try awaited("a reset by the only one left") {
      try older.changes("notes", after: mirror.cursor, query: query, headers)["reset"] == "lens"
    }
  }

  /// Replicas of the older generation can't search the rows of the newer one, and name nothing by the newer one's cursors.
  @Test func rowsAreSearchedByTheGenerationThatMakesThem() throws {
    let set = try ReplicaSet(0)
    let todo = "todo: {source: {local: {items: [{title: A"
    let configuration = { (generation: Int, search: String) in
      set.configuration(generation: generation).replacingOccurrences(
        of: "\(todo)}]}}, ",
        with: "\(todo), note: B}]}}, find: {search: [\(search)]}, "
      )
    }
    let older = try set.add(configuration(0, "title"))
    try older.follow("up", until: "is ready") { $0.state == "ready" }
    #expect(try older.mirror("todo", query: "?q=a").rows == ["1"])
    let newer = try set.add(configuration(1, "note"))
    try set.awaitOutranked(older, by: newer)
    try awaited("rows by the newer one") { try newer.request("GET", "/v1/tables/todo?q=b").status == 200 }
    var mirror = try newer.mirror("todo", query: "?q=b")
    #expect(mirror.rows == ["1"])
    try set.converge()
    for query in ["q=a", "q=b", "find=1"] {
      let reply = try older.request("GET", "/v1/tables/todo?\(query)")
      #expect(reply.status == 503 && reply["Retry-After"] == "1", "\(query): \(reply.text)")
    }
    let reply = try older.changes("todo", after: mirror.cursor, query: "&q=b")
    #expect(reply["stages"] == [] && reply["to"]?.text == mirror.cursor, "\(reply)")
    #expect(try newer.request("POST", "/v1/tables/todo/items", body: ["title": "C", "note": "B"]).status == 201)
    try mirror.apply(newer.changes("todo", after: mirror.cursor, query: "&q=b"))
    #expect(mirror.resets == [] && mirror.rows.count == 2)
    try mirror.check(equals: newer.snapshot("todo", query: "?q=b"))
  }

  /// The newer generation lacks tables, or names the source of one otherwise: nobody could show an edit of it, which
  /// each repeat would do again, and nobody says what is new in a table that is not there.
  @Test(arguments: [false, true]) func whatTheNewerOneLacksIsNotServed(isSourceRenamed: Bool) throws {
    let set = try ReplicaSet(0)
    set.upstream.answer { request in
      let item = ReplicaSet.item("first")
      return .json(request.method == "GET" ? .array([item]) : item)
    }
    func table(_ source: String) -> String {
      """
      {source: \(source), row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}, \
      actions: {mark: {title: Mark, request: {method: POST, url: "\(set.upstream.url)/mark/${$id}"}}}}
      """
    }
    /// - Parameter further: the name of the source of `gone`; nil: there is none, nor the second table of the notes.
    func configuration(_ generation: Int, _ further: String?) -> String {
      let notes = "{source: pool, cell: Label, payload: {title: \"${title}\"}}"
      var sources = [
        "pool: {local: {items: [{title: first}]}}", "list: {url: \"\(set.upstream.url)/list\", every: 0s}",
      ]
      var tables = ["kept: \(table("list"))", "notes: \(notes)"]
      if let further {
        sources.append("\(further): {url: \"\(set.upstream.url)/further\", every: 0s}")
        tables += ["gone: \(table(further))", "second: \(notes)"]
      }
      return """
        store: {postgres: "\(set.address)"}
        generation: \(generation)
        cells: {Label: {nib: Label, fields: {title: string}}}
        sources: {\(sources.joined(separator: ", "))}
        tables: {\(tables.joined(separator: ", "))}
        """
    }
    let older = try set.add(configuration(0, "former"))
    for name in ["kept", "gone"] { try older.follow(name, until: "is ready") { $0.state == "ready" } }
    let newer = try set.add(configuration(1, isSourceRenamed ? "things" : nil))
    try awaited("the newer one asks the sources") { try newer.metric("replica_leading") == 1 }
    try awaited("an older one that knows itself outranked") {
      try older.request("DELETE", "/v1/tables/notes/items/none").status == 503
    }
    let marks = { set.upstream.requests.current.count { $0.method == "POST" } }
    for _ in 0..<2 {
      let reply = try older.request("POST", "/v1/tables/gone/rows/1/actions/mark", ["Idempotency-Key": "gone"])
      #expect(reply.status == 503 && reply["Retry-After"] == "1" && marks() == 0, "\(reply.text)")
    }
    // What the newer one has goes on.
    let mark = try ReplicaSet.settled(older, "POST", "/v1/tables/kept/rows/1/actions/mark", key: "kept")
    #expect(mark.status == 200 && marks() == 1, "\(mark.text)")
    let status = isSourceRenamed ? 200 : 503
    for (name, status) in [("kept", 200), ("gone", status)] {
      let path = "/v1/tables/\(name)"
      try awaited("\(name): \(status)") { try older.request("GET", path).status == status }
      try awaited("a refresh of \(name): \(status)") { try older.request("POST", path + "/refresh").status == status }
    }
    #expect(try newer.request("PATCH", "/v1/tables/notes/items/1", body: ["title": "changed title"]).status == 200)
    let second = try older.request("GET", "/v1/tables/second")
    let isNew = isSourceRenamed && second.text.contains("changed title")
    #expect(isNew || second.status == 503, "\(second.text)")
    try awaited("the new title") { try older.request("GET", "/v1/tables/notes").text.contains("changed title") }
    #expect(try older.request("GET", "/readyz").status == 200)
  }

  /// What makes tables, beside the tables themselves.
  @Test(
    arguments: [
      ("locales: [de-DE, en-US]", [:], false), ("locales: [en-US, de-DE]", [:], true),
      ("locales: [en-US, de-DE]", ["STAGE": "two"], false), ("locales: [en-US, de-DE]", ["TOKEN": "two"], true),
    ] as [(String, [String: String], Bool)]
  )
  func ofOneGenerationLanguagesAndTheEnvironmentAreTheSame(
    locales: String,
    environment: [String: String],
    isSame: Bool
  ) throws {
    let set = try ReplicaSet(0)
    let text = { (locales: String) in
      set.configuration(title: "${title} ${env.STAGE}") + "\n\(locales)\n"
    }
    let written = { (locales: String) in
      text(locales).replacingOccurrences(
        of: "/quiet\",",
        with: "/quiet\", headers: {Authorization: \"Bearer ${env.TOKEN}\"},"
      )
    }
    let variables = ["STAGE": "one", "TOKEN": "one"]
    let first = try set.add(written("locales: [en-US, de-DE]"), variables)
    try first.logged("This replica asks the sources")
    let other = try set.add(written(locales), variables.merging(environment) { $1 })
    guard !isSame else {
      try other.follow("up", until: "is ready") { $0.state == "ready" }
      try set.converge()
      #expect(try other.request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 201)
      return #expect(try other.request("GET", "/readyz").status == 200)
    }
    try awaited("a replica that stays unready") { try other.request("GET", "/readyz").status == 503 }
    try other.logged("This replica stays unready")
    #expect(try other.request("GET", "/readyz").text.contains("languages"))
    #expect(try other.request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 503)
    #expect(try first.request("GET", "/readyz").status == 200)
  }

  /// The table that keeps what several show is not in the newer generation, which one replica after the other has: by a reload,
  /// or by a restart. Nothing that any of them has acknowledged is lost.
  @Test(arguments: [false, true]) func theItemsOutliveTheirKeeper(isRestarted: Bool) throws {
    let set = try ReplicaSet(0)
    func configuration(_ generation: Int, _ tables: [String]) -> String {
      let table = "{source: pool, cell: Label, payload: {title: \"${title}\"}}"
      return """
        store: {postgres: "\(set.address)"}
        generation: \(generation)
        cells: {Label: {nib: Label, fields: {title: string}}}
        sources: {pool: {local: {items: [{title: first}]}}}
        tables: {\(tables.map { "\($0): \(table)" }.joined(separator: ", "))}
        """
    }
    var replicas = try (0..<2).map { _ in try set.add(configuration(1, ["a", "b"])) }
    try set.awaitOneLeader()
    var titles = ["first"]
    func add(_ title: String, to table: String, at replica: ServiceProcess) throws {
      try awaited("an edit that is taken: \(title)") {
        let reply = try replica.request("POST", "/v1/tables/\(table)/items", body: ["title": .string(title)])
        return reply.status == 201
      }
      titles.append(title)
    }
    try add("by a", to: "a", at: replicas[0])
    try add("by b", to: "b", at: replicas[1])
    let steps: [[String]] = [["b"], ["c"], ["a", "c"]]
    for (step, tables) in steps.enumerated() {
      for index in replicas.indices {
        if isRestarted {
          #expect(try replicas[index].end() == 0)
          replicas[index] = try set.add(configuration(step + 2, tables))
        } else {
          try replicas[index].folder.write(configuration(step + 2, tables))
          replicas[index].signal(SIGHUP)
          try replicas[index].log.wait(for: "a reload") { lines in
            lines.count { $0.contains("read again") } == step + 1 ? true : nil
          }
        }
        // Before the others have that configuration.
        for table in tables { try add("\(step), \(index): \(table)", to: table, at: replicas[index]) }
      }
      for (replica, table) in replicas.flatMap({ replica in tables.map { (replica, $0) } }) {
        let mirror = try replica.follow(table, until: "has all") { $0.rows.count >= titles.count }
        let shown = mirror.rows.map { mirror.row($0)?["payload"]?["title"]?.text ?? "" }
        #expect(shown.sorted() == titles.sorted() && Set(mirror.rows).count == titles.count, "\(tables), \(table)")
      }
    }
  }

  /// Its configuration differs from that of replicas of which none is left.
  @Test func aLoneReplicaComesBackWithAnotherConfiguration() throws {
    let set = try ReplicaSet(1)
    try set.replicas[0].logged("This replica asks the sources")
    let before = try set.replicas[0].mirror("todo")
    #expect(try set.replicas[0].end() == 0)
    let other = try set.add(title: "other ${title}")
    let mirror = try other.follow("todo", from: before, until: "is laid out anew") {
      $0.row("1")?["payload"]?["title"] == "other A"
    }
    #expect(mirror.resets == [])
    try awaited("a ready replica") { try other.request("GET", "/readyz").status == 200 }
    #expect(try other.request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 201)
    // Now this one's is the first.
    let late = try set.add()
    try awaited("a replica that stays unready") { try late.request("GET", "/readyz").status == 503 }
    #expect(try other.request("GET", "/readyz").status == 200)
  }
}

extension ReplicaSet {
  fileprivate func awaitOutranked(_ older: ServiceProcess, by newer: ServiceProcess) throws {
    try awaited("the newer one asks the sources") { try newer.metric("replica_leading") == 1 }
    try awaited("an older one that knows itself outranked") {
      try older.request("DELETE", "/v1/tables/todo/items/none").status == 503
    }
    try converge()
  }
}
