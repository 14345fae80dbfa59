import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// What two configurations show, of which one lets everybody in and the other one has what is not for everybody: while one takes the
/// other's place nobody is shown the second one's by the first one's rules.
@Suite struct ReloadAccessTests {
  /// The represented object of a row that was tapped is for all who may read.
  private static let secret = #""title":"hidden""#

  private static func configuration(isOpen: Bool) -> String {
    let items = (1...300).map { "{title: T\($0), secret: hidden}" }.joined(separator: ", ")
    let rule = "read: true, anonymous: {read: \(isOpen), edit: true}"
    return """
      store: {path: "{folder}/store.sqlite"}
      auth: {jwt: {issuer: "https://id.example.com", audience: tablecast, jwks: "{folder}/keys.json", allow: {\(rule)}}}
      cells: {Label: {nib: Label, fields: {title: string, isExpanded: boolean}, expands: isExpanded}}
      sources: {notes: {local: {items: [\(items)]}}}
      tables:
        notes: {source: notes, cell: Label, payload: {title: "${\(isOpen ? "title" : "secret")}", isExpanded: false}}
        some:
          source: notes
          parameters: {part: {}}
          cell: Label
          payload: {title: "${\(isOpen ? "title" : "secret")}", isExpanded: false}
      """
  }

  @Test func nobodyIsShownOneConfigurationsRowsByTheOthersRules() throws {
    let folder = try TemporaryFolder()
    try Data(#"{"keys": []}"#.utf8).write(to: folder.file("keys.json"))
    let service = try ServiceProcess(Self.configuration(isOpen: true), in: folder)
    let isOver = Mutex(false)
    let shown = Mutex<[String]>([])
    let requests = [
      "/v1/tables/notes", "/v1/tables/some;part=x", "/v1/tables/notes/rows/1", "/v1/changes?after=notes:&wait=0",
      "/v1/tables/notes/changes?wait=0", "/v1/tables/notes/rows/2/tap?view=v", "/v1/tables/notes/rows/3/tap",
    ]
    let readers = requests.map { path in
      Background("requests for \(path)") {
        while !isOver.withLock({ $0 }) {
          guard let reply = try? service.request(path.contains("/tap") ? "POST" : "GET", path) else { continue }
          if reply.text.contains(Self.secret) { shown.withLock { $0.append(path) } }
        }
      }
    }
    let pollers = ["notes", "some;part=x"].map { table in
      Background("polls of \(table)") {
        var cursor: String?
        while !isOver.withLock({ $0 }) {
          let after = cursor.map { "&after=\($0)" } ?? ""
          guard let reply = try? service.request("GET", "/v1/tables/\(table)/changes?wait=1\(after)") else { continue }
          cursor = reply.status == 200 ? try reply.json["to"]?.text : nil
          if reply.text.contains(Self.secret) { shown.withLock { $0.append("a poll of \(table)") } }
        }
      }
    }
    for number in 1...12 {
      let isOpen = number.isMultiple(of: 2)
      try service.folder.write(Self.configuration(isOpen: isOpen))
      service.signal(SIGHUP)
      try awaited("the new configuration") {
        let reply = try service.request("GET", "/v1/tables/notes")
        if reply.text.contains(Self.secret) { shown.withLock { $0.append("the first read") } }
        return reply.status == (isOpen ? 200 : 401)
      }
    }
    isOver.withLock { $0 = true }
    for reader in readers + pollers { try reader.value() }
    #expect(shown.withLock { Dictionary(grouping: $0) { $0 }.mapValues(\.count) } == [:])
  }

  /// What an upstream has said to the closed configuration stays until it has answered the open one's request; the closed one's rules do,
  /// too, whatever is read meanwhile. Where another language comes first, the table is another one.
  @Test(arguments: ["[en, de]", "[de, en]"])
  func rowsThatAnUpstreamHasGivenAnotherConfiguration(_ locales: String) throws {
    let upstream = try ScriptedUpstream { request in
      request.target == "/secret" ? .json([["id": 1, "title": "hidden"]]) : .silence
    }
    let folder = try TemporaryFolder()
    try Data(#"{"keys": []}"#.utf8).write(to: folder.file("keys.json"))
    let configuration = { (path: String, isOpen: Bool) in
      let rule = "read: true, anonymous: {read: \(isOpen)}"
      return """
        store: memory
        locales: \(isOpen ? locales : "[en, de]")
        auth: {jwt: {issuer: "https://id.example.com", audience: tablecast, jwks: "{folder}/keys.json", allow: {\(rule)}}}
        cells: {Label: {nib: Label, fields: {title: string}}}
        sources: {notes: {url: "\(upstream.url)/\(path)", every: 1h, retries: 0, timeout: 50s}}
        tables: {notes: {source: notes, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}}
        """
    }
    let service = try ServiceProcess(configuration("secret", false), in: folder)
    try awaited("the rows") { try service.request("GET", "/readyz").status == 200 }
    for path in ["first", "second"] {
      try service.folder.write(configuration(path, true))
      service.signal(SIGHUP)
      try upstream.requests.wait(for: "its request") { $0.contains { $0.target == "/\(path)" } ? true : nil }
      #expect(try service.request("GET", "/v1/tables/notes").status == 401)
      #expect(try service.request("GET", "/v1/tables/notes/items/1").status == 401)
    }
    upstream.answer([["id": 2, "title": "shown"]])
    try awaited("the new rows") { try service.request("GET", "/v1/tables/notes").status == 200 }
    #expect(try service.mirror("notes").titles == [["shown"]])
  }
}
