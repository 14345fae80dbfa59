import Foundation
import JSON
import TestSupport
import Testing

/// Web pages of others, and neighbours on the machine.
@Suite struct SecurityAroundTests {
  /// A page whose name was made to lead here (DNS rebinding) neither reads nor edits.
  @Test func requestsForOtherNamesAreMisdirected() throws {
    let service = try ServiceProcess("hosts: [tables.example.com]\n" + todo)
    for (host, isTaken) in [
      ("127.0.0.1:\(service.port)", true), ("localhost", true), ("LOCALHOST:1", true), ("[::1]:9", true),
      ("tables.example.com", true), ("Tables.Example.com:8443", true), ("", true), ("evil.example", false),
      ("evil.example:\(service.port)", false), ("127.0.0.1.evil.example", false), ("localhost.evil.example", false),
    ] {
      for (method, target) in [("GET", "/v1/tables/todo"), ("POST", "/v1/tables/todo/items"), ("GET", "/")] {
        let client = try service.client()
        try client.send(raw: "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0\r\n\r\n")
        let reply = try client.receive("\(method) \(target) for \(host)")
        #expect((reply.status == 421) == !isTaken, "\(method) \(target) for `\(host)`: \(reply.status)")
      }
    }
    let old = try service.client()
    try old.send(raw: "GET /healthz HTTP/1.0\r\n\r\n")
    #expect(try old.receive("a request without a host").status == 200)
  }

  /// A browser takes nothing for something else than it is said to be, whatever is answered; the console is embedded by
  /// nobody, and tells no host of pictures where it is.
  @Test func everyReplySaysWhatItIs() throws {
    let service = try ServiceProcess("cors: {origins: [\"*\"]}\n" + todo)
    let tag = try service.request("GET", "/v1/tables/todo")["ETag"]
    let requests: [(String, String, [String: String], Int)] = [
      ("GET", "/v1/tables/todo", [:], 200), ("HEAD", "/v1/tables/todo", [:], 200),
      ("GET", "/v1/tables/todo", ["If-None-Match": tag], 304), ("GET", "/v1/tables/none", [:], 404),
      ("GET", "/v1/tables/todo/changes?wait=0", [:], 200), ("GET", "/v1/changes?after=todo:&wait=0", [:], 200),
      ("GET", "/v1/tables/todo/items/1", [:], 200), ("POST", "/v1/tables/todo/items", [:], 201),
      ("PUT", "/v1/tables/todo", [:], 405), ("GET", "/healthz", [:], 200), ("GET", "/metrics", [:], 200),
      ("GET", "/v1/client.js", [:], 200), ("GET", "/", [:], 200), ("GET", "/console/main.js", [:], 200),
      ("GET", "/console/style.css", [:], 200), ("GET", "/nothing", [:], 404),
      ("OPTIONS", "/v1/tables/todo", ["Origin": "https://a.example", "Access-Control-Request-Method": "GET"], 204),
    ]
    for (method, target, headers, status) in requests {
      let reply = try service.request(method, target, headers)
      #expect(reply.status == status, "\(method) \(target)")
      #expect(reply["X-Content-Type-Options"] == "nosniff", "\(method) \(target)")
      let isConsole = target == "/" || target.hasPrefix("/console/")
      #expect(reply["Referrer-Policy"] == (isConsole ? "no-referrer" : ""), "\(target)")
      // The client's module is for every page.
      #expect(reply["Cross-Origin-Resource-Policy"] == (isConsole ? "same-origin" : ""), "\(target)")
      if isConsole { #expect(reply["Content-Security-Policy"].contains("frame-ancestors 'none'")) }
    }
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/todo/stream")
    #expect(try stream.receiveHead("the stream")["X-Content-Type-Options"] == "nosniff")
    let malformed = try service.client()
    try malformed.send(raw: "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
    let refusal = try malformed.receive("a refusal by the parser")
    #expect(refusal.status == 400 && refusal["X-Content-Type-Options"] == "nosniff")
  }

  /// What stands twice means two things: neither is picked.
  @Test func repeatedParametersAreRefused() throws {
    let service = try ServiceProcess(todo)
    let cursor = try service.mirror("todo").cursor
    let path = "/v1/tables/todo"
    for target in [
      "\(path)?rows=5&rows=6", "\(path)?rows=5&rows=5", "\(path)?view=a&rows=1&view=b", "\(path)/rows?at=0,0&at=0,1",
      "\(path)/changes?after=\(cursor)&wait=0&wait=1", "\(path)/changes?after=\(cursor)&after=\(cursor)&wait=0",
      "\(path)/stream?after=\(cursor)&after=\(cursor)", "/v1/changes?after=todo:&wait=0&wait=0",
      "/v1/changes?after=todo:&rows=1&wait=0&rows=2",
    ] {
      let reply = try service.request("GET", target)
      #expect(try reply.status == 400 && reply.json["field"]?.text != nil, "\(target): \(reply.text)")
    }
    let place = try service.request("POST", "\(path)/items?after=1&after=2", body: [:])
    #expect(try place.status == 400 && place.json["field"] == "after")
    #expect(try service.request("POST", "\(path)/rows/1/tap?view=a&view=b").status == 400)
    #expect(try service.mirror("todo").cursor == cursor)
  }

  /// Who stands between, by the environment's word, is not asked whether the service is alive.
  @Test func healthAsksTheServiceAndNoProxy() throws {
    let service = try ServiceProcess(todo)
    let proxy = try ScriptedUpstream { _ in .status(500, "{}") }
    let names = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
    let health = try Command(
      ["health", "--url", "http://127.0.0.1:\(service.port)"],
      in: TemporaryFolder(),
      environment: Dictionary(uniqueKeysWithValues: names.map { ($0, proxy.url) })
    )
    #expect(health.status == 0, "\(health.errors)")
    #expect(proxy.requests.current.isEmpty)
  }

  /// What tables hold is nobody else's on the machine.
  @Test func theStoresFilesArePrivate() throws {
    let folder = try TemporaryFolder()
    let service = try ServiceProcess("store: {path: \"{folder}/t.sqlite\"}\n" + todoTables, in: folder)
    #expect(try service.request("POST", "/v1/tables/todo/items", body: [:]).status == 201)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("t.sqlite") }
    #expect(files.count >= 2, "\(files)")
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(file).path)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
    }
  }

