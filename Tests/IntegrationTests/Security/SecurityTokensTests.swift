import Foundation
import JSON
import TestSupport
import Testing

/// What a token tells its holder of tables that it does not name.
@Suite struct SecurityTokensTests {
  private static func tables() throws -> String {
    """
    store: memory
    auth:
      reading: tokens
      tokens:
        - {name: some, sha256: "\(try sha256("some"))", allow: [read, edit, admin], tables: ["todo*", "no*e"]}
        - {name: reader, sha256: "\(try sha256("reader"))", allow: [read], tables: [todo]}
        - {name: all, sha256: "\(try sha256("all"))", allow: [read, edit, admin]}
    tables:
      todo: {source: {local: {items: [{title: A}]}}}
      hidden: {source: {local: {items: [{title: B}]}}, sharedTaps: true}
      family: {source: {local: {items: [{title: C}]}}, parameters: {q: {default: a, pattern: "[a-z]"}}}
    """
  }

  private static let requests: [(method: String, target: String)] = [
    ("GET", ""), ("HEAD", ""), ("GET", "/changes"), ("GET", "/changes?after=0011223344aa.1&wait=0"), ("GET", "/stream"),
    ("GET", "/rows?at=0,0"), ("GET", "/rows/1"), ("GET", "/rows/9"), ("GET", "/items/1"), ("GET", "/items/9"),
    ("GET", "/skipped"), ("GET", "/rows/1/placement"), ("POST", "/items"), ("PATCH", "/items/1"),
    ("DELETE", "/items/1"),
    ("POST", "/items/1/move"), ("POST", "/edits"), ("POST", "/rows/1/tap"), ("POST", "/rows/1/tap?view=v"),
    ("POST", "/rows/1/actions/a"), ("POST", "/refresh"), ("PUT", "/refresh"), ("OPTIONS", ""), ("OPTIONS", "/items"),
    ("POST", ""), ("GET", "?unknown=1"), ("GET", "?view=!"),
  ]

  /// All that a reply says, but for its number, its time and the name that was asked for.
  private static func said(_ reply: Reply, of name: String) -> String {
    let fields = reply.headers.filter { !["x-request-id", "date", "content-length"].contains($0.key) }
    return "\(reply.status) \(fields.sorted { $0.key < $1.key }) \(reply.text)".replacing(name, with: "NAME")
  }

  /// One answer for a table that there is and one that there is not, where the token covers neither.
  @Test func oneAnswerForTablesOutsideAToken() throws {
    let service = try ServiceProcess(Self.tables())
    for token in ["some", "reader"] {
      let (headers, client) = (["Authorization": "Bearer \(token)"], try service.client())
      for (method, target) in Self.requests {
        let answers = try ["hidden", "absent", "family"].map { name in
          for parameters in name == "family" ? ["", ";q=a", ";q=b", ";q=1", ";x=1"] : ["", ";q=a"] {
            let reply = try client.request(method, "/v1/tables/\(name)\(parameters)\(target)", headers)
            let isAllowed =
              method == "OPTIONS" || ["PUT", "POST"].contains(method) && ["", "/refresh"].contains(target)
            #expect(
              isAllowed && reply.status != 404 || [400, 403].contains(reply.status),
              "\(method) \(target): \(reply)"
            )
          }
          return Self.said(try client.request(method, "/v1/tables/\(name)\(target)", headers), of: name)
        }
        #expect(Set(answers).count == 1, "\(token) \(method) \(target): \(answers)")
      }
      let several = try ["hidden", "absent", "family"].map { name in
        Self.said(try client.request("GET", "/v1/changes?after=\(name):&wait=0", headers), of: name)
      }
      #expect(Set(several).count == 1 && several[0].contains("403"), "\(several)")
      let members = try ["hidden", "absent", "family"].map { name in
        Self.said(try client.request("GET", "/v1/families/\(name)/members", headers), of: name)
      }
      #expect(Set(members).count == 1 && members[0].hasPrefix("403"), "\(members)")
      let list = try client.request("GET", "/v1/tables", headers)
      #expect(try list.json["tables"]?.elements.map { $0["id"] } == ["todo"])
    }
  }

  /// What a token covers is told: it is there, or it is not.
  @Test func whatATokenCoversIsTold() throws {
    let service = try ServiceProcess(Self.tables())
    let cases = [
      ("some", "none", 404), ("some", "todo", 200), ("reader", "none", 403), ("all", "none", 404),
      ("all", "hidden", 200),
    ]
    for (token, table, status) in cases {
      let reply = try service.request("GET", "/v1/tables/\(table)", ["Authorization": "Bearer \(token)"])
      #expect(reply.status == status, "\(token) \(table): \(reply.text)")
    }
    let members = try service.request("GET", "/v1/families/none/members", ["Authorization": "Bearer all"])
    #expect(members.status == 404, "\(members.text)")
    // No table has such a name, and no pattern is compared with it.
    let long = String(repeating: "todo", count: 1000)
    #expect(try service.request("GET", "/v1/tables/\(long)", ["Authorization": "Bearer some"]).status == 403)
  }

  /// What tells of all tables is for admins of all: those of some read the record of their edits alone.
  @Test func whatAnAdminOfSomeTablesIsTold() throws {
    let service = try ServiceProcess(Self.tables() + "\naudit: {path: \"{folder}/audit.log\"}\n")
    let (part, all) = (bearer("some"), bearer("all"))
    for (table, headers) in [("todo", all), ("hidden", all), ("family;q=b", all), ("hidden", part), ("todo", part)] {
      _ = try service.request("POST", "/v1/tables/\(table)/items", headers, body: [:])
    }
    func tables(_ query: String, _ headers: [String: String]) throws -> [String?]? {
      try service.request("GET", "/v1/audit\(query)", headers).json["entries"]?.elements.map { $0["table"]?.text }
    }
    #expect(try tables("", all) == ["todo", "hidden", "family;q=b", "hidden", "todo"])
    #expect(try tables("", part) == ["todo", "todo"])
    #expect(try tables("?rows=1", part) == ["todo"])
    for (token, status) in [(part, 403), (all, 200), (bearer("reader"), 403)] {
      #expect(try service.request("GET", "/v1/sources", token).status == status)
    }
    #expect(try service.request("POST", "/v1/sources/none/refresh", part).status == 403)
    #expect(try service.request("POST", "/v1/sources/none/refresh", all).status == 404)
  }
}
