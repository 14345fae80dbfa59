import Foundation
import JSON
import TestSupport
import Testing

/// What is read on one replica has what another one has answered before, whatever the table is made of.
@Suite(.serialized) struct ReadBarrierTests {
  private static func replicas(_ count: Int, on server: PostgresServer? = nil) throws -> [ServiceProcess] {
    let address = try (server ?? PostgresServer.shared.get()).newDatabase()
    return try replicas(count, at: address)
  }

  private static func replicas(_ count: Int, at address: String) throws -> [ServiceProcess] {
    let show = #"cell: Note, payload: {n: "${n}", language: "${$locale}"}"#
    let configuration = """
      store: {postgres: "\(address)"}
      locales: [en-US, de-DE]
      cells: {Note: {nib: Note, fields: {n: integer, language: string}}}
      sources: {notes: {local: {items: [{owner: a, n: 0}, {owner: b, n: 0}]}}}
      tables:
        plain: {source: notes, \(show)}
        grouped: {source: notes, \(show), sections: {groupBy: owner}}
        by: {source: notes, \(show), parameters: {owner: {}}, sections: [{id: main, where: owner == $params.owner}]}
        joined:
          source: {local: {items: [{who: a}]}}
          lookups: {note: {source: notes, key: owner, on: who}}
          cell: Note
          payload: {n: "${$note.n}", language: "${$locale}"}
      """
    let replicas = try (0..<count).map { _ in try ServiceProcess(configuration) }
    for replica in replicas { try awaited("a ready replica") { try replica.request("GET", "/readyz").status == 200 } }
    return replicas
  }

  private static let languages = ["en", "de"].map { ["Accept-Language": $0] }

  /// The number that a table shows for the first item.
  private static func number(_ replica: ServiceProcess, _ table: String, _ language: [String: String]) throws -> Int64?
  {
    let rows = try replica.mirror(table, language).row("1")
    return rows?["payload"]?["n"].flatMap { if case .integer(let number) = $0 { number } else { nil } }
  }

  @Test(arguments: [1, 2]) func whatWasAnsweredIsReadEverywhere(count: Int) throws {
    let replicas = try Self.replicas(count)
    for edit in 1...8 as ClosedRange<Int64> {
      let editor = replicas[Int(edit) % count]
      let path = "/v1/tables/\(edit % 3 == 0 ? "plain" : "grouped")/items/1"
      let reply = try editor.request("PATCH", path, Self.languages[Int(edit / 2) % 2], body: ["n": .integer(edit)])
      #expect(reply.status == 200, "\(reply.text)")
      for (number, reader) in replicas.enumerated() {
        for language in Self.languages {
          for table in ["grouped", "joined", "by;owner=a", "plain"] {
            #expect(try Self.number(reader, table, language) == edit, "\(table) \(language) at \(number), edit \(edit)")
          }
          for table in ["grouped", "by;owner=a"] {
            let item = try reader.request("GET", "/v1/tables/\(table)/items/1", language)
            #expect(try item.json["n"] == .integer(edit), "\(table) \(language) at \(number): \(item.text)")
          }
        }
      }
    }
  }

  /// The list of tables names their versions, so reading it is reading each of them.
  @Test func theListNamesVersionsThatHaveWhatWasAnswered() throws {
    let replicas = try Self.replicas(2)
    for edit in 1...40 as ClosedRange<Int64> {
      let language = Self.languages[Int(edit) % 2]
      let reply = try replicas[Int(edit / 2) % 2]
        .request("PATCH", "/v1/tables/plain/items/1", language, body: ["n": .integer(edit)])
      let list = try replicas[1 - Int(edit / 2) % 2].request("GET", "/v1/tables", language).json
      let listed = list["tables"]?.elements.first { $0["id"]?.text == "plain" }?["cursor"]?.text
      #expect(try listed == reply.json["cursor"]?.text, "edit \(edit)")
    }
  }

  /// Whoever doesn't wait asks for what there is, from a cursor too.
  @Test func aPollThatDoesNotWaitHasWhatWasAnswered() throws {
    let replicas = try Self.replicas(2)
    var (one, many) = (try replicas[1].mirror("grouped"), try replicas[1].mirror("joined"))
    for edit in 1...20 as ClosedRange<Int64> {
      #expect(try replicas[0].request("PATCH", "/v1/tables/plain/items/1", body: ["n": .integer(edit)]).status == 200)
      try one.apply(replicas[1].request("GET", "/v1/tables/grouped/changes?after=\(one.cursor)&wait=0").json)
      #expect(one.row("1")?["payload"]?["n"] == .integer(edit))
      let reply = try replicas[1].request("GET", "/v1/changes?after=joined:\(many.cursor)&wait=0")
      let entries = try (reply.json["changes"] ?? .null).elements
      #expect(entries.count == 1, "\(reply.text)")
      for entry in entries { try many.apply(entry) }
      #expect(many.row("1")?["payload"]?["n"] == .integer(edit))
    }
  }

