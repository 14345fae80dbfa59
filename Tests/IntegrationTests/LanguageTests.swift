import Foundation
import JSON
import TestSupport
import Testing

/// Each locale is an instance of its table, over one fetch of its source; the first is the plain table.
@Suite struct LanguageTests {
  private static func configuration(_ url: String) -> String {
    """
    store: {path: "{folder}/store.sqlite"}
    locales: [en-US, de-DE, pt-BR]
    sources:
      items: {url: "\(url)/items", every: 50ms, retries: 0}
    cells:
      Label: {nib: Label, fields: {title: string}}
    tables:
      prices:
        title: "Prices (${$locale})"
        source: items
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${price | number(2)}"}
      family:
        source: items
        row: {id: "${id}"}
        parameters: {q: {default: ""}}
        cell: Label
        payload: {title: "${$params.q} ${price | number(2)}"}
      todo:
        source: {local: {items: [{title: A, price: 1234.5}]}}
        cell: Label
        payload: {title: "${title} ${price | number(2)}"}
        sharedTaps: true
    """
  }

  private static let german = ["Accept-Language": "de"]

  private static func price(_ value: Double) -> JSONValue { [["id": 1, "price": .double(value)]] }

  @Test func theCallersLanguageIsPicked() throws {
    let upstream = try ScriptedUpstream(Self.price(1234.5))
    let service = try ServiceProcess(Self.configuration(upstream.url))
    // Each is stored by itself.
    for language in ["en", "de", "pt"] {
      try service.follow("prices", ["Accept-Language": language], until: "is ready") { $0.state == "ready" }
    }
    let cases: [(String?, String, String)] = [
      (nil, "en-US", "1,234.50"), ("de", "de-DE", "1.234,50"), ("DE-de", "de-DE", "1.234,50"),
      // No Austrian: the range is shortened until a locale is filtered.
      ("de-AT", "de-DE", "1.234,50"), ("fr, de;q=0.5", "de-DE", "1.234,50"), ("fr", "en-US", "1,234.50"),
      ("en;q=0.2, de;q=0.8", "de-DE", "1.234,50"), ("*", "en-US", "1,234.50"), ("en;q=0, *", "de-DE", "1.234,50"),
      ("de-AT, en-GB;q=0.9", "de-DE", "1.234,50"), ("pt-PT", "pt-BR", "1.234,50"), ("d", "en-US", "1,234.50"),
      ("de;q=2, en", "en-US", "1,234.50"),
    ]
    for (language, locale, title) in cases {
      let headers = language.map { ["Accept-Language": $0] } ?? [:]
      for target in ["/v1/tables/prices", "/v1/tables/prices/rows/1"] {
        let reply = try service.request("GET", target, headers)
        #expect(reply["Content-Language"] == locale, "\(language ?? "-")")
        #expect(reply["Vary"].contains("Accept-Language"))
        #expect(reply.text.contains("\"\(title)\""), "\(language ?? "-"): \(reply.text)")
      }
      #expect(try service.snapshot("prices", headers)["title"] == .string("Prices (\(locale))"))
    }
    let fetches = upstream.requests.current.count
    _ = try service.snapshot("prices", Self.german)
    #expect(upstream.requests.current.count <= fetches + 2, "one fetch for all")
  }

  @Test func eachLanguageHasCursorsOfItsOwn() throws {
    let upstream = try ScriptedUpstream(Self.price(1))
    let service = try ServiceProcess(Self.configuration(upstream.url))
    var english = try service.follow("prices", until: "is ready") { $0.state == "ready" }
    var german = try service.follow("prices", Self.german, until: "is ready") { $0.state == "ready" }
    #expect(english.cursor.prefix { $0 != "." } != german.cursor.prefix { $0 != "." })
    let polls = try [
      service.poll("prices", after: english.cursor), service.poll("prices", after: german.cursor, Self.german),
    ]
    try service.awaitPolls(2)
    upstream.answer(Self.price(2000))
    try english.apply(polls[0].value().json)
    try german.apply(polls[1].value().json)
    #expect(english.titles == [["2,000.00"]] && german.titles == [["2.000,00"]])
    try english.check(equals: service.snapshot("prices"))
    try german.check(equals: service.snapshot("prices", Self.german))
    // A cursor of another language is one of another epoch: the answer is whole.
    let other = try service.changes("prices", after: english.cursor, Self.german)
    #expect(other["reset"] == "epoch")
    #expect(english.resets.isEmpty && german.resets.isEmpty)
  }

  @Test func multiPollsAndStreamsAreInTheLanguageToo() throws {
    let upstream = try ScriptedUpstream(Self.price(1234.5))
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("prices", Self.german, until: "is ready") { $0.state == "ready" }
    let many = try service.request("GET", "/v1/changes?after=prices:&after=todo:", Self.german)
    #expect(many["Content-Language"] == "de-DE" && many["Vary"].contains("Accept-Language"))
    #expect(many.text.contains("1.234,50") && !many.text.contains("1,234.50"), "\(many.text)")
    let client = try service.client()
    try client.send("GET", "/v1/tables/prices/stream", Self.german)
    #expect(try client.receiveHead("the head")["Content-Language"] == "de-DE")
    #expect(try client.receiveChunk("the first event").contains("1.234,50"))
    let list = try service.request("GET", "/v1/tables", Self.german)
    #expect(list["Content-Language"] == "de-DE" && list.text.contains("Prices (de-DE)"))
  }

