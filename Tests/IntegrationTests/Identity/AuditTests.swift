import Foundation
import JSON
import TestSupport
import Testing

/// What is written of edits.
@Suite struct AuditTests {
  private func lines(_ file: URL) throws -> [JSONValue] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  @Test func everyEditHasALineBeforeItIsAnswered() throws {
    let issuer = try Issuer()
    let allow = ", allow: {edit: \"$caller.name == 'ada'\", admin: \"$caller.name == 'eve'\"}"
    let audit = "audit: {path: \"{folder}/logs/audit.log\", bodies: true}\n"
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(allow), audit))
    let file = service.folder.file("logs/audit.log")
    var headers = issuer.token("ada").merging(["X-Request-ID": "r1"]) { $1 }
    let added = try service.request("POST", "/v1/tables/todo/items", headers, body: ["title": "new"])
    let id = try #require(try added.json["id"]?.text)
    let first = try #require(try lines(file).first)
    #expect(first["request"] == "r1" && first["caller"] == "ada" && first["issuer"] == .string(issuer.name))
    #expect(first["op"] == "insert" && first["table"] == "todo" && first["row"] == .string(id))
    #expect(first["outcome"] == "done" && first["status"] == 201 && first["body"]?["title"] == "new")
    #expect(first["address"] == "127.0.0.1")
    // Renamed and signalled, a new file is begun; refusals stand in it, too.
    try FileManager.default.moveItem(at: file, to: service.folder.file("logs/old.log"))
    service.signal(SIGHUP)
    try service.logged("The configuration was read again")
    headers = issuer.token("bob")
    #expect(try service.request("DELETE", "/v1/tables/todo/items/\(id)", headers).status == 403)
    #expect(try service.request("PATCH", "/v1/tables/todo/items/\(id)", bearer("garbage"), body: [:]).status == 401)
    #expect(try service.request("PATCH", "/v1/tables/todo/items/none", issuer.token("ada"), body: [:]).status == 404)
    let batch: JSONValue = [
      "edits": [["op": "delete", "id": .string(id)], ["op": "add", "item": ["title": "a"]]]
    ]
    #expect(try service.request("POST", "/v1/tables/todo/edits", issuer.token("ada"), body: batch).status == 200)
    let rest = try lines(file)
    #expect(rest.compactMap { $0["op"]?.text } == ["delete", "patch", "patch", "delete", "insert"])
    #expect(rest.compactMap { $0["status"]?.number } == [403, 401, 404, 200, 200])
    #expect(rest.compactMap { $0["outcome"]?.text } == ["refused", "refused", "refused", "done", "done"])
    #expect(rest[1]["caller"] == .null)
    // Admins read the newest, those of the file before too.
    let shown = try service.request("GET", "/v1/audit?rows=3", issuer.token("eve")).json["entries"]?.elements
    #expect(shown?.compactMap { $0["op"]?.text } == ["insert", "delete", "patch"])
    #expect(try service.request("GET", "/v1/audit", issuer.token("eve")).json["entries"]?.elements.count == 6)
    #expect(try service.request("GET", "/v1/audit", issuer.token("ada")).status == 403)
    #expect(try service.request("GET", "/v1/audit").status == 401)
    #expect(try service.request("GET", "/v1/audit?rows=1001", issuer.token("eve")).status == 400)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("eyJ"), "no token is recorded")
  }

  /// Whatever rotates files knows nothing of the configuration.
  @Test func aNewFileIsBegunBesideAConfigurationThatCanNotBeUsed() throws {
    let issuer = try Issuer()
    let audit = "audit: {path: \"{folder}/audit.log\"}\n"
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(", allow: {edit: true}"), audit))
    let (file, former) = (service.folder.file("audit.log"), service.folder.file("former.log"))
    func add() throws {
      let reply = try service.request("POST", "/v1/tables/todo/items", issuer.token("ada"), body: ["title": "A"])
      #expect(reply.status == 201, "\(reply.text)")
    }
    try add()
    try FileManager.default.moveItem(at: file, to: former)
    try service.folder.write("hostz: []")
    service.signal(SIGHUP)
    try service.logged("The configuration is not usable")
    try add()
    #expect(try lines(file).count == 1 && lines(former).count == 1)
  }

  /// A row's name from outside, and an item, can't make a terminal that shows the file do anything.
  @Test func whatIsNotToBeShownIsEscaped() throws {
    let issuer = try Issuer()
    let audit = "audit: {path: \"{folder}/audit.log\", bodies: true}\n"
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(", allow: {edit: true}"), audit))
    let row = "\u{85}\u{9b}31m\u{202e}\u{2028}ä😀\"\\"
    let path = try #require(row.addingPercentEncoding(withAllowedCharacters: []))
    let body: JSONValue = ["title": .string(row + "\u{7f}\u{1b}[31m\n")]
    let reply = try service.request("PATCH", "/v1/tables/todo/items/\(path)", issuer.token("ada"), body: body)
    #expect(reply.status == 404, "\(reply.text)")
    let file = service.folder.file("audit.log")
    let entry = try #require(try lines(file).first)
    #expect(entry["row"] == .string(row) && entry["body"] == body)
    let text = try String(contentsOf: file, encoding: .utf8).dropLast()
    let hidden = "\u{7f}\u{85}\u{9b}\u{202e}\u{2028}".unicodeScalars
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || hidden.contains($0) })
    #expect(text.contains("ä😀"))
  }

  /// Also of an edit that could be refused by its head alone.
  @Test func anEditThatComesInPiecesHasItsLineBeforeItIsRefused() throws {
    let issuer = try Issuer()
    let audit = "audit: {path: \"{folder}/audit.log\"}\n"
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(), audit))
    let file = service.folder.file("audit.log")
    for number in 1...20 {
      let client = try service.client()
      let head = "POST /v1/tables/todo/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      try client.send(raw: head + "Content-Length: 2\r\n\r\n{")
      try client.send(raw: "}")
      #expect(try client.receive("a refusal").status == 401)
      #expect(try lines(file).count == number)
    }
  }
}