  /// Each has seen the same version: they can't both be told that it was the last one.
  @Test func twoConditionsOnOneVersionAreNotBothMet() throws {
    let replicas = try Self.replicas(2)
    var counted: Int64 = 0
    for round in 0..<20 {
      let (table, language) = (["grouped", "plain"][round % 2], Self.languages[round / 2 % 2])
      let tag = try replicas[round % 2].request("GET", "/v1/tables/\(table)", language)["ETag"]
      let before = try #require(try Self.number(replicas[round % 2], table, language))
      let headers = language.merging(["If-Match": tag]) { first, _ in first }
      let edits = replicas.map { replica in
        Background("an edit") {
          try replica.request("PATCH", "/v1/tables/\(table)/items/1", headers, body: ["n": .integer(before + 1)]).status
        }
      }
      let statuses = try edits.map { try $0.value() }
      counted += Int64(statuses.count { $0 == 200 })
      #expect(statuses.sorted() == [200, 412], "\(table) \(language)")
      #expect(try Self.number(replicas[0], table, language) == counted)
    }
  }

  /// The database is there and does not answer: nobody is given what may be old, nor set back.
  @Test func whatCantBeReadInTimeIsNotAnswered() throws {
    let server = try PostgresServer()
    let address = try server.newDatabase()
    let replicas = try Self.replicas(1, at: address)
    let session = try server.session(in: address)
    let cursor = try replicas[0].mirror("plain").cursor
    let ahead = cursor.replacing(#/\.\d+/#, with: ".99")
    try session.ask("BEGIN; LOCK TABLE tablecast.feed IN ACCESS EXCLUSIVE MODE")
    for path in ["", "/rows/1", "/items/1", "/changes"] {
      let reply = try replicas[0].request("GET", "/v1/tables/plain\(path)")
      #expect(reply.status == 503 && reply["Retry-After"] != "", "\(path): \(reply.status) \(reply.text)")
    }
    let poll = try replicas[0].request("GET", "/v1/tables/plain/changes?after=\(ahead)&wait=5")
    #expect(
      try poll.json["to"]?.text == ahead && poll.json["reset"] == nil && poll["Retry-After"] != "",
      "\(poll.text)"
    )
    // One that does not wait asks for what there is.
    for path in ["/v1/tables/plain/changes?after=\(ahead)", "/v1/changes?after=plain:\(ahead)"] {
      let reply = try replicas[0].request("GET", "\(path)&wait=0")
      #expect(reply.status == 503 && reply["Retry-After"] != "", "\(path): \(reply.status) \(reply.text)")
    }
    #expect(try replicas[0].request("GET", "/readyz").status == 503)
    // One that waits for the look is told so when the service ends.
    let client = try replicas[0].client()
    try client.send("GET", "/v1/tables/plain/changes?after=\(ahead)&wait=5")
    try replicas[0].awaitPolls(1)
    replicas[0].signal(SIGTERM)
    let last = try client.receive("the last word")
    #expect(try last.json["to"]?.text == ahead && last.json["reset"] == nil, "\(last.text)")
    #expect(last["Connection"].lowercased() == "close" && last["Retry-After"] != "")
    try session.ask("COMMIT")
  }

  /// What the clock says after a pause is nothing about the database.
  @Test func aReplicaThatWasPausedLooksAgain() throws {
    let replicas = try Self.replicas(2)
    for edit in 1...4 as ClosedRange<Int64> {
      let client = try replicas[1].client()
      replicas[1].signal(SIGSTOP)
      let reply = try replicas[0].request("PATCH", "/v1/tables/plain/items/1", body: ["n": .integer(edit)])
      #expect(reply.status == 200, "\(reply.text)")
      try client.send("GET", "/v1/tables/grouped/items/1", Self.languages[1])
      // Longer than a look may take.
      Thread.sleep(forTimeInterval: 1.2)
      replicas[1].signal(SIGCONT)
      let item = try client.receive("an item")
      #expect(try item.json["n"] == .integer(edit), "\(item.text)")
      #expect(try Self.number(replicas[1], "grouped", Self.languages[0]) == edit)
    }
  }

