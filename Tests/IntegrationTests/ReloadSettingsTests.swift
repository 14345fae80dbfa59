import Foundation
import JSON
import TestSupport
import Testing

/// What of a configuration that is read again (SIGHUP) counts at once, beside the tables.
@Suite struct ReloadSettingsTests {
  private static let tables = """
    store: memory
    cells: {Label: {nib: Label, fields: {title: string}}}
    tables:
      todo: {edges: true, source: {local: {items: [{title: A}]}}, cell: Label, payload: {title: "${title}"}}
    """
  private static let (reader, writer) = ("https://reader.example", "https://writer.example")

  private static func reload(_ service: ServiceProcess, _ settings: String, _ count: Int) throws {
    try service.folder.write(settings + "\n" + tables)
    service.signal(SIGHUP)
    try service.log.wait(for: "a reload") { lines in
      lines.count { $0.contains("read again") } == count ? true : nil
    }
  }

  private static func restarts(_ service: ServiceProcess) -> [String] {
    service.log.current.filter { $0.contains("needs a restart") }
  }

  @Test func limitsOnCallersCountAtOnce() throws {
    let service = try ServiceProcess(Self.tables)
    let settings = "limits: {requestsPerMinute: 5, editsPerMinute: 5, waitersPerCaller: 1, itemBytes: 100B}"
    try Self.reload(service, settings, 1)
    let large = String(repeating: "x", count: 200)
    #expect(try service.request("POST", "/v1/tables/todo/items", body: ["title": .string(large)]).status == 413)
    let replies = try (0..<6).map { _ in try service.request("GET", "/v1/tables/todo").status }
    #expect(replies.last == 429 && replies.first == 200)
    try Self.reload(service, "", 2)
    #expect(try service.request("GET", "/v1/tables/todo").status == 200)
    #expect(Self.restarts(service) == [])
  }

  /// Its tables were prepared before that: they are edited as before.
  @Test func aConfigurationWhoseAuditFileCantBeOpenedIsGivenUp() throws {
    let service = try ServiceProcess(Self.tables)
    try service.folder.write("audit: {path: \"{folder}/tablecast.yaml/audit.log\"}\nlocales: [de]\n" + Self.tables)
    service.signal(SIGHUP)
    try service.logged("not usable: the old one is kept")
    let reply = try service.request("POST", "/v1/tables/todo/items", body: ["title": "B"])
    #expect(reply.status == 201, "\(reply.text)")
  }

  @Test func onlyWhatNeedsARestartIsSaidTo() throws {
    let service = try ServiceProcess(Self.tables)
    try Self.reload(service, "limits: {connections: 500, requestBody: 1MB, itemBytes: 1KB}", 1)
    try service.logged("needs a restart")
    let said = Self.restarts(service)
    #expect(said.count == 1 && said[0].contains("\"limits.connections, limits.requestBody\""), "\(said)")
  }

  /// `--listen` stands in the place of `listen`, at the next start too.
  @Test(arguments: [([] as [String], 1), (["--listen", "127.0.0.1:0"], 0)])
  func anotherAddressWaitsForARestart(arguments: [String], lines: Int) throws {
    let service = try ServiceProcess(Self.tables, arguments: arguments)
    let text = "listen: 127.0.0.1:1\n" + Self.tables
    try Data(text.utf8).write(to: service.folder.file("tablecast.yaml"))
    service.signal(SIGHUP)
    try service.logged("read again")
    // The line stands behind that of its reload, and before that of the next one.
    try Self.reload(service, "", 2)
    #expect(Self.restarts(service).count { $0.contains("\"listen\"") } == lines)
  }

  @Test func whichPagesMayReadAndWriteCountsAtOnce() throws {
    let service = try ServiceProcess(Self.tables)
    func allowed(_ reply: Reply) -> String { reply["Access-Control-Allow-Origin"] }
    func write(_ origin: String) throws -> Reply {
      try service.request(
        "POST",
        "/v1/tables/todo/items",
        ["Origin": origin, "Sec-Fetch-Site": "cross-site"],
        body: ["title": "B"]
      )
    }
    func preflight(_ origin: String) throws -> String {
      let fields = ["Origin": origin, "Access-Control-Request-Method": "POST"]
      return try service.request("OPTIONS", "/v1/tables/todo/items", fields)["Access-Control-Allow-Methods"]
    }
    func read(_ origin: String) throws -> String {
      allowed(try service.request("GET", "/v1/tables/todo", ["Origin": origin]))
    }
    #expect(try read(Self.reader) == "" && write(Self.writer).status == 403 && preflight(Self.writer) == "")

    try Self.reload(service, "cors: {origins: [\"\(Self.reader)\"], writes: [\"\(Self.writer)\"]}", 1)
    #expect(try read(Self.reader) == Self.reader && preflight(Self.writer).contains("POST"))
    let written = try write(Self.writer)
    #expect(written.status == 201 && allowed(written) == Self.writer)
    #expect(try write(Self.reader).status == 403)

    // Who waits is answered by what counts then.
    let cursor = try service.mirror("todo").cursor
    let waiting = try [Self.reader, Self.writer].map { try service.poll("todo", after: cursor, ["Origin": $0]) }
    try service.awaitPolls(2)
    try Self.reload(service, "cors: {origins: [\"https://other.example\", \"\(Self.writer)\"]}", 2)
    #expect(try read("https://other.example") == "https://other.example" && read(Self.reader) == "")
    #expect(try write(Self.writer).status == 403)
    #expect(try service.request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 201)
    let replies = try waiting.map { allowed(try $0.value()) }
    #expect(replies == ["", Self.writer])

    try Self.reload(service, "cors: {origins: [\"*\"]}", 3)
    #expect(try read("https://anybody.example") == "*")
    try Self.reload(service, "", 4)
    #expect(try read(Self.writer) == "" && read("https://anybody.example") == "")
    #expect(Self.restarts(service) == [])
  }

  /// A poll by slots waits as any other does.
  @Test func pollsBySlotsAreCountedAmongACallersWaiters() throws {
    let service = try ServiceProcess("limits: {waitersPerCaller: 1}\n" + Self.tables)
    let cursor = try service.mirror("todo").cursor
    let target = "/v1/tables/todo/changes?after=\(cursor)&slot="
    // The slot may be over at any moment: then neither waits.
    try awaited("a second poll by a slot that is refused") {
      let slot = try required(service.request("GET", target + "0").json["slot"]?.number, "a slot")
      let first = try service.client()
      try first.send("GET", "\(target)\(slot)")
      try awaited("the first one that waits, or its answer") {
        try service.metric("waiting_polls") == 1
          || service.request("GET", target + "0").json["slot"]?.number != slot
      }
      let second = try service.client()
      try second.send("GET", "\(target)\(slot)")
      guard let reply = try? second.receive("a refusal", seconds: 5) else {
        Issue.record("a second poll waits")
        return true
      }
      return reply.status == 429 && !reply["Retry-After"].isEmpty
    }
    // What is over is given back.
    try service.awaitMetric("waiting_polls", 0)
    let next = try service.poll("todo", after: cursor, wait: 50)
    try service.awaitPolls(1)
    #expect(try service.request("POST", "/v1/tables/todo/items", body: ["title": "B"]).status == 201)
    #expect(try next.value().status == 200)
  }
}
