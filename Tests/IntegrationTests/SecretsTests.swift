import Foundation
import JSON
import TestSupport
import Testing

/// Secrets in all the places where a configuration and a caller can have them, sent to upstreams that repeat whatever
/// they were sent; nothing that the process prints or answers may have one of them.
@Suite struct SecretsTests {
  static let marker = "mArKeR"

  /// All that an upstream was sent.
  private static func echo(_ request: ScriptedUpstream.Request) -> String {
    let fields = request.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return ([request.target] + fields + [String(decoding: request.body, as: UTF8.self)]).joined(separator: " ")
  }

  /// An upstream's ways to give away what it was sent.
  private static let faults: [(String, @Sendable (ScriptedUpstream.Request) -> ScriptedUpstream.Answer)] = [
    ("401", { .reply(401, ["WWW-Authenticate": "Bearer error=\"\(echo($0))\""], ["message": .string(echo($0))]) }),
    ("403", { .reply(403, [:], ["errors": [["message": .string(echo($0))]]]) }),
    ("404", { .reply(404, [:], ["detail": .string(echo($0))]) }),
    ("500", { .status(500, "<html><title>\(echo($0))</title>") }),
    ("plain text", { .status(502, echo($0)) }),
    ("no JSON", { .status(200, echo($0)) }),
    ("another shape", { .json(["error": .string(echo($0)), "items": 5]) }),
    ("members", { .json(.object([.init(name: echo($0), value: 1)])) }),
    ("content type", { .reply(200, ["Content-Type": "text/html; \(echo($0))"], .string("<title>\(echo($0))")) }),
    ("redirect inside", { .reply(302, ["Location": "http://127.0.0.1:1/\($0.target)"], [:]) }),
    ("redirect nowhere", { .reply(302, ["Location": "ftp://\($0.target)"], [:]) }),
    ("redirects", { .reply(302, ["Location": $0.target], [:]) }),
    ("broken off", { _ in .cutOff }),
  ]

  @Test func nothingGivesThemAway() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let folder = try TemporaryFolder()
    try Data("file-\(Self.marker)-2\n".utf8).write(to: folder.file("secret"))
    let service = try ServiceProcess(
      Self.configuration(upstream),
      in: folder,
      arguments: ["--log-level", "trace"],
      environment: [
        "HEADER": "env-\(Self.marker)-1", "QUERY_FILE": folder.file("secret").path, "BODY": "body-\(Self.marker)-3",
        "TOKEN": "path-\(Self.marker)/4", "HOOK": "hook-\(Self.marker)-5",
      ]
    )
    let headers = ["Authorization": "Bearer caller-\(Self.marker)-9"]
    let tables = ["one", "two", "mine", "family;p=x"]
    var seen: [String] = []
    func ask(_ method: String, _ target: String, _ body: JSONValue? = nil) throws {
      let reply = try service.request(method, target, headers, body: body)
      let fields = reply.headers.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
      seen.append("\(method) \(target) \(reply.status)\n\(fields)\n\(reply.text)")
    }
    for table in tables { try service.follow(table, headers, until: "is ready") { $0.state == "ready" } }
    for (name, answer) in Self.faults {
      upstream.answer(by: answer)
      for table in tables {
        let path = "/v1/tables/\(table)"
        for target in ["", "/changes", "/rows/1", "/items/1"] { try ask("GET", path + target) }
        try ask("POST", path + "/refresh")
        for target in ["", "/changes"] { try ask("GET", path + target) }
        try ask("POST", path + "/items", ["title": "x"])
        try ask("PATCH", path + "/items/1", ["title": "x"])
        try ask("DELETE", path + "/items/1")
      }
      for target in ["/v1/tables", "/v1/cells", "/metrics", "/v1/openapi.json", "/", "/readyz", "/v1/none"] {
        try ask("GET", target)
      }
      for hook in ["one", "none"] { try ask("POST", "/v1/hooks/\(hook)", [:]) }
      #expect(!seen.contains { $0.contains(Self.marker) }, "\(name): \(seen.first { $0.contains(Self.marker) } ?? "")")
    }
    service.signal(SIGHUP)
    try service.logged("was read again")
    #expect(try service.end() == 0)
    let sent = upstream.requests.current.map(Self.echo).joined()
    for number in [1, 2, 3, 7, 8, 9] { #expect(sent.contains("\(Self.marker)-\(number)"), "secret \(number) is used") }
    #expect(sent.contains("path-\(Self.marker)%2F4") && sent.contains("Basic "))
    let printed = service.log.current.filter { $0.contains(Self.marker) }
    #expect(printed.isEmpty, "\(printed.first ?? "")")
    #expect(seen.count > 400 && service.log.current.count > 10)
    // What the fault was is told all the same.
    #expect(seen.contains { $0.contains("redirects in a circle") } && seen.contains { $0.contains("answered 403") })
  }

  /// A configuration with a mistake beside each of them.
  @Test func mistakesInTheConfigurationDoNotShowThem() throws {
    let (status, log) = try ServiceProcess.refused(
      """
      sources:
        one:
          url: http://user:pass-\(Self.marker)@127.0.0.1/?key=query-\(Self.marker)
          headers: {Authorization: "Bearer literal-\(Self.marker)"}
          webhook: {secret: "hook-\(Self.marker)", scret: 1}
          evry: 1s
      tables:
        one: {source: one, row: {id: "${id}"}}
      """
    )
    #expect(status == 1 && log.contains("evry") && log.contains("scret"))
    #expect(!log.contains(Self.marker), "\(log)")
  }

  private static func configuration(_ upstream: ScriptedUpstream) -> String {
    let home = "127.0.0.1:\(upstream.port)"
    let edits = """
      {insert: {url: "\(upstream.url)/e", body: "${$edit}"}, patch: {url: "\(upstream.url)/e/${$id}", body: "${$edit}"}, \
      delete: {url: "\(upstream.url)/e/${$id}"}}
      """
    return """
      store: memory
      problems: full
      sources:
        one:
          url: http://user:password-\(marker)-6@\(home)/one?key=query-\(marker)-7
          headers: {X-Key: "${env.HEADER}"}
          query: {more: "${env.QUERY}"}
          every: 200ms
          retries: 0
          webhook: {secret: "${env.HOOK}"}
        two:
          url: "http://\(home)/bot${env.TOKEN}/two"
          headers: {X-Literal: "literal-\(marker)-8"}
          body: {token: "${env.BODY}"}
          every: 200ms
          retries: 0
        mine: {url: "\(upstream.url)/mine", every: 200ms, retries: 0, forward: [Authorization]}
        family:
          url: "\(upstream.url)/family/${$params.p}"
          headers: {X-Key: "${env.HEADER}"}
          every: 200ms
          retries: 0
      tables:
        one: {source: one, row: {id: "${number}"}, edits: \(edits)}
        two: {source: two, row: {id: "${number}"}, edits: \(edits)}
        mine: {source: mine, row: {id: "${number}"}, edits: \(edits)}
        family: {source: family, row: {id: "${number}"}, parameters: {p: {}}, edits: \(edits)}
      """
  }
}
