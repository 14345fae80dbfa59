import Foundation
import JSON
import TestSupport
import Testing

/// `tablecast init`, as a process that asks an upstream over a socket; what it writes is served.
@Suite struct InitializeTests {
  private static let count = 120

  private static func tasks(_ numbers: Range<Int>) -> JSONValue {
    .array(
      numbers.clamped(to: 0..<count).map { number in
        [
          "id": .integer(Int64(number + 1)), "title": .string("Task \(number + 1)"), "done": .bool(number % 3 == 0),
          "state": number % 2 == 0 ? "open" : "closed", "created_at": "2026-03-01T10:00:00Z",
        ]
      }
    )
  }

  private static func number(_ name: String, in target: String) -> Int? {
    target.split(separator: "?").last?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
      .flatMap { Int($0.dropFirst(name.count + 1)) }
  }

  private static func answer(_ request: ScriptedUpstream.Request) -> ScriptedUpstream.Answer {
    let path = request.target.prefix { $0 != "?" }
    switch path {
    case "/link/tasks":
      let page = number("page", in: request.target) ?? 1
      let next = page * 25 < count ? ["Link": "</link/tasks?page=\(page + 1)>; rel=\"next\""] : [:]
      return .reply(200, next, tasks((page - 1) * 25..<page * 25))
    case "/next/tasks":
      let page = number("page", in: request.target) ?? 1
      let next = page * 25 < count ? JSONValue.string("/next/tasks?page=\(page + 1)") : .null
      return .json(["count": .integer(Int64(count)), "next": next, "results": tasks((page - 1) * 25..<page * 25)])
    case "/cursor/tasks":
      let start = number("cursor", in: request.target) ?? 0
      let next = start + 30 < count ? JSONValue.string(String(start + 30)) : .null
      return .json(["data": tasks(start..<start + 30), "meta": ["next_cursor": next]])
    case "/page/tasks":
      let page = number("page", in: request.target) ?? 1
      return .json(["page": .integer(Int64(page)), "total_pages": 6, "items": tasks((page - 1) * 20..<page * 20)])
    case "/offset/tasks":
      let start = number("offset", in: request.target) ?? 0
      return .json([
        "total": .integer(Int64(count)), "offset": .integer(Int64(start)), "issues": tasks(start..<start + 20),
      ])
    case "/blind/tasks":
      let page = number("page", in: request.target) ?? 1
      return .json(tasks((page - 1) * 20..<page * 20))
    case "/short/tasks":
      // As SAFRS does: the last page, which is not full, is not named.
      let page = number("page", in: request.target) ?? 1
      let next = page < 5 ? JSONValue.string("/short/tasks?page=\(page + 1)") : .null
      return .json(["total": .integer(Int64(count)), "next": next, "items": tasks((page - 1) * 22..<page * 22)])
    case "/odd/tasks":
      // An item of a page that is not examined has another date than the others.
      let page = number("page", in: request.target) ?? 1
      guard page == 3 else { return .json(tasks((page - 1) * 20..<page * 20)) }
      return .json([["id": 41, "title": "Task 41", "done": true, "state": "open", "created_at": "TBD"]])
    case "/mixed/tasks":
      // An item of a page that is not examined has a list where the others have the section's name.
      let page = number("page", in: request.target) ?? 1
      guard page == 3 else { return .json(tasks((page - 1) * 20..<page * 20)) }
      return .json([["id": 41, "title": "Task 41", "done": true, "state": ["open"], "created_at": .null]])
    case "/strict/tasks":
      return request.target == path ? .json(["total": 90, "items": tasks(0..<20)]) : .status(400, "{}")
    case "/whole/tasks": return .json(["total": .integer(Int64(count)), "items": tasks(0..<20)])
    case "/secret/tasks":
      guard request.headers["authorization"] == "Bearer hush", request.target.contains("api_key=quiet") else {
        return .status(401, "{}")
      }
      return .json(tasks(0..<7))
    case "/ids.json": return .json(.array((1...15).map { .integer(Int64($0)) }))
    case "/stock.csv":
      return .text(200, ["Content-Type": "text/csv"], "sku,name,price\na1,Bread,2.50\na2,Milk,1.20\na3,Tea,4.00\n")
    case "/lines":
      return .text(
        200,
        ["Content-Type": "application/x-ndjson"],
        "{\"id\":1,\"name\":\"One\"}\n{\"id\":2,\"name\":\"Two\"}\n"
      )
    case "/news.xml":
      return .text(
        200,
        ["Content-Type": "application/rss+xml"],
        "<rss version=\"2.0\"><channel><title>F</title><item><guid>g1</guid><title>First</title><link>http://x.example/1</link></item>"
          + "<item><guid>g2</guid><title>Second</title><link>http://x.example/2</link></item></channel></rss>"
      )
    case "/page.html": return .text(200, ["Content-Type": "text/html"], "<!doctype html><p>Hello")
    default:
      guard path.hasPrefix("/item/"), let id = Int(path.dropFirst(6).prefix { $0 != "." }) else {
        return .status(404, "{}")
      }
      return .json(tasks(id - 1..<id).elements.first ?? .null)
    }
  }

