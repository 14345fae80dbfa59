import Foundation
import JSON
import TestSupport
import Testing

/// One local source that several tables show: one set of items, edited through any of them.
@Suite struct SharedItemsTests {
  private static let definitions = [
    "all": #"{source: notes, cell: Label, payload: {title: "${title}"}}"#,
    "open":
      #"{source: notes, cell: Label, payload: {title: "${title}"}, sections: [{id: open, where: done == false, sort: title}]}"#,
    "grouped": #"{source: notes, cell: Label, payload: {title: "${title}!"}, sections: {groupBy: done}}"#,
  ]

  private static func tables(_ names: [String], store: String = "memory", more: String = "") -> String {
    """
    store: \(store)
    \(more)
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources: {notes: {local: {items: [{title: B, done: false}, {title: A, done: true}]}}}
    tables:
    \(names.map { "  \($0): \(definitions[$0] ?? "")" }.joined(separator: "\n"))
    """
  }

  private static let stored = "{path: \"{folder}/store.sqlite\"}"

  @Test func anEditOfOneIsInAll() throws {
    let service = try ServiceProcess(Self.tables(["all", "open", "grouped"]))
    var open = try service.mirror("open")
    #expect(try service.mirror("all").rows == ["1", "2"] && open.rows == ["1"])
    // Through the one that keeps them; at a poll of another one.
    let poll = try service.poll("open", after: open.cursor)
    #expect(try service.request("POST", "/v1/tables/all/items", body: ["title": "C", "done": false]).status == 201)
    try open.apply(poll.value().json)
    #expect(open.rows == ["1", "3"])
    // Through a guest, whose sections decide what is made of it; the answer's cursor is the guest's, and shows it.
    let before = try service.follow("grouped", until: "has what was added") { $0.row("3") != nil }
    let reply = try service.request("POST", "/v1/tables/grouped/items?section=true&at=0", body: ["title": "D"])
    #expect(reply.status == 201, "\(reply.text)")
    var grouped = before
    try grouped.apply(service.changes("grouped", after: before.cursor))
    #expect(try reply.json["cursor"]?.text == grouped.cursor && grouped.row("4")?["payload"]?["title"] == "D!")
    #expect(try service.mirror("all").rows.sorted() == ["1", "2", "3", "4"])
    #expect(try service.snapshot("all")["sections"]?.elements.count == 1)
    // What the keeper shows as before, and a guest does not.
    let all = try service.mirror("all")
    #expect(try service.request("PATCH", "/v1/tables/grouped/items/3", body: ["done": true]).status == 200)
    #expect(try service.mirror("all").cursor == all.cursor)
    try service.follow("open", until: "is without it") { $0.rows == ["1"] }
    #expect(try service.request("DELETE", "/v1/tables/open/items/1").status == 200)
    #expect(try service.mirror("all").row("1") == nil)
    try service.follow("grouped", until: "is without it") { $0.row("1") == nil }
    // A row that one shows is no row of another one's.
    #expect(try service.request("POST", "/v1/tables/open/rows/2/tap").status == 404)
  }