  /// A server that was promoted lacks commits that this replica has read: what it has is of no use to anybody.
  @Test func aSetBackDatabaseIsReadAtOnce() throws {
    let server = try PostgresServer()
    let address = try server.newDatabase()
    let replicas = try Self.replicas(1, at: address)
    for edit in 1...3 as ClosedRange<Int64> {
      #expect(try replicas[0].request("PATCH", "/v1/tables/plain/items/1", body: ["n": .integer(edit)]).status == 200)
    }
    let before = try replicas[0].mirror("plain").cursor
    // As after the loss of two commits: the number before, and another epoch.
    let statements = """
      DELETE FROM tablecast.change USING tablecast.feed
        WHERE feed.name = 'plain' AND change.feed = feed.id AND change.revision > feed.revision - 2;
      UPDATE tablecast.feed SET epoch = 77, revision = revision - 1, stamp = stamp + 1 WHERE name = 'plain'
      """
    _ = try server.ask(statements, in: address)
    let after = try replicas[0].mirror("plain").cursor
    #expect(after.prefix { $0 != "." } != before.prefix { $0 != "." }, "\(before), then \(after)")
    #expect(try replicas[0].request("GET", "/v1/tables/plain/changes?after=\(after)&wait=0").json["reset"] == nil)
  }

  /// A server that was promoted lacks all that was ever stored.
  @Test func whatADatabaseHasLostIsStoredAgain() throws {
    let server = try PostgresServer()
    let address = try server.newDatabase()
    let replicas = try Self.replicas(2, at: address)
    #expect(try replicas[0].request("PATCH", "/v1/tables/plain/items/1", body: ["n": 1]).status == 200)
    let before = try replicas[1].mirror("plain").cursor
    _ = try server.ask("DELETE FROM tablecast.change; DELETE FROM tablecast.feed", in: address)
    for replica in replicas {
      let after = try replica.mirror("plain").cursor
      #expect(after.prefix { $0 != "." } != before.prefix { $0 != "." }, "\(before), then \(after)")
    }
    #expect(try replicas[1].request("PATCH", "/v1/tables/plain/items/1", body: ["n": 2]).status == 200)
    for replica in replicas {
      #expect(try replica.request("GET", "/v1/tables/plain/items/1").json["n"] == 2)
    }
    #expect(try replicas[0].mirror("plain").cursor == replicas[1].mirror("plain").cursor)
    #expect(try server.ask("SELECT count(*) FROM tablecast.feed WHERE name = 'plain'", in: address) == "1")
  }

  /// The same, of a family's member alone: what replicas know of it, nobody else does.
  @Test func aLostMemberIsMadeAnew() throws {
    let server = try PostgresServer()
    let address = try server.newDatabase()
    let replicas = try Self.replicas(2, at: address)
    let path = "/v1/tables/by;owner=a"
    let before = try replicas.map { try $0.mirror("by;owner=a").cursor }
    #expect(before[0] == before[1])
    let names = "SELECT id FROM tablecast.feed WHERE name LIKE 'by;%'"
    let statements = """
      DELETE FROM tablecast.change WHERE feed IN (\(names)); DELETE FROM tablecast.feed WHERE name LIKE 'by;%'
      """
    _ = try server.ask(statements, in: address)
    for replica in replicas {
      try awaited("another member") {
        let reply = try replica.request("GET", path)
        guard reply.status == 200 else { return false }
        #expect(try reply.json["cursor"] != .string(before[0]))
        return true
      }
    }
    #expect(try replicas[0].mirror("by;owner=a").cursor == replicas[1].mirror("by;owner=a").cursor)
  }

  /// Nobody reads or edits: the replicas look by themselves.
  @Test func clientsThatWaitAreToldThatADatabaseWasEmptied() throws {
    let server = try PostgresServer()
    let address = try server.newDatabase()
    let replicas = try Self.replicas(2, at: address)
    #expect(try replicas[0].request("PATCH", "/v1/tables/plain/items/1", body: ["n": 1]).status == 200)
    let before = try replicas.map { try $0.mirror("plain").cursor }
    let polls = try zip(replicas, before).map { try $0.poll("plain", after: $1, wait: 50) }
    for replica in replicas { try replica.awaitPolls(1) }
    _ = try server.ask("DELETE FROM tablecast.change; DELETE FROM tablecast.feed", in: address)
    for poll in polls { #expect(try poll.value().json["reset"] == "epoch") }
  }
}