  @Test func membersOfFamiliesAreInAllLanguages() throws {
    let upstream = try ScriptedUpstream(Self.price(1234.5))
    let service = try ServiceProcess(Self.configuration(upstream.url))
    #expect(try service.mirror("family;q=x", Self.german).titles == [["x 1.234,50"]])
    #expect(try service.mirror("family;q=x").titles == [["x 1,234.50"]])
    let families = try required(
      try service.request("GET", "/v1/tables").json["tables"]?.elements.first { $0["id"] == "family" },
      "the family"
    )
    #expect(families["members"] == 1)
  }

  /// Items are the same in all languages; whoever edits gets a cursor of the table that they see.
  @Test func editsInOneLanguageReachAll() throws {
    let service = try ServiceProcess(Self.configuration("http://127.0.0.1:1"))
    var english = try service.mirror("todo")
    var german = try service.mirror("todo", Self.german)
    #expect(german.titles == [["A 1.234,50"]])
    let polls = try [
      service.poll("todo", after: english.cursor), service.poll("todo", after: german.cursor, Self.german),
    ]
    try service.awaitPolls(2)
    var headers = Self.german
    headers["If-Match"] = "\"\(german.cursor)\""
    headers["Idempotency-Key"] = "k"
    let reply = try service.request("POST", "/v1/tables/todo/items", headers, body: ["title": "B", "price": 2000])
    #expect(reply.status == 201, "\(reply.text)")
    try english.apply(polls[0].value().json)
    try german.apply(polls[1].value().json)
    #expect(try reply.json["cursor"]?.text == german.cursor)
    #expect(english.titles == [["A 1,234.50", "B 2,000.00"]] && german.titles == [["A 1.234,50", "B 2.000,00"]])
    let again = try service.request("POST", "/v1/tables/todo/items", headers, body: ["title": "B", "price": 2000])
    #expect(again.status == 201 && again.body == reply.body)
    headers["Idempotency-Key"] = "l"
    #expect(try service.request("DELETE", "/v1/tables/todo/items/\(english.rows[0])", headers).status == 412)
    headers["If-Match"] = "\"\(german.cursor)\""
    headers["Idempotency-Key"] = "m"
    #expect(try service.request("DELETE", "/v1/tables/todo/items/\(english.rows[0])", headers).status == 200)
    #expect(try service.mirror("todo").titles == [["B 2,000.00"]])
    // A repeat in another language gets a cursor that this client can compare with its own.
    headers["Accept-Language"] = "en"
    let other = try service.request("DELETE", "/v1/tables/todo/items/\(english.rows[0])", headers)
    #expect(try other.status == 200 && other.json["cursor"]?.text == service.mirror("todo").cursor, "\(other.text)")
  }

