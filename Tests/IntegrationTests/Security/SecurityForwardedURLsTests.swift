import Foundation
import JSON
import TestSupport
import Testing

/// Identities and parameters that would lead an upstream's path elsewhere, once that is decoded; and bodies that are to be
/// JSON.
@Suite struct SecurityForwardedURLsTests {
  private static let hostile = ["../admin", "a/../b", "..\\admin", "a/..;x/b"] + segments
  /// No row has these identities: no path of ours could name it.
  private static let segments = ["..", "."]

  private static func configuration(_ upstream: ScriptedUpstream) -> String {
    """
    store: memory
    sources:
      items: {url: "\(upstream.url)/items", every: 0s, retries: 0}
      authors: {url: "\(upstream.url)/authors", every: 0s, retries: 0}
      details:
        url: "\(upstream.url)/items"
        every: 0s
        retries: 0
        each: {url: "\(upstream.url)/details/${$item.id}", as: detail}
      byName: {url: "\(upstream.url)/named/${$params.name}?and=${$params.name}", every: 0s, retries: 0}
      queried: {url: "\(upstream.url)/queried?name=${$params.name}", every: 0s, retries: 0}
    cells: {Label: {nib: Label, fields: {title: string}}}
    tables:
      items:
        source: items
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${$author.login ?? id}"}
        can: {edit: true, move: true}
        lookups: {author: {source: authors, key: id, on: author}}
        edits:
          insert: {url: "\(upstream.url)/new", body: "${$edit}"}
          patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}
          delete: {url: "\(upstream.url)/items/${$id}/all"}
          move: {url: "\(upstream.url)/moved/${$edit.after}", body: "${$edit}"}
        actions:
          close: {request: {url: "\(upstream.url)/closed/${id}", body: "${$edit}"}}
          note: {request: {url: "\(upstream.url)/notes", body: "note=${$edit}"}}
          ask: {request: {url: "\(upstream.url)/authors/${$author.login}"}}
      details: {source: details, row: {id: "${id}"}, cell: Label, payload: {title: "${detail.of}"}}
      named: {source: byName, row: {id: "${id}"}, cell: Label, payload: {title: "${id}"}, parameters: {name: {pattern: ".*"}}}
      queried: {source: queried, row: {id: "${id}"}, cell: Label, payload: {title: "${id}"}, parameters: {name: {pattern: ".*"}}}
    """
  }

  private static func upstream() throws -> ScriptedUpstream {
    let ids = hostile + ["good", "a/b"]
    return try ScriptedUpstream { request in
      switch request.target {
      case "/items": .json(.array(ids.map { ["id": .string($0), "author": .string($0)] }))
      case "/authors": .json(.array(ids.map { ["id": .string($0), "login": .string($0)] }))
      case let path where path.hasPrefix("/details/"): .json(["of": .string(path)])
      case let path where request.method == "GET": .json([["id": .string(path)]])
      default: .json(["ok": true])
      }
    }
  }

  @Test func idsThatLeadElsewhereAreSentNowhere() throws {
    let upstream = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream))
    try service.follow("items", until: "is ready") { $0.rows.count == 6 }
    func edit(_ id: String) throws -> [(what: String, reply: Reply)] {
      let row = try required(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics), "an identity")
      let requests: [(String, String, JSONValue?)] = [
        ("PATCH", "items/\(row)", ["title": "X"]),
        ("POST", "rows/\(row)/actions/close", nil), ("POST", "rows/\(row)/actions/ask", nil),
        ("POST", "edits", ["edits": [["op": "patch", "id": .string(id), "patch": ["title": "X"]]]]),
        ("POST", "items/good/move", ["after": .string(id)]), ("DELETE", "items/\(row)", nil),
      ]
      return try requests.map { method, path, body in
        ("\(method) \(path)", try service.request(method, "/v1/tables/items/\(path)", body: body))
      }
    }
    for id in Self.hostile where !Self.segments.contains(id) {
      for (what, reply) in try edit(id) {
        #expect(
          reply.status == 422 && reply.text.contains("segment `.` or `..`"),
          "\(what): \(reply.status) \(reply.text)"
        )
      }
    }
    #expect(upstream.requests.current.allSatisfy { $0.method == "GET" }, "nothing was sent")
    for (what, reply) in try edit("a/b") { #expect(reply.status == 200, "\(what): \(reply.text)") }
    let sent = Set(upstream.requests.current.filter { $0.method != "GET" }.map(\.target))
    #expect(sent.isSuperset(of: ["/items/a%2Fb", "/items/a%2Fb/all", "/closed/a%2Fb", "/authors/a%2Fb"]), "\(sent)")
  }

  /// An element that can't be asked for keeps no other one from being there, and the operator is told.
  @Test func elementsThatLeadElsewhereAreLeftOut() throws {
    let upstream = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream))
    let mirror = try service.follow("details", until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["good", "a/b"] && mirror.titles == [["/details/good", "/details/a%2Fb"]])
    try service.logged("elements that are not asked for, \(Self.hostile.count) of them")
    #expect(upstream.requests.current.allSatisfy { !$0.target.contains("..") })
  }

  /// Nothing is asked for such a parameter, and the table says why; in a query it leads nowhere.
  @Test func parametersThatLeadElsewhereAreSentNowhere() throws {
    let upstream = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream))
    for value in Self.hostile {
      let name = try required(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics), "a value")
      let mirror = try service.mirror("named;name=\(name)")
      let problem = mirror.attributes["problem"]?["detail"]?.text ?? ""
      #expect(mirror.state == "failed" && problem.contains("would lead it elsewhere"), "\(value): \(problem)")
      #expect(try service.mirror("queried;name=\(name)").state == "ready")
    }
    #expect(upstream.requests.current.allSatisfy { !$0.target.hasPrefix("/named") })
    #expect(try service.mirror("named;name=a%2Fb").rows == ["/named/a%2Fb?and=a%2Fb"])
  }

  /// Who edits chooses what `${$edit}` is, and not which bytes are sent: a text is JSON, as all else is.
  @Test func bodiesOfOneExpressionAreJSON() throws {
    let upstream = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream))
    try service.follow("items", until: "is ready") { $0.rows.count == 6 }
    for (action, body, expected) in [
      ("close", JSONValue.string("a=1&admin=true"), #""a=1&admin=true""#),
      ("close", .string(#"{"admin":true}"#), #""{\"admin\":true}""#),
      ("close", ["a": 1], #"{"a":1}"#), ("close", .integer(7), "7"), ("note", .string("x"), "note=x"),
    ] {
      #expect(try service.request("POST", "/v1/tables/items/rows/good/actions/\(action)", body: body).status == 200)
      let sent = try required(upstream.requests.current.last { $0.method != "GET" }, "the request")
      #expect(String(decoding: sent.body, as: UTF8.self) == expected)
    }
  }
}
