import Foundation
import JSON
import TestSupport
import Testing

/// Replicas show each language's own rows, whoever of them asks the upstream.
@Suite struct ReplicaLanguageTests {
  private static let german = ["Accept-Language": "de"]

  @Test func whatOneTranslatesAllShow() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let price = { (value: Double) in JSONValue.array([["id": 1, "price": .double(value)]]) }
    let upstream = try ScriptedUpstream(price(1234.5))
    let configuration = """
      store: {postgres: "\(address)"}
      locales: [en-US, de-DE]
      sources:
        items: {url: "\(upstream.url)/items", every: 300ms, retries: 0}
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables:
        prices: {source: items, row: {id: "${id}"}, cell: Label, payload: {title: "${price | number(2)}"}}
        todo:
          source: {local: {items: [{price: 1234.5}]}}
          cell: Label
          payload: {title: "${price | number(2)}"}
      """
    let replicas = try (0..<2).map { _ in try ServiceProcess(configuration) }
    func converge(_ german: String, _ english: String) throws {
      try awaited("both replicas with \(german)") {
        try replicas.allSatisfy { replica in
          try replica.mirror("prices", Self.german).titles == [[german]]
            && replica.mirror("prices").titles == [[english]]
        }
      }
      for headers in [[:], Self.german] {
        try awaited("the same bytes \(headers)") {
          Set(try replicas.map { try $0.request("GET", "/v1/tables/prices", headers).text }).count == 1
        }
      }
    }
    try converge("1.234,50", "1,234.50")
    var mirrors = try replicas.map { try $0.mirror("prices", Self.german) }
    upstream.answer(price(2000))
    try converge("2.000,00", "2,000.00")
    for index in replicas.indices {
      // A cursor of one is the other's.
      mirrors[index] = try replicas[1 - index].follow(
        "prices",
        Self.german,
        from: mirrors[index],
        until: "is as the upstream has it"
      ) { $0.titles == [["2.000,00"]] }
      #expect(mirrors[index].resets.isEmpty)
    }
    // Items of the service's own, too, whichever replica edits: the answer's version is all replicas'.
    var own = try replicas[1].mirror("todo", Self.german)
    for round in 1...6 {
      let editor = replicas[round % 2]
      let reply = try editor.request("POST", "/v1/tables/todo/items", Self.german, body: ["price": 3])
      #expect(reply.status == 201, "\(reply.text)")
      let cursor = try required(reply.json["cursor"]?.text, "a cursor")
      #expect(try editor.mirror("todo", Self.german).titles.joined().count == round + 1, "what was answered is shown")
      own = try replicas[1 - round % 2].follow("todo", Self.german, from: own, until: "has \(round + 1)") { mirror in
        mirror.rows.count == round + 1
      }
      #expect(own.titles[0].first == "1.234,50" && own.titles[0].last == "3,00" && own.resets.isEmpty)
      #expect(own.cursor.prefix { $0 != "." } == cursor.prefix { $0 != "." })
      let row = try required(reply.json["id"]?.text, "an id")
      let path = "/v1/tables/todo/items/\(row)"
      for headers in [[:], Self.german] {
        #expect(try replicas[1 - round % 2].request("GET", path, headers).status == 200)
      }
    }
    try awaited("the same bytes") {
      Set(try replicas.map { try $0.request("GET", "/v1/tables/todo", Self.german).text }).count == 1
    }
    // No replica takes itself to be behind with what it doesn't know.
    for replica in replicas { #expect(try replica.request("GET", "/readyz").status == 200) }
  }

  /// An edit that an upstream has accepted is read at once at every replica, in whichever language and through whichever table of the
  /// same answer.
  @Test func anAcceptedEditIsReadEverywhereAtOnce() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let upstream = try ListUpstream()
    let show =
      #"source: items, row: {id: "${number}"}, cell: Label, payload: {title: "${title}", language: "${$locale}"}"#
    let configuration = """
      store: {postgres: "\(address)"}
      locales: [en-US, de-DE]
      sources: {items: {url: "\(upstream.server.url)/items", every: 1h, retries: 0}}
      cells: {Label: {nib: Label, fields: {title: string, language: string}}}
      tables:
        list: {\(show), edits: {patch: {url: "\(upstream.server.url)/items/${$id}", body: "${$edit}"}}}
        other: {\(show)}
        by: {\(show), parameters: {state: {}}, sections: [{id: all, where: state == $params.state}]}
      """
    let replicas = try (0..<2).map { _ in try ServiceProcess(configuration) }
    let languages = [[:], Self.german]
    let tables = ["list", "other", "by;state=open"]
    for replica in replicas {
      for table in tables { try replica.follow(table, until: "is ready") { $0.state == "ready" } }
    }
    for edit in 0..<48 {
      let (editor, reader) = (replicas[edit % 2], replicas[edit / 2 % 2])
      let reply = try editor.request(
        "PATCH",
        "/v1/tables/list/items/1",
        languages[edit / 4 % 2],
        body: ["title": .string("edit \(edit)")]
      )
      #expect(reply.status == 200, "\(reply.text)")
      for table in [tables[0], tables[edit % 3]] {
        for language in [languages[1 - edit / 4 % 2], languages[edit / 4 % 2]] {
          let title = try reader.mirror(table, language).row("1")?["payload"]?["title"]
          #expect(title == .string("edit \(edit)!"), "\(table) \(language) at \(edit / 2 % 2), edited at \(edit % 2)")
        }
      }
    }
  }

  /// Members of items that no cell shows are the same at every replica, too, and the first that a replica hears of a member may be an
  /// edit in the second language.
  @Test func whatNoCellShowsIsReadEverywhere() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let upstream = try ListUpstream()
    upstream.items.change { $0 = (1...24).map { issue($0, "s\($0)", "Title") } }
    let edits = #"edits: {patch: {url: "\#(upstream.server.url)/items/${$id}", body: "${$edit}"}}"#
    let show = #"source: items, row: {id: "${number}"}, cell: Label, payload: {title: "${state}"}, \#(edits)"#
    let configuration = """
      store: {postgres: "\(address)"}
      locales: [en-US, de-DE]
      sources: {items: {url: "\(upstream.server.url)/items", every: 1h, retries: 0}}
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables:
        list: {\(show)}
        by: {\(show), parameters: {state: {}}, sections: [{id: all, where: state == $params.state}]}
      """
    let replicas = try (0..<2).map { _ in try ServiceProcess(configuration) }
    for replica in replicas { try replica.follow("list", until: "is ready") { $0.state == "ready" } }
    for number in 1...24 {
      let member = "by;state=s\(number)"
      for language in [[:], Self.german] { _ = try replicas[number % 2].mirror(member, language) }
      let note = JSONValue.string("edit \(number)")
      let path = "/v1/tables/\(member)/items/\(number)"
      let reply = try replicas[1 - number % 2].request("PATCH", path, Self.german, body: ["note": note])
      #expect(reply.status == 200, "\(reply.text)")
      for replica in replicas {
        for table in ["list", member] {
          let item = try replica.request("GET", "/v1/tables/\(table)/items/\(number)").json
          #expect(item["note"] == note, "\(table) at \(replica.port), edited at \(1 - number % 2)")
        }
      }
    }
  }
}