  @Test(arguments: [
    ("link", "paging: {link: true}  #"), ("next", "paging: {nextUrl: \"${next}\"}  #"),
    ("cursor", "paging: {cursor: \"${meta.next_cursor}\", parameter: cursor}  #"),
    ("page", "paging: {page: {parameter: page}}  #"),
    ("offset", "paging: {offset: {parameter: offset, size: 20}}  #"), ("blind", "paging: {page: {parameter: page}}  #"),
  ])
  func pagesThatWereProvedAreServed(style: String, paging: String) throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let written = try Command(["init", "\(upstream.url)/\(style)/tasks", "--output", "{folder}/made.yaml"], in: folder)
    #expect(written.status == 0, "\(written.errors)")
    #expect(written.output.contains("items read"), "\(written.output)")
    let yaml = try String(contentsOf: folder.url.appending(path: "made.yaml"), encoding: .utf8)
    #expect(yaml.contains("\n    \(paging)"), "\(yaml)")
    let service = try ServiceProcess(yaml)
    let snapshot = try service.follow("tasks", until: "is ready") { $0.state == "ready" }
    #expect(snapshot.sections.map(\.rows.count) == [60, 60])
    #expect(snapshot.sections.map(\.id) == ["open", "closed"])
  }

  @Test func whatCouldNotBeProvedIsSaid() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/whole/tasks"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(!made.output.contains("\n    paging:"), "\(made.output)")
    #expect(made.errors.contains("20 of 120 items read"), "\(made.errors)")
    #expect(made.errors.contains("Unsure: `total` says that there are 120 items"), "\(made.errors)")
  }

  @Test func anItemWithoutARowIsSaid() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/odd/tasks"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains(" rows, 1 without one"), "\(made.errors)")
    #expect(made.errors.contains("\nUnsure: items without a row: 1, "), "\(made.errors)")
  }

  @Test func anItemWithoutASectionIsSaid() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/mixed/tasks"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("81 items read: 80 rows, 1 without one"), "\(made.errors)")
    #expect(made.errors.contains("\nUnsure: items that no section takes: 1\n"), "\(made.errors)")
  }

  /// The file is written by then, and is as good as it was.
  @Test func anAPIThatRefusesTheLastRequestIsSaid() throws {
    let asked = Monitor(0)
    let upstream = try ScriptedUpstream { _ in
      // The list, the same once more, and what the table is drawn of.
      asked.change { $0 += 1 }
      return asked.current <= 2 ? .json(Self.tasks(0..<7)) : .status(403, "{}")
    }
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/tasks", "--output", "{folder}/made.yaml"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("Unsure: the table is not drawn"), "\(made.output)")
    #expect(made.output.contains("Serve it: tablecast serve --config "), "\(made.output)")
    #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: "made.yaml").path))
  }

  /// The status of a second page is told, and no body of it looked for.
  @Test func aRefusedPageIsSaid() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/strict/tasks"], in: folder)
    #expect(made.output.contains(": the second page's status is 400"), "\(made.output)")
  }

  @Test func pagesThatEndTooSoonAreSaid() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/short/tasks"], in: folder)
    #expect(
      made.errors.contains("Unsure: 120 items are said to be there, and the pages end after 110"),
      "\(made.errors)"
    )
  }

  /// What is no JSON, but can be read, is served by what was written.
  @Test(arguments: [
    ("/stock.csv", "csv", "${sku}", ["Bread", "Milk", "Tea"]), ("/lines", "ndjson", "${id}", ["One", "Two"]),
    ("/news.xml", "feed", "${id}", ["First", "Second"]),
  ])
  func formatsAreRead(path: String, format: String, id: String, titles: [String]) throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)\(path)", "--name", "things"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("\n    format: \(format)  #"), "\(made.output)")
    #expect(made.output.contains("id: \"\(id)\""), "\(made.output)")
    let service = try ServiceProcess(made.output)
    let snapshot = try service.follow("things", until: "is ready") { $0.state == "ready" }
    #expect(snapshot.titles == [titles])
  }

  /// Pages, images and items that an answer names at another host inside: none of them is asked for.
  @Test func anAnswerLeadsNowhereInside() throws {
    let inside = try ScriptedUpstream(.array([]))
    let address = inside.url
    let upstream = try ScriptedUpstream { request in
      guard request.target == "/things" else { return .json([.string("\(address)/1"), .string("\(address)/2")]) }
      let things = (1...3).map { number -> JSONValue in
        ["id": .integer(Int64(number)), "name": .string("Thing"), "image": .string("\(address)/\(number).png")]
      }
      return .json(["next": .string("\(address)/things?page=2"), "things": .array(things)])
    }
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/things"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("not proved, as the second page is at another host"), "\(made.errors)")
    #expect(made.errors.contains("the image of the first item could not be had"), "\(made.errors)")
    let plain = try Command(["init", "\(upstream.url)/addresses"], in: folder)
    #expect(plain.errors.contains("no URL was found that has an item behind one"), "\(plain.errors)")
    #expect(inside.requests.current.isEmpty, "\(inside.requests.current.map(\.target))")
  }

  /// By its own account the answer is not all.
  @Test(arguments: [
    ("", "20 of 120 items were read, as `total` says"),
    (
      "paging: {offset: {parameter: offset, size: 20}, total: \"${total}\", maxPages: 2}",
      "40 of 120 items were read, as `paging.total` says"
    ),
  ])
  func renderSaysThatThereIsMore(paging: String, says: String) throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    try Data(
      """
      sources:
        s:
          url: "\(upstream.url)/offset/tasks"
          items: ${issues}
          \(paging)
      tables: {t: {source: s, row: {id: "${id}-${$index}"}}}
      """.utf8
    ).write(to: folder.url.appending(path: "t.yaml"))
    let drawn = try Command(["render", "--config", "t.yaml", "--table", "t"], in: folder)
    #expect(drawn.output.contains("! source s: \(says)\n"), "\(drawn.output) \(drawn.errors)")
    let told = try Command(["render", "--config", "t.yaml", "--table", "t", "--json"], in: folder)
    #expect(
      told.output.contains(#""read":[{"source":"s","items":\#(says.prefix { $0 != " " }),"of":120}]"#),
      "\(told.output)"
    )
  }

  /// A count in an item of a map says nothing of the list.
  @Test func aCountOfAnItemIsNoTotal() throws {
    let upstream = try ScriptedUpstream(["apples": ["count": 120], "pears": ["count": 80]])
    let folder = try TemporaryFolder()
    try Data(
      """
      sources: {s: {url: "\(upstream.url)", items: "${$item | entries}"}}
      tables: {t: {source: s, row: {id: "${key}"}}}
      """.utf8
    ).write(to: folder.url.appending(path: "t.yaml"))
    let told = try Command(["render", "--config", "t.yaml", "--table", "t", "--json"], in: folder)
    #expect(told.status == 0 && !told.output.contains(#""read":"#), "\(told.output) \(told.errors)")
  }

  @Test func itemsBehindIdentitiesAreServed() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/ids.json", "--name", "tasks"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    let service = try ServiceProcess(made.output)
    let snapshot = try service.follow("tasks", until: "is ready") { $0.state == "ready" }
    #expect(snapshot.sections.reduce(0) { $0 + $1.rows.count } == 15)
  }

  @Test func secretsStayInTheEnvironment() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(
      [
        "init", "\(upstream.url)/secret/tasks?api_key=quiet&b=1", "--header", "Authorization: Bearer hush", "--header",
        "Accept: application/json",
      ],
      in: folder
    )
    #expect(made.status == 0, "\(made.errors)")
    for text in [made.output, made.errors] { #expect(!text.contains("hush") && !text.contains("quiet"), "\(text)") }
    #expect(made.output.contains("Authorization: Bearer ${env.TASKS_TOKEN}"), "\(made.output)")
    #expect(made.output.contains("/secret/tasks?api_key=${env.TASKS_KEY}&b=1"), "\(made.output)")
    #expect(made.errors.contains("TASKS_KEY=… TASKS_TOKEN=… tablecast serve"), "\(made.errors)")
    #expect(!made.errors.contains("percent-encoding"), "\(made.errors)")
    let encoded = try Command(["init", "\(upstream.url)/blind/tasks?sig=ab%2Bcd"], in: folder)
    #expect(encoded.errors.contains("TASKS_TOKEN is the value without percent-encoding"), "\(encoded.errors)")
  }

  @Test(arguments: [
    ("/secret/tasks", "answered with 401: it wants credentials"), ("/none/tasks", "answered with 404"),
    ("/page.html", "is HTML; JSON, NDJSON, CSV and feeds can be read"), ("/item/1", "no list in the answer"),
  ])
  func whatIsNoListIsNamed(path: String, says: String) throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", upstream.url + path], in: folder)
    #expect(made.status != 0 && made.errors.contains(says) && made.output.isEmpty, "\(made.errors)")
  }

  @Test func aFileThatIsNoJSONIsNamed() throws {
    let folder = try TemporaryFolder()
    try Data(#"{"items": [{"id": 1}"#.utf8).write(to: folder.file("broken.json"))
    let made = try Command(["init", "broken.json"], in: folder)
    #expect(made.status == 1 && made.output.isEmpty)
    #expect(made.errors.hasPrefix("tablecast: the answer of broken.json"), "\(made.errors)")
  }

  @Test func theCommandToServeTakesAnyPath() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    let made = try Command(["init", "\(upstream.url)/blind/tasks", "--output", "my 'tables'.yaml"], in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains(#"serve --config 'my '\''tables'\''.yaml'"#), "\(made.output)")
  }

  @Test func aFileThatIsThereStays() throws {
    let upstream = try ScriptedUpstream(Self.answer)
    let folder = try TemporaryFolder()
    try folder.write("store: memory")
    let arguments = ["init", "\(upstream.url)/blind/tasks", "--output", "{folder}/tablecast.yaml"]
    let refused = try Command(arguments, in: folder)
    #expect(refused.status != 0 && refused.errors.contains("--force"), "\(refused.errors)")
    #expect(upstream.requests.current.isEmpty)
    let forced = try Command(arguments + ["--force"], in: folder)
    #expect(forced.status == 0, "\(forced.errors)")
  }
}