  private static let deep = String(repeating: "{\"a\":", count: 5000) + "1" + String(repeating: "}", count: 5000)
  /// With the statuses that an insert may have.
  static let bodies: [(String, [Int])] = [
    ("{\"title\":\"a\",\"title\":\"b\"}", [400]), (deep, [400]),
    (String(repeating: "[", count: 100_000), [400]),
    ("{\"title\":1e999}", [201, 400, 422]), ("{\"title\":\"\\ud800\"}", [400, 422]), ("[]", [400]),
    ("\u{feff}{}", [201, 400]),
  ]

  /// JSON that can't be what it seems is refused; the service goes on.
  @Test(arguments: bodies)
  func hostileBodies(_ body: String, _ statuses: [Int]) throws {
    let service = try ServiceProcess(todo)
    for (method, target) in [("POST", "items"), ("PATCH", "items/1"), ("POST", "edits"), ("POST", "items/1/move")] {
      let client = try service.client()
      try client.send(
        raw: "\(method) /v1/tables/todo/\(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      let reply = try client.receive("\(method) \(target)")
      #expect(
        target == "items" ? statuses.contains(reply.status) : reply.status < 500,
        "\(method) \(target): \(reply.status) \(reply.text.prefix(300))"
      )
    }
    #expect(try service.request("GET", "/v1/tables/todo").status == 200)
  }

  /// Configurations that follow one another at once, while others edit and poll: nothing is lost, and whoever follows
  /// ends where the table is.
  @Test func reloadsUnderLoadLoseNothing() throws {
    let service = try ServiceProcess("store: {path: \"{folder}/t.sqlite\"}\n" + todoTables)
    let isOver = Monitor(false)
    let start = try service.mirror("todo")
    let followers = (0..<3).map { number in
      Background("follower \(number)") {
        let client = try service.client()
        var mirror = start
        while true {
          // Read before the poll: what was edited before it must be in it.
          let isLast = isOver.current
          let target = "/v1/tables/todo/changes?after=\(mirror.cursor)&wait=\(isLast ? 0 : 1)"
          try mirror.apply(client.request("GET", target).json)
          if isLast { return mirror }
        }
      }
    }
    let reloads = Background("reloads") {
      var count = 0
      while !isOver.current {
        service.signal(SIGHUP)
        count += 1
        Thread.sleep(forTimeInterval: 0.05)
      }
      return count
    }
    let client = try service.client()
    var added: [String] = []
    for number in 0..<120 {
      let reply = try client.request(
        "POST",
        "/v1/tables/todo/items",
        body: ["title": .string("\(number)")],
        seconds: 20
      )
      #expect(reply.status == 201, "\(reply.text)")
      added.append(try required(reply.json["id"]?.text, "an identity"))
    }
    isOver.change { $0 = true }
    _ = try reloads.value()
    let now = try service.mirror("todo")
    #expect(Set(now.rows).isSuperset(of: added) && now.rows.count == added.count + start.rows.count)
    for follower in followers { #expect(try follower.value().rows == now.rows) }
  }
}