  /// What a cursor names is kept in all languages: after a crash clients go on where they were.
  @Test func cursorsOutliveTheProcess() throws {
    let upstream = try ScriptedUpstream(Self.price(1234.5))
    let folder = try TemporaryFolder()
    let configuration = Self.configuration(upstream.url)
    var service = try ServiceProcess(configuration, in: folder)
    try service.follow("prices", until: "is ready") { $0.state == "ready" }
    var mirrors: [(table: String, headers: [String: String], mirror: TableMirror)] = []
    for headers in [[:], Self.german, ["Accept-Language": "pt"]] {
      for table in ["prices", "todo"] { mirrors.append((table, headers, try service.mirror(table, headers))) }
    }
    for round in 1...2 {
      let reply = try service.request(
        "POST",
        "/v1/tables/todo/items",
        Self.german,
        body: ["title": "N", "price": .integer(Int64(round * 1000))]
      )
      // A version that a client has been told of is never another one's.
      let told = try required(reply.json["cursor"]?.text, "a cursor")
      try service.end(SIGKILL)
      upstream.answer(Self.price(Double(round) * 1000))
      service = try ServiceProcess(configuration, in: folder)
      #expect(try service.changes("todo", after: told, Self.german)["reset"] == nil)
      for index in mirrors.indices {
        let (table, headers, before) = mirrors[index]
        let expected = round == 1 ? ["1", "000"] : ["2", "000"]
        mirrors[index].mirror = try service.follow(table, headers, from: before, until: "is as edited") { mirror in
          mirror.state == "ready" && expected.allSatisfy { part in mirror.titles.joined().last?.contains(part) == true }
        }
        try mirrors[index].mirror.check(equals: service.snapshot(table, headers))
        #expect(mirrors[index].mirror.resets.isEmpty, "\(table) \(headers)")
      }
    }
    #expect(
      mirrors.map { $0.mirror.titles.joined().last } == [
        "2,000.00", "N 2,000.00", "2.000,00", "N 2.000,00", "2.000,00", "N 2.000,00",
      ]
    )
    // What is represented is the same in all languages.
    #expect(try service.request("GET", "/v1/tables/prices/items/1", Self.german).text == "{\"id\":1,\"price\":2000.0}")
  }

  @Test func anotherConfigurationMayHaveOtherLanguages() throws {
    let upstream = try ScriptedUpstream(Self.price(1234.5))
    let configuration = Self.configuration(upstream.url)
    let service = try ServiceProcess(configuration)
    let german = try service.follow("prices", Self.german, until: "is ready") { $0.state == "ready" }
    try service.folder.write(configuration.replacingOccurrences(of: "[en-US, de-DE, pt-BR]", with: "[en-US, fr-FR]"))
    service.signal(SIGHUP)
    try service.logged("read again")
    let french = try service.follow("prices", ["Accept-Language": "fr"], until: "is ready") { $0.state == "ready" }
    #expect(french.attributes["title"] == "Prices (fr-FR)")
    #expect(try service.request("GET", "/v1/tables/prices", Self.german)["Content-Language"] == "en-US")
    // What is there again goes on where it was.
    try service.folder.write(configuration)
    service.signal(SIGHUP)
    try service.log.wait(for: "another reading") { lines in
      lines.count { $0.contains("read again") } == 2 ? true : nil
    }
    let again = try service.follow("prices", Self.german, from: german, until: "is ready") { $0.state == "ready" }
    #expect(again.titles == [["1.234,50"]] && again.resets.isEmpty)
    try again.check(equals: service.snapshot("prices", Self.german))
  }

  /// Without `locales`, nothing depends on the language, and nothing says so.
  @Test func withoutLocalesThereIsNone() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(issues(upstream))
    let reply = try service.request("GET", "/v1/tables/issues", Self.german)
    #expect(reply["Content-Language"].isEmpty && !reply["Vary"].contains("Accept-Language"))
  }

  /// What may be done to a row is said by the table that its client sees: another language may show other rows.
  @Test func editsAreJudgedByTheTableThatIsSeen() throws {
    let upstream = try ScriptedUpstream { request in
      let rows: [JSONValue] = [["id": 1, "lang": "en-US"], ["id": 2, "lang": "de-DE"]]
      return .json(request.method == "GET" ? .array(rows) : ["ok": true])
    }
    let service = try ServiceProcess(
      """
      store: memory
      locales: [en-US, de-DE]
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources: {items: {url: "\(upstream.url)/items", every: 1h}}
      tables:
        theirs:
          source: items
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${lang}"}
          sections: [{id: main, where: lang == $locale}]
          edits: {patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}}
          actions: {go: {when: "$locale == lang", request: {url: "\(upstream.url)/go/${$id}", body: {locale: "${$locale}"}}}}
        own:
          source: {local: {items: [{lang: en-US}, {lang: de-DE}]}}
          cell: Label
          payload: {title: "${lang}"}
          can: {edit: "lang == $locale"}
          actions: {mark: {patch: {by: "${$locale}"}}}
      """
    )
    try service.follow("theirs", Self.german, until: "is ready") { $0.rows == ["2"] }
    try service.follow("theirs", until: "is ready") { $0.rows == ["1"] }
    let cases: [(String, String, [String: String], JSONValue, Int)] = [
      ("PATCH", "theirs/items/2", Self.german, ["x": 1], 200), ("PATCH", "theirs/items/1", Self.german, ["x": 1], 404),
      ("PATCH", "theirs/items/2", [:], ["x": 1], 404), ("PATCH", "theirs/items/1", [:], ["x": 1], 200),
      ("POST", "theirs/rows/2/actions/go", Self.german, [:], 200), ("POST", "theirs/rows/2/actions/go", [:], [:], 404),
      ("PATCH", "own/items/2", Self.german, ["x": 1], 200), ("PATCH", "own/items/1", Self.german, ["x": 1], 403),
      ("PATCH", "own/items/1", [:], ["x": 1], 200), ("POST", "own/rows/1/actions/mark", Self.german, [:], 200),
    ]
    for (method, path, headers, body, status) in cases {
      let reply = try service.request(method, "/v1/tables/\(path)", headers, body: body)
      #expect(reply.status == status, "\(method) \(path) \(headers): \(reply.text)")
    }
    #expect(try service.request("GET", "/v1/tables/own/items/1").json["by"] == "de-DE")
    let sent = upstream.requests.current.last { $0.target.hasPrefix("/go") }
    #expect(try JSONValue(parsing: sent?.body ?? []) == ["locale": "de-DE"])
    // A condition is on what is seen.
    let tag = try service.request("GET", "/v1/tables/own", Self.german)["ETag"]
    let headers = Self.german.merging(["If-Match": tag]) { first, _ in first }
    #expect(
      try service.request("PATCH", "/v1/tables/own/items/2", headers, body: ["lang": "de-DE", "y": 1]).status == 200
    )
    #expect(try service.request("PATCH", "/v1/tables/own/items/2", Self.german, body: ["lang": "fr"]).status == 200)
    #expect(try service.request("PATCH", "/v1/tables/own/items/2", headers, body: ["y": 2]).status == 412)
  }
}
