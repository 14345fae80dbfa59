import Foundation
import JSON
import TestSupport
import Testing

/// `can` follows the caller: who may not edit a table is offered no edit of it.
@Suite struct CallerPermissionTests {
  private static func configuration(editor: String = "[read, edit]", edges: Bool = false) throws -> String {
    """
    store: memory
    cells:
      Label: {fields: {title: string}}
      Fold: {fields: {title: string, isOpen: boolean}, expands: isOpen, fallback: Label}
    auth:
      tokens:
        - {name: editor, sha256: "\(try sha256("editor"))", allow: \(editor)}
        - {name: writer, sha256: "\(try sha256("writer"))", allow: [read, edit], tables: [t*]}
        - {name: reader, sha256: "\(try sha256("reader"))", allow: [read]}
    tables:
      tasks:
        edges: \(edges)
        source: {local: {items: [{title: A}, {title: B}, {title: C, locked: true}], default: {title: New}}}
        cell: Fold
        payload: {title: "${title}", isOpen: false}
        can: {edit: "!(locked ?? false)"}
        actions: {lock: {title: Lock, patch: {locked: true}}}
      notes:
        source: {local: {items: [{title: N}], default: {title: New}}}
        cell: Label
        payload: {title: "${title}"}
      fixed:
        source: {local: {items: [{title: F}]}}
        cell: Label
        payload: {title: "${title}"}
        can: {edit: false, move: false}
    """
  }

  /// Nil: nobody.
  private func headers(_ token: String?) -> [String: String] { token.map { ["Authorization": "Bearer \($0)"] } ?? [:] }

  private func can(_ row: JSONValue?) -> [Bool?] {
    ["edit", "move", "select"].map { name in row?["can"]?[name].map { $0 == true } }
  }

