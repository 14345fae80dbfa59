import Foundation
import JSON
import TestSupport
import Testing

/// Items of the service's own beside what an upstream says, on replicas of which one asks it: whichever is asked to edit them, only
/// the one that has the upstream's answer lays the table out.
@Suite struct ReplicaLookupTests {
  private static func replicas(_ upstream: ScriptedUpstream, every: String = "1h") throws -> [ServiceProcess] {
    let address = try PostgresServer.shared.get().newDatabase()
    let configuration = """
      store: {postgres: "\(address)"}
      locales: [en-US, de-DE]
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources:
        people: {url: "\(upstream.url)/people", every: \(every), retries: 0}
        notes: {local: {items: [{who: a, text: "0"}]}}
      tables:
        todo:
          source: {local: {items: [{who: a, n: 0}, {who: b, n: 0}]}}
          lookups: {person: {source: people, key: key, on: who}}
          cell: Label
          payload: {title: "${n} ${$person.name ?? '-'}"}
        notes: {source: notes, cell: Label, payload: {title: "${text}"}}
        people:
          source: people
          row: {id: "${key}"}
          lookups: {note: {source: notes, key: who, on: key}}
          cell: Label
          payload: {title: "${name} ${$note.text ?? '-'}"}
      """
    let replicas = try (0..<2).map { _ in try ServiceProcess(configuration) }
    for replica in replicas {
      for language in languages {
        try replica.follow("todo", language, until: "has what is looked up") { $0.titles == [["0 Ada", "0 Ben"]] }
      }
    }
    return replicas
  }

  /// The source of a lookup makes no rows: a replica that never asks it knows all of them.
  @Test func aRowThatIsNotThereIsUnknownEverywhere() throws {
    let upstream = try ScriptedUpstream(Self.people)
    for replica in try Self.replicas(upstream) {
      for (method, body) in [("GET", nil), ("PATCH", ["n": 1]), ("DELETE", nil)] as [(String, JSONValue?)] {
        let reply = try replica.request(method, "/v1/tables/todo/items/none", body: body)
        #expect(reply.status == 404, "\(method): \(reply.text)")
      }
    }
  }

  private static let languages = ["en", "de"].map { ["Accept-Language": $0] }
  private static let people: JSONValue = [["key": "a", "name": "Ada"], ["key": "b", "name": "Ben"]]

