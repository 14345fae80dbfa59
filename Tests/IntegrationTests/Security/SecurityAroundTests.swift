import Foundation
import JSON
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
    ("{\"title\":\"a\",\"title\":\"b\"}", [201, 400, 422]), (deep, [400]),
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