  @Test func callersWhoMayDoTheSameShareTheirReplies() throws {
    let service = try ServiceProcess(try Self.configuration())
    func get(_ path: String, _ token: String?, _ more: [String: String] = [:]) throws -> Reply {
      try service.request("GET", "/v1/tables\(path)", headers(token).merging(more) { $1 })
    }
    let (editors, readers): ([String?], [String?]) = (["editor", "writer"], ["reader", nil, "unknown"])
    for (callers, expected) in [(editors, [true, true, true]), (readers, [false, false, true])] {
      let snapshots = try callers.map { try get("/tasks", $0) }
      for reply in snapshots {
        #expect(reply.text == snapshots[0].text && reply["ETag"] == snapshots[0]["ETag"])
        #expect(reply["Cache-Control"] == "private, no-cache" && reply["Vary"].contains("Authorization"))
      }
      let mirror = try TableMirror(snapshots[0].json)
      #expect(can(mirror.row("1")) == expected && can(mirror.row("3")) == [false] + expected.dropFirst())
      // Who is not signed in may be asked to by the answer to one.
      #expect(mirror.row("1")?["actions"] != nil)
      for token in callers {
        for path in ["/tasks/rows/1", "/tasks/rows?at=0,0"] {
          let reply = try get(path, token)
          #expect(
            try can(reply.json["row"]) == expected && reply.json["cursor"]?.text == mirror.cursor,
            "\(reply.text)"
          )
          #expect(reply["Vary"].contains("Authorization") && reply["Cache-Control"] == "private, no-cache")
        }
        let listed = try (get("", token).json["tables"] ?? .null).elements
        #expect(listed.first?["cursor"]?.text == mirror.cursor)
        let tap = try service.request("POST", "/v1/tables/tasks/rows/1/tap?view=v", headers(token)).json
        #expect(can(tap["row"]) == expected, "\(tap)")
      }
    }
    // What nobody may edit is the same for all, and caches may keep it for all.
    let fixed = try [nil, "editor", "reader"].map { try get("/fixed", $0) }
    #expect(fixed.allSatisfy { $0.text == fixed[0].text && $0["Cache-Control"] == "no-cache" })
    #expect(fixed.allSatisfy { !$0["Vary"].contains("Authorization") })
    // A token counts for the tables that it names alone.
    #expect(try can(get("/notes/rows/1", "writer").json["row"]) == [false, false, true])
    #expect(try can(get("/notes/rows/1", "editor").json["row"]) == [true, true, true])
    // A tag of one caller's is not another's.
    for (mine, theirs) in [("editor", nil), ("reader", "writer")] as [(String?, String?)] {
      let tag = try get("/tasks", mine)["ETag"]
      #expect(try get("/tasks", mine, ["If-None-Match": tag]).status == 304)
      #expect(try get("/tasks", theirs, ["If-None-Match": tag]).status == 200)
    }
  }

  @Test func eachIsToldWhatItSees() throws {
    let service = try ServiceProcess(try Self.configuration())
    let editor = headers("editor")
    var (mine, theirs) = (try service.mirror("tasks", editor), try service.mirror("tasks"))
    #expect(mine.cursor != theirs.cursor)
    func edit(_ body: JSONValue) throws -> JSONValue {
      try service.request("PATCH", "/v1/tables/tasks/items/1", editor, body: body).json
    }
    let polls = try [(mine, editor), (theirs, [:])].map { try service.poll("tasks", after: $0.cursor, $1) }
    try service.awaitPolls(2)
    let answer = try edit(["title": "Z"])
    try mine.apply(polls[0].value().json)
    try theirs.apply(polls[1].value().json)
    #expect(mine.cursor == answer["cursor"]?.text && mine.resets.isEmpty && theirs.resets.isEmpty)
    // A lock is seen by those who could have edited: the others have nothing to be told, and lose nothing.
    let waiting = try service.poll("tasks", after: theirs.cursor, wait: 2)
    try service.awaitPolls(1)
    _ = try edit(["locked": true])
    try mine.apply(service.changes("tasks", after: mine.cursor, editor))
    #expect(can(mine.row("1")) == [false, true, true] && mine.resets.isEmpty)
    let reply = try waiting.value().json
    #expect(reply["stages"] == [] && reply["to"]?.text != reply["from"]?.text, "\(reply)")
    try theirs.apply(reply)
    try mine.check(equals: service.snapshot("tasks", editor))
    try theirs.check(equals: service.snapshot("tasks"))
    // Another's cursor leads to a whole table.
    for (mirror, headers) in [(mine, [:]), (theirs, editor)] as [(TableMirror, [String: String])] {
      let reply = try service.changes("tasks", after: mirror.cursor, headers)
      #expect(reply["reset"] == "lens")
      var other = mirror
      try other.apply(reply)
      try other.check(equals: service.snapshot("tasks", headers))
    }
  }

  @Test func pollsOfSeveralTables() throws {
    let service = try ServiceProcess(try Self.configuration())
    let writer = headers("writer")
    @Sendable func poll(_ tasks: String, _ notes: String, wait: Int = 0) throws -> Reply {
      try service.request("GET", "/v1/changes?after=tasks:\(tasks)&after=notes;;rows=5:\(notes)&wait=\(wait)", writer)
    }
    let first = try poll("", "")
    #expect(first["Vary"].contains("Authorization"))
    let entries = try (first.json["changes"] ?? .null).elements
    let mirrors = try entries.map { try TableMirror($0["snapshot"] ?? .null) }
    #expect(can(mirrors[0].row("1")) == [true, true, true] && can(mirrors[1].row("1")) == [false, false, true])
    #expect(try poll(mirrors[0].cursor, mirrors[1].cursor).json == ["changes": []])
    let waiting = Background("a poll of two") { [cursors = mirrors.map(\.cursor)] in
      try poll(cursors[0], cursors[1], wait: 50)
    }
    try service.awaitPolls(1)
    _ = try service.request("POST", "/v1/tables/notes/items", headers("editor"), body: ["title": "M"])
    let news = try (waiting.value().json["changes"] ?? .null).elements
    var notes = mirrors[1]
    try notes.apply(news.first ?? .null)
    #expect(news.count == 1 && notes.resets.isEmpty && can(notes.row("2")) == [false, false, true])
  }

  /// A token that may edit no longer, or may now: whoever waits is shown so at once.
  @Test(arguments: [true, false]) func aReloadThatChangesATokensScope(isTaken: Bool) throws {
    let (before, after) = isTaken ? ("[read, edit]", "[read]") : ("[read]", "[read, edit]")
    let service = try ServiceProcess(try Self.configuration(editor: before))
    let (editor, other) = (headers("editor"), headers("writer"))
    var mirror = try service.mirror("tasks", editor)
    let notes = try service.mirror("notes", editor)
    #expect(can(mirror.row("1")) == [isTaken, isTaken, true])
    let poll = try service.poll("tasks", after: mirror.cursor, editor)
    let several = Background("a poll of two") { [cursors = [mirror.cursor, notes.cursor]] in
      let target = "/v1/changes?after=tasks:\(cursors[0])&after=notes:\(cursors[1])&wait=50"
      return try service.request("GET", target, editor).json
    }
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/tasks/stream?after=\(mirror.cursor)", editor)
    _ = try stream.receiveHead("the stream")
    // Whose scope is the same goes on waiting.
    let unmoved = try service.mirror("tasks", other)
    let waiting = try service.poll("tasks", after: unmoved.cursor, other)
    try service.awaitPolls(3)
    try service.folder.write(try Self.configuration(editor: after))
    service.signal(SIGHUP)
    try mirror.apply(poll.value().json)
    #expect(can(mirror.row("1")) == [!isTaken, !isTaken, true] && mirror.resets == ["lens"])
    try mirror.check(equals: service.snapshot("tasks", editor))
    let entries = try (several.value()["changes"] ?? .null).elements
    #expect(entries.map { $0["reset"] } == ["lens", "lens"] && entries[0]["to"]?.text == mirror.cursor)
    #expect(try stream.receiveChunk("an event").contains("\"to\":\"\(mirror.cursor)\""))
    let edit = try service.request("POST", "/v1/tables/tasks/items", editor, body: ["title": "D"])
    #expect(edit.status == (isTaken ? 403 : 201))
    if isTaken { _ = try service.request("POST", "/v1/tables/tasks/items", other, body: ["title": "D"]) }
    let news = try waiting.value().json
    #expect(news["reset"] == nil && news["from"]?.text == unmoved.cursor)
  }

  /// Caches tell replies apart by their URLs, which have the cursor.
  @Test func pollsThroughCaches() throws {
    let service = try ServiceProcess(try Self.configuration(edges: true))
    let callers = [headers("editor"), [:]]
    let mirrors = try callers.map { try service.mirror("tasks", $0) }
    _ = try service.request("POST", "/v1/tables/tasks/items", callers[0], body: ["title": "D"])
    for (number, mirror) in mirrors.enumerated() {
      let target = "/v1/tables/tasks/changes?after=\(mirror.cursor)&slot=0"
      let reply = try service.request("GET", target, callers[number])
      #expect(reply["Cache-Control"] == "public, max-age=60" && !reply["Vary"].contains("Authorization"))
      var mirror = mirror
      try mirror.apply(reply.json)
      #expect(can(mirror.row("4")) == [number == 0, number == 0, true])
      let others = try service.request("GET", target, callers[1 - number])
      #expect(try others.json["reset"] == "lens" && others["Cache-Control"] == "no-store")
    }
  }

  /// What nobody here knows may be enough for the table's upstream, which is sent it.
  @Test func credentialsThatAnUpstreamJudges() throws {
    let upstream = try ScriptedUpstream { request in
      guard request.method == "PATCH" else { return .json([["id": 1, "title": "A"]]) }
      return .reply(request.headers["authorization"] == "Bearer theirs" ? 200 : 401, [:], [:])
    }
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Label: {fields: {title: string}}}
      auth:
        tokens:
          - {name: reader, sha256: "\(try sha256("reader"))", allow: [read]}
      sources: {items: {url: "\(upstream.url)/items", every: 1h, retries: 0}}
      tables:
        forwarded:
          source: items
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          forward: [Authorization]
          edits: {patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}}
      """
    )
    let path = "/v1/tables/forwarded"
    for (token, mayEdit, status) in [(nil, false, 401), ("reader", false, 403), ("theirs", true, 200)]
      as [(String?, Bool, Int)]
    {
      let mirror = try service.mirror("forwarded", headers(token))
      #expect(can(mirror.row("1")) == [mayEdit, false, true], "\(token ?? "nobody")")
      let edit = try service.request("PATCH", "\(path)/items/1", headers(token), body: ["title": "B"])
      #expect(edit.status == status, "\(edit.text)")
    }
  }

  @Test func cursorsOutliveARestart() throws {
    let folder = try TemporaryFolder()
    let configuration = try Self.configuration()
      .replacing("store: memory", with: "store: {path: \"{folder}/store.sqlite\"}")
    var service = try ServiceProcess(configuration, in: folder)
    var mirrors = try [headers("editor"), [:]].map { try service.mirror("tasks", $0) }
    service.signal(SIGKILL)
    service = try ServiceProcess(configuration, in: folder)
    _ = try service.request("POST", "/v1/tables/tasks/items", headers("editor"), body: ["title": "D"])
    for (place, headers) in [headers("editor"), [:]].enumerated() {
      try mirrors[place].apply(service.changes("tasks", after: mirrors[place].cursor, headers))
      #expect(mirrors[place].resets.isEmpty && can(mirrors[place].row("4")) == [place == 0, place == 0, true])
    }
  }

  /// Who reaches a service in a network without a token may edit nothing there.
  @Test func whereNobodyMayEdit() throws {
    let configuration = """
      store: memory
      hosts: ["127.0.0.1"]
      cells: {Label: {fields: {title: string}}}
      tables:
        t: {source: {local: {items: [{title: A}]}}, cell: Label, payload: {title: "${title}"}}
      """
    let (closed, open) = (
      try ServiceProcess(configuration, arguments: ["--listen", "0.0.0.0:0"]),
      try ServiceProcess(configuration, arguments: ["--listen", "0.0.0.0:0", "--insecure"])
    )
    for (service, mayEdit) in [(closed, false), (open, true)] {
      let reply = try service.request("GET", "/v1/tables/t")
      #expect(try can(TableMirror(reply.json).row("1")) == [mayEdit, mayEdit, true])
      #expect(reply["Cache-Control"] == "no-cache" && !reply["Vary"].contains("Authorization"))
      let edit = try service.request("PATCH", "/v1/tables/t/items/1", body: ["title": "B"])
      #expect(edit.status == (mayEdit ? 200 : 401))
    }
  }
}