  /// A read waits until the table shows what was edited through another one; what was tapped in its view stays.
  @Test func aViewOutlastsEditsThroughAnotherTable() throws {
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Fold: {fields: {title: string, open: boolean}, expands: open}}
      sources: {notes: {local: {items: [{title: A}, {title: B}]}}}
      tables:
        one: {source: notes, cell: Fold, payload: {title: "${title}", open: false}}
        two: {source: notes, cell: Fold, payload: {title: "${title}", open: false}}
      """
    )
    #expect(try service.request("POST", "/v1/tables/two/rows/1/tap?view=v").status == 200)
    let client = try service.client()
    for number in 0..<100 {
      #expect(
        try client.request("PATCH", "/v1/tables/one/items/2", body: ["title": .string("\(number)")]).status == 200
      )
      let table = try client.request("GET", "/v1/tables/two?view=v").json
      let rows = (table["sections"]?.elements.first?["rows"] ?? .null).elements
      try #require(rows.map { $0["payload"]?["open"] } == [true, false], "\(number): \(table)")
      #expect(rows.last?["payload"]?["title"]?.text == "\(number)")
    }
  }

  /// A condition is on what the client has seen in its own table, and two that have seen the same can't both be met.
  @Test func conditionsAndKeysAreTheTables() throws {
    let service = try ServiceProcess(Self.tables(["all", "open", "grouped"]))
    for number in 0..<10 {
      let tag = try service.request("GET", "/v1/tables/grouped")["ETag"]
      let edits = try (0..<6).map { client in
        let sender = try service.client()
        try sender.send(
          "PATCH",
          "/v1/tables/grouped/items/1",
          ["If-Match": tag, "Idempotency-Key": "k\(number)-\(client)"],
          body: ["title": .string("\(number)-\(client)")]
        )
        return sender
      }
      let statuses = try edits.map { try $0.receive("an edit").status }.sorted()
      #expect(statuses == [200, 412, 412, 412, 412, 412], "round \(number)")
    }
    // What nobody is shown makes no version, and so meets every condition on the last one.
    let tag = try service.request("GET", "/v1/tables/grouped")["ETag"]
    for client in 0..<3 {
      let unseen: JSONValue = ["seen": .integer(Int64(client))]
      #expect(try service.request("PATCH", "/v1/tables/grouped/items/1", ["If-Match": tag], body: unseen).status == 200)
    }
    let key = ["Idempotency-Key": "once"]
    let first = try service.request("POST", "/v1/tables/open/items", key, body: ["title": "N", "done": false])
    let again = try service.request("POST", "/v1/tables/open/items", key, body: ["title": "N", "done": false])
    #expect(first.status == 201 && again.status == 201 && first["Location"] == again["Location"])
    // The same key at another table is another request.
    let other = try service.request("POST", "/v1/tables/all/items", key, body: ["title": "N", "done": false])
    #expect(other.status == 201 && other["Location"] != first["Location"])
    #expect(try service.mirror("all").rows.count == 4)
  }

  /// Many at once through all three: each table is what its sections make of one list, and nothing is lost.
  @Test func allAtOnce() throws {
    let service = try ServiceProcess(Self.tables(["all", "open", "grouped"], store: Self.stored))
    let names = ["all", "open", "grouped"]
    let writers = names.flatMap { table in (0..<2).map { (table, $0) } }.map { table, writer in
      Background("edits through \(table)") {
        let client = try service.client()
        var ids: [String] = []
        for number in 0..<20 {
          let item: JSONValue = ["title": .string("\(table)\(writer)-\(number)"), "done": false]
          let reply = try client.request("POST", "/v1/tables/\(table)/items", body: item)
          guard reply.status == 201, let id = reply["Location"].split(separator: "/").last else {
            throw Malformed("\(reply.status): \(reply.text)")
          }
          ids.append(String(id))
          if number % 5 == 4 {
            let gone = ids.removeFirst()
            let reply = try client.request("DELETE", "/v1/tables/\(table)/items/\(gone)")
            guard reply.status == 200 else { throw Malformed("\(reply.status): \(reply.text)") }
          }
        }
        return ids
      }
    }
    let expected = try Set(writers.flatMap { try $0.value(seconds: 120) } + ["1", "2"])
    for name in names {
      let shown = name == "open" ? expected.subtracting(["2"]) : expected
      let table = try service.follow(name, until: "has them all") { Set($0.rows) == shown }
      #expect(table.rows.count == shown.count)
    }
  }

  /// What was edited through either outlives the process, whichever stands first in the configuration then.
  @Test func theyOutliveTheProcess() throws {
    let folder = try TemporaryFolder()
    var service = try ServiceProcess(Self.tables(["all", "open"], store: Self.stored), in: folder)
    #expect(try service.request("PATCH", "/v1/tables/open/items/1", body: ["title": "Z"]).status == 200)
    let cursor = try service.mirror("open").cursor
    try service.end(SIGKILL)
    service = try ServiceProcess(Self.tables(["open", "all"], store: Self.stored), in: folder)
    #expect(try service.mirror("open").row("1")?["payload"]?["title"] == "Z")
    #expect(try service.mirror("open").cursor == cursor, "nothing has changed")
    #expect(try service.request("PATCH", "/v1/tables/open/items/1", body: ["title": "Y"]).status == 200)
    try service.follow("all", until: "has the edit") { $0.row("1")?["payload"]?["title"] == "Y" }
  }

  /// The table that keeps them goes: another one that shows them keeps them from then on.
  @Test func theyOutliveTheirKeeper() throws {
    let folder = try TemporaryFolder()
    var service = try ServiceProcess(Self.tables(["all", "open", "grouped"], store: Self.stored), in: folder)
    #expect(try service.request("PATCH", "/v1/tables/all/items/1", body: ["title": "Z"]).status == 200)
    let before = try service.follow("open", until: "shows it") { $0.row("1")?["payload"]?["title"] == "Z" }
    let poll = try service.poll("open", after: before.cursor)
    try service.awaitPolls(1)
    try folder.write(Self.tables(["open", "grouped"], store: Self.stored))
    service.signal(SIGHUP)
    try service.logged("The configuration was read again")
    #expect(try service.request("GET", "/v1/tables/all").status == 404)
    #expect(try service.request("PATCH", "/v1/tables/grouped/items/1", body: ["title": "Y"]).status == 200)
    // Whoever waits goes on waiting.
    var open = before
    let reply = try poll.value()
    #expect(reply.status == 200, "\(reply.text)")
    try open.apply(reply.json)
    open = try service.follow("open", from: open, until: "shows it") { $0.row("1")?["payload"]?["title"] == "Y" }
    #expect(try service.request("POST", "/v1/tables/open/items", body: ["title": "N", "done": false]).status == 201)
    try service.end(SIGKILL)
    service = try ServiceProcess(Self.tables(["grouped", "open"], store: Self.stored), in: folder)
    #expect(try service.mirror("open").rows == ["3", "1"] && service.mirror("grouped").rows.count == 3)
    // And one that comes to them begins with what there is.
    try folder.write(Self.tables(["all", "grouped", "open"], store: Self.stored))
    service.signal(SIGHUP)
    try service.logged("The configuration was read again")
    #expect(try service.mirror("all").rows == ["1", "2", "3"])
    #expect(try service.request("DELETE", "/v1/tables/all/items/2").status == 200)
    try service.follow("grouped", until: "is without it") { $0.rows.count == 2 }
  }

  /// The table that kept them is taken out and given back: what it has in the store is old, and stays so after a restart.
  @Test(arguments: [["all", "open", "grouped"], ["grouped", "all", "open"]])
  func aKeeperThatComesBackKeepsNothing(_ names: [String]) throws {
    let folder = try TemporaryFolder()
    var service = try ServiceProcess(Self.tables(["all", "open", "grouped"], store: Self.stored), in: folder)
    for (round, tables) in [["open", "grouped"], names].enumerated() {
      try folder.write(Self.tables(tables, store: Self.stored))
      service.signal(SIGHUP)
      try awaited("reload \(round)") {
        let status = try service.request("GET", "/v1/tables/all").status
        return status == (tables.contains("all") ? 200 : 404)
      }
    }
    let added = try service.request("POST", "/v1/tables/all/items", body: ["title": "C", "done": false])
    #expect(added.status == 201, "\(added.text)")
    try service.end(SIGKILL)
    service = try ServiceProcess(Self.tables(names, store: Self.stored), in: folder)
    #expect(try service.mirror("all").rows.count == 3 && service.mirror("open").rows.count == 2)
  }

  /// Whoever keeps them when a request is repeated: its key is the table's that was asked, and the answer is the first one's.
  @Test(arguments: [["open", "grouped"], ["all", "open"]])
  func keysOutliveTheirKeeper(_ others: [String]) throws {
    let service = try ServiceProcess(Self.tables(["all", "open", "grouped"]))
    let table = others[1]
    func add() throws -> Reply {
      let key = ["Idempotency-Key": "once"]
      return try service.request("POST", "/v1/tables/\(table)/items", key, body: ["title": "N", "done": false])
    }
    let first = try add()
    #expect(first.status == 201, "\(first.text)")
    #expect(try service.request("PATCH", "/v1/tables/\(table)/items/1", body: ["title": "Z"]).status == 200)
    #expect(try add().text == first.text, "while all is as it was")
    for (round, tables) in [others, ["all", "open", "grouped"]].enumerated() {
      try service.folder.write(Self.tables(tables))
      service.signal(SIGHUP)
      try service.log.wait(for: "reading \(round)") { lines in
        lines.count { $0.contains("read again") } == round + 1 ? true : nil
      }
      #expect(try add().text == first.text, "with \(tables)")
    }
    try service.follow("all", until: "has one more") { $0.rows.count == 3 }
  }

  /// The table that kept them is not there when the service starts, nor when it starts again with that one.
  @Test func theyOutliveAKeeperThatIsTakenOutMeanwhile() throws {
    let folder = try TemporaryFolder()
    func restarted(_ tables: [String]) throws -> ServiceProcess {
      try ServiceProcess(Self.tables(tables, store: Self.stored), in: folder)
    }
    var service = try restarted(["all", "open"])
    #expect(try service.request("POST", "/v1/tables/all/items", body: ["title": "C", "done": false]).status == 201)
    try service.end(SIGKILL)
    service = try restarted(["open"])
    #expect(try service.mirror("open").titles == [["B", "C"]])
    #expect(try service.request("POST", "/v1/tables/open/items", body: ["title": "D", "done": false]).status == 201)
    #expect(try service.request("PATCH", "/v1/tables/open/items/1", body: ["title": "A"]).status == 200)
    for tables in [["all", "open"], ["all"], ["open", "all"]] {
      try service.end(SIGKILL)
      service = try restarted(tables)
      #expect(try Set(service.mirror("all").titles.joined()) == ["A", "C", "D"], "\(tables)")
    }
  }

  /// A table that shows another source has that one's items, and those that it has kept are there when they are wanted again.
  @Test(arguments: [true, false]) func aTableThatShowsAnotherSource(restarts: Bool) throws {
    func configuration(_ tables: [String: String]) -> String {
      """
      store: \(Self.stored)
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources:
        notes: {local: {items: [{title: A}, {title: B}]}}
        other: {local: {items: [{title: O}]}}
      tables:
      \(tables.map { #"  \#($0): {source: \#($1), cell: Label, payload: {title: "${title}"}}"# }.joined(separator: "\n"))
      """
    }
    let folder = try TemporaryFolder()
    var service = try ServiceProcess(configuration(["one": "notes"]), in: folder)
    func become(_ tables: [String: String]) throws {
      guard restarts else {
        let readings = service.log.current.count { $0.contains("read again") }
        try folder.write(configuration(tables))
        service.signal(SIGHUP)
        try service.log.wait(for: "another reading") { lines in
          lines.count { $0.contains("read again") } > readings ? true : nil
        }
        return
      }
      try service.end(SIGKILL)
      service = try ServiceProcess(configuration(tables), in: folder)
    }
    func add(_ title: String, to table: String) throws {
      let reply = try service.request("POST", "/v1/tables/\(table)/items", body: ["title": .string(title)])
      #expect(reply.status == 201, "\(reply.text)")
    }
    try add("C", to: "one")
    try become(["one": "other"])
    #expect(try service.mirror("one").titles == [["O"]])
    try add("P", to: "one")
    try become(["one": "notes"])
    #expect(try service.mirror("one").titles == [["A", "B", "C"]])
    try add("D", to: "one")
    try become(["one": "other", "two": "notes"])
    #expect(
      try service.mirror("one").titles == [["O", "P"]] && service.mirror("two").titles == [["A", "B", "C", "D"]]
    )
    try become(["one": "notes", "two": "other"])
    #expect(
      try service.mirror("two").titles == [["O", "P"]] && service.mirror("one").titles == [["A", "B", "C", "D"]]
    )
  }

  /// On several replicas too, whichever is asked for whichever table: all show the same bytes in the end.
  @Test func replicasShareThem() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let configuration = Self.tables(["all", "open", "grouped"], store: "{postgres: \"\(address)\"}")
    let replicas = try (0..<2).map { _ in try ServiceProcess(configuration) }
    let names = ["all", "open", "grouped"]
    var mirrors = try names.map { try replicas[1].mirror($0) }
    for round in 0..<12 {
      let (editor, table) = (replicas[round % 2], names[round % 3])
      let item: JSONValue = ["title": .string("\(round)"), "done": false]
      let reply = try editor.request("POST", "/v1/tables/\(table)/items", body: item)
      #expect(reply.status == 201, "\(reply.text)")
      #expect(try editor.mirror(table).rows.count == (table == "open" ? 2 : 3) + round, "the answer is not ahead")
    }
    for (index, name) in names.enumerated() {
      try awaited("the same bytes of \(name)") {
        let texts = try replicas.map { try $0.request("GET", "/v1/tables/\(name)").text }
        return Set(texts).count == 1 && texts[0].contains(#""title":"11"#)
      }
      let count = name == "open" ? 13 : 14
      mirrors[index] = try replicas[0].follow(name, from: mirrors[index], until: "has all") { $0.rows.count == count }
      #expect(mirrors[index].resets.isEmpty)
      try mirrors[index].check(equals: replicas[1].snapshot(name))
    }
  }
}