  @Test func whatIsLookedUpStaysInAllVersions() throws {
    let upstream = try ScriptedUpstream(Self.people)
    let replicas = try Self.replicas(upstream)
    var mirrors = try replicas.map { try $0.mirror("todo") }
    for edit in 1...10 {
      let (editor, language) = (replicas[edit % 2], Self.languages[edit / 2 % 2])
      let item: JSONValue = ["n": .integer(Int64(edit))]
      // An edit that nothing shown depends on is in a version, too.
      let change: JSONValue = edit % 5 == 4 ? ["unseen": .integer(Int64(edit))] : item
      let key = language.merging(["Idempotency-Key": "\(edit)"]) { first, _ in first }
      let reply = try editor.request("PATCH", "/v1/tables/todo/items/1", key, body: change)
      #expect(reply.status == 200, "\(reply.text)")
      let number = edit % 5 == 4 ? edit - 1 : edit
      for (index, reader) in replicas.enumerated() {
        for language in Self.languages {
          #expect(
            try reader.mirror("todo", language).titles == [["\(number) Ada", "0 Ben"]],
            "edit \(edit) at \(index)"
          )
        }
        // Every version on the way.
        try mirrors[index].apply(try reader.changes("todo", after: mirrors[index].cursor))
        #expect(mirrors[index].titles == [["\(number) Ada", "0 Ben"]] && mirrors[index].resets == [])
      }
      // The answer's version has the edit: nothing of it follows.
      let cursor = try #require(try reply.json["cursor"]?.text)
      let after = try editor.changes("todo", after: cursor, language)
      #expect(after["stages"] == [], "\(after)")
      let again = try editor.request("PATCH", "/v1/tables/todo/items/1", key, body: change)
      #expect(again.status == 200)
    }
  }

  /// Items that a table of an upstream's looks up, edited and read at any replica: only the one that asks the upstream lays the
  /// table out, and the others wait for that.
  @Test func whatAnUpstreamsTableLooksUpIsThereWhenItIsRead() throws {
    let upstream = try ScriptedUpstream(Self.people)
    let replicas = try Self.replicas(upstream)
    for replica in replicas {
      try replica.follow("people", until: "has what is looked up") { $0.titles == [["Ada 0", "Ben -"]] }
    }
    for edit in 1...20 {
      let change: JSONValue = edit % 5 == 4 ? ["unseen": .integer(Int64(edit))] : ["text": .string("\(edit)")]
      let reply = try replicas[edit % 2].request("PATCH", "/v1/tables/notes/items/1", body: change)
      #expect(reply.status == 200, "\(reply.text)")
      let text = edit % 5 == 4 ? edit - 1 : edit
      for (index, reader) in replicas.enumerated() {
        for language in Self.languages {
          let titles = try reader.mirror("people", language).titles
          #expect(titles == [["Ada \(text)", "Ben -"]], "edit \(edit) at \(index)")
        }
      }
    }
  }

  /// The one that asks the upstream is paused, and can't lay the table out: nobody is shown it without what was committed.
  @Test func aReadIsRefusedWhereNobodyShowsWhatIsLookedUp() throws {
    let upstream = try ScriptedUpstream(Self.people)
    let replicas = try Self.replicas(upstream)
    let leader = try #require(try replicas.firstIndex { try $0.metric("replica_leading") == 1 })
    let other = replicas[1 - leader]
    try other.follow("people", until: "has what is looked up") { $0.titles == [["Ada 0", "Ben -"]] }
    replicas[leader].signal(SIGSTOP)
    let edit = try other.request("PATCH", "/v1/tables/notes/items/1", body: ["text": "1"])
    let read = try other.request("GET", "/v1/tables/people")
    replicas[leader].signal(SIGCONT)
    #expect(edit.status == 200, "\(edit.text)")
    // Unless the pause was so long that the other one asks the upstream now.
    let isRefused = read.status == 503 && read["Retry-After"] != ""
    #expect(isRefused || read.text.contains("Ada 1"), "\(read.status) \(read.text)")
    try other.follow("people", until: "shows it") { $0.titles == [["Ada 1", "Ben -"]] }
  }

  /// The one that asks the upstream has gone: the next one shows nothing without its answer, and an edit waits for that.
  @Test func whoeverAsksNextShowsNothingWithoutAnAnswer() throws {
    let isOpen = Monitor(true)
    let upstream = try ScriptedUpstream { _ in
      _ = try? isOpen.wait(for: "the upstream") { $0 ? true : nil }
      return .json(Self.people)
    }
    let replicas = try Self.replicas(upstream, every: "300ms")
    let leader = try #require(try replicas.firstIndex { try $0.metric("replica_leading") == 1 })
    let other = replicas[1 - leader]
    var mirror = try other.mirror("todo")
    isOpen.change { $0 = false }
    defer { isOpen.change { $0 = true } }
    replicas[leader].signal(SIGKILL)
    try awaited("another one that asks") { try other.metric("replica_leading") == 1 }
    let edit = try other.client()
    let key = ["Idempotency-Key": "once"]
    try edit.send("PATCH", "/v1/tables/todo/items/1", key, body: ["n": 1])
    // Each looks for a second; the edit waits for five. Until it is committed, nothing is missing.
    let read = { try other.request("GET", "/v1/tables/todo/changes?after=\(mirror.cursor)&wait=0") }
    try awaited("the edit's commit") { try read().status == 503 }
    let refused = try read()
    #expect(refused.status == 503 && refused["Retry-After"] != "", "\(refused.status) \(refused.text)")
    isOpen.change { $0 = true }
    let reply = try edit.receive("the edit's answer")
    #expect(reply.status == 200, "\(reply.text)")
    try mirror.apply(try other.changes("todo", after: mirror.cursor))
    #expect(mirror.titles == [["1 Ada", "0 Ben"]] && mirror.resets == [])
    #expect(try other.mirror("todo").titles == [["1 Ada", "0 Ben"]])
  }
}
