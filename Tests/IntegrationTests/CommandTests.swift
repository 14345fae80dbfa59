import Foundation
import JSON
import TestSupport
import Testing

/// The commands beside `serve`, as processes.
@Suite struct CommandTests {
  /// An IPv6 address has to have brackets: what follows its last colon could be its own or a port.
  @Test(arguments: ["::1", "::1:8080", "[::1]"]) func anAddressIsToldWhatWouldBeRight(listen: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("store: memory\ntables: {}")
    let serve = try Command(["serve", "--config", "{folder}/tablecast.yaml", "--listen", listen], in: folder)
    #expect(serve.status != 0 && serve.errors.contains("`\(listen)` is no address and port"), "\(serve.errors)")
    #expect(serve.errors.contains("[::1"), "\(serve.errors)")
  }

  @Test func localhostIsAnAddressToListenOn() throws {
    let service = try ServiceProcess("store: memory\ntables: {}", arguments: ["--listen", "localhost:0"])
    #expect(try service.request("GET", "/healthz").status == 200)
  }

  @Test(arguments: ["", "/", "//"]) func healthTakesAnAddressWithASlash(end: String) throws {
    let service = try ServiceProcess("store: memory\ntables: {}")
    let folder = try TemporaryFolder()
    let health = try Command(["health", "--url", "http://127.0.0.1:\(service.port)\(end)"], in: folder)
    #expect(health.status == 0, "\(health.errors)")
  }

  private static func configuration(_ url: String) -> String {
    """
    locales: [en-US, de-DE]
    sources:
      items: {url: "\(url)/${$params.owner}?limit=${$params.limit}", every: 1m, retries: 0, forward: [X-User]}
    cells:
      Label: {fields: {title: string}}
    tables:
      t:
        title: "Of ${$params.owner} (${$locale})"
        source: items
        row: {id: "${number}"}
        forward: [X-User]
        parameters:
          owner: {pattern: "[a-z]+", default: apple}
          limit: {pattern: "[0-9]{1,2}"}
          q: {default: ""}
        cell: Label
        payload: {title: "${title} ${$params.q} ${price | number(2)}"}
    """
  }

  private static func folder(_ configuration: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(configuration)
    return folder
  }

  private static func render(_ arguments: String..., in folder: TemporaryFolder) throws -> Command {
    try Command(["render", "--config", "tablecast.yaml", "--table", "t", "--json"] + arguments, in: folder)
  }

  @Test func renderTakesParametersAsTheServiceDoes() throws {
    let upstream = try ScriptedUpstream { request in
      .json([["number": 1, "title": .string(request.headers["x-user"] ?? "nobody"), "price": 1234.5]])
    }
    let folder = try Self.folder(Self.configuration(upstream.url))
    let plain = try Self.render("--parameter", "limit=7", in: folder)
    #expect(plain.status == 0, "\(plain.errors)")
    #expect(upstream.requests.current.map(\.target) == ["/apple?limit=7"])
    let document = try JSONValue(parsing: plain.output)
    #expect(document["title"] == "Of apple (en-US)")
    #expect(document["sections"]?.elements.first?["rows"]?.elements.first?["payload"]?["title"] == "nobody  1,234.50")

    let full = try Self.render(
      "--parameter",
      "limit=7",
      "--parameter",
      "owner=other",
      "--parameter",
      "q=",
      "--header",
      "X-User: ada",
      "--locale",
      "de-DE",
      in: folder
    )
    let other = try JSONValue(parsing: full.output)
    #expect(other["title"] == "Of other (de-DE)")
    #expect(other["sections"]?.elements.first?["rows"]?.elements.first?["payload"]?["title"] == "ada  1.234,50")
    #expect(upstream.requests.current.last?.target == "/other?limit=7")

    let refused: [([String], String)] = [
      ([], "“limit” is missing"), (["--parameter", "limit=777"], "does not match `[0-9]{1,2}`"),
      (["--parameter", "limit=7", "--parameter", "ower=a"], "did you mean “owner”?"),
      (["--parameter", "limit=7", "--header", "X-Other: 1"], "forwards no header `X-Other`"),
      (["--parameter", "limit=7", "--locale", "fr"], "no locale `fr`: en-US, de-DE"),
    ]
    for (arguments, says) in refused {
      let command = try Command(["render", "-c", "tablecast.yaml", "-t", "t"] + arguments, in: folder)
      #expect(command.status != 0 && command.errors.contains(says), "\(arguments): \(command.errors)")
    }
    #expect(upstream.requests.current.count == 2)
  }

  /// It says what it doesn't show: rows beyond the window, further pages, a lookup that has failed.
  @Test func renderSaysWhatIsMissing() throws {
    let upstream = try ScriptedUpstream([])
    upstream.answer { request in
      if request.target.hasPrefix("/users") { return .status(500, "{\"message\":\"out of order\"}") }
      let items = (1...1200).map { issue($0) }
      return .reply(200, ["Link": "</items?page=2>; rel=\"next\""], .array(items))
    }
    let folder = try TemporaryFolder()
    try folder.write(
      """
      sources:
        items: {url: "\(upstream.url)/items", retries: 0}
        users: {url: "\(upstream.url)/users", retries: 0}
      tables:
        t:
          source: items
          row: {id: "${number}"}
          lookups: {user: {source: users, key: id, on: number}}
          cell: TableViewCellWithLabel
          payload: {title: "${title} ${$user.name}"}
          sections: [{id: all}, {id: none, where: number < 0}]
      """
    )
    let drawn = try Command(["render", "--config", "tablecast.yaml", "--table", "t", "--rows", "100"], in: folder)
    #expect(drawn.status == 1, "a lookup has failed")
    #expect(drawn.output.contains("100 of 1,200 rows"))
    #expect(drawn.output.contains("1 section without rows, not shown"))
    #expect(drawn.errors.contains("source `users`: The upstream fails") && drawn.errors.contains("out of order"))
    #expect(drawn.errors.contains("source `items`: An upstream names a further page, by `Link: rel=\"next\"`"))
    #expect(!drawn.errors.contains("ExitCode"))
    let told = try Self.render("--rows", "100", in: folder)
    #expect(try JSONValue(parsing: Array(told.output.utf8))["window"] == ["rows": 100, "of": 1200])
  }

  /// A terminal gives some characters two columns.
  @Test func boxesAreAsWideAsTheirTextsAre() throws {
    let long = String(repeating: "長", count: 90)
    let folder = try Self.folder(
      """
      cells: {Label: {fields: {title: string}}}
      tables:
        t:
          source: {local: {items: [{title: 東京の天気}, {title: "sun 🌞, rain 🌧️"}, {title: \(long)}]}}
          cell: Label
          payload: {title: "${title}"}
          sections:
            - id: all
              header: {cell: Label, payload: {title: 見出し}}
              footer: {cell: Label, payload: {title: 終わり}}
      """
    )
    let drawn = try Command(["render", "--config", "tablecast.yaml", "--table", "t"], in: folder)
    #expect(drawn.status == 0, "\(drawn.errors)")
    let lines = drawn.output.split(separator: "\n").filter { "┌├│└".contains($0.first ?? " ") }
    #expect(lines.count > 6)
    for line in lines {
      let columns = line.reduce(0) { $0 + ($1.unicodeScalars.allSatisfy { $0.value < 0x2E80 } ? 1 : 2) }
      #expect(columns == 100, "\(line)")
    }
  }

  @Test func aDefaultOfTheCallerIsCalledThat() throws {
    let folder = try Self.folder(
      """
      auth: {jwt: {issuer: "https://id.example", audience: tablecast, jwks: "https://id.example/keys"}}
      cells: {Label: {fields: {title: string}}}
      tables:
        t:
          source: {local: {items: [{title: a, team: b}]}}
          cell: Label
          payload: {title: "${title}"}
          parameters: {team: {pattern: "[a-z]+", default: "${$caller.claims.team}"}}
          sections: [{id: all, where: team == $params.team}]
      """
    )
    let drawn = try Command(["render", "--config", "tablecast.yaml", "--table", "t"], in: folder)
    #expect(drawn.status == 1 && drawn.errors.contains("its default is made of the caller"), "\(drawn.errors)")
  }

  /// Where the service says so, too.
  @Test func aTitleIsOneOfItsMember() throws {
    let upstream = try ScriptedUpstream([["number": 1, "title": "a", "price": 1]])
    let service = try ServiceProcess("store: memory\n" + Self.configuration(upstream.url))
    for (address, language, title) in [
      ("t;limit=1", "en", "Of apple (en-US)"), ("t;limit=1;owner=ada", "de", "Of ada (de-DE)"),
    ] {
      #expect(try service.snapshot(address, ["Accept-Language": language])["title"] == .string(title))
    }
  }

  @Test func checkWarnsOfWhatCanNotBeMeant() throws {
    let folder = try Self.folder(
      """
      sources:
        s: {url: "http://127.0.0.1:1/", every: 1m}
      cells:
        Label: {fields: {title: optional string}}
      tables:
        a:
          source: s
          row: {id: "${number}"}
          cell: Label
          payload: {title: "${title}"}
          sections: [{id: all, header: {cell: Label, payload: {title: "${title}"}}}]
        b:
          source: s
          row: {id: "${number}"}
          cell: Label
          payload: {title: "${title}"}
          sections: {groupBy: "labels | split(',')"}
        c:
          source: {local: {items: [{labels: [x], title: a}]}}
          cell: Label
          payload: {title: "${title}"}
          sections: {groupBy: labels}
          parameters: {q: {default: ""}}
      """
    )
    let command = try Command(["check", "tablecast.yaml", "--json"], in: folder)
    #expect(command.status == 0, "\(command.output)")
    let diagnostics = try JSONValue(parsing: command.output).elements
    #expect(diagnostics.allSatisfy { $0["severity"] == "warning" })
    let said = diagnostics.map { "\($0["message"]?.text ?? "") | \($0["suggestion"]?.text ?? "")" }
    #expect(said.contains { $0.contains("$items") }, "\(said)")
    #expect(said.count { $0.contains("is a list: no section takes such an item") } == 2, "\(said)")
    #expect(said.count == 3, "\(said)")
  }

  /// A full disk, or a pipe that nobody reads: a command says so, and has failed.
  @Test(arguments: [
    ["generate", "swift", "--config", "tablecast.yaml"], ["render", "--config", "tablecast.yaml", "--table", "t"],
    ["check", "tablecast.yaml"], ["schema"],
  ])
  func whatCanNotBeWrittenIsAFailure(_ arguments: [String]) throws {
    let folder = try Self.folder(
      """
      cells: {Label: {fields: {title: string}}}
      tables: {t: {source: {local: {items: [{title: a}]}}, cell: Label, payload: {title: "${title}"}}}
      """
    )
    let process = Process()
    process.executableURL = try ServiceProcess.executable()
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    let errors = Pipe()
    (process.standardError, process.standardOutput) = (errors, FileHandle(forWritingAtPath: "/dev/full"))
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 1)
    #expect(text.contains("the output can't be written"), "\(text)")
  }

  @Test func aConfigurationThatNeverEndsIsRefused() throws {
    let command = try Command(["check", "/dev/zero"], in: try TemporaryFolder())
    #expect(command.status == 1 && command.output.contains("larger than 64 MB"), "\(command.output)")
  }

  @Test func theDemoRunsAnywhere() throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = try ServiceProcess.executable()
    process.arguments = ["demo", "--listen", "127.0.0.1:0"]
    process.currentDirectoryURL = folder.url
    // A sanitizer that is not told what it is to look for fills the pipe at the end, which nobody reads.
    let sanitizers = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
    process.environment = ["PATH": "/nonexistent", "HOME": folder.url.path].merging(sanitizers) { own, _ in own }
    let errors = Pipe()
    (process.standardError, process.standardOutput) = (errors, FileHandle.nullDevice)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    let log = Unchecked(errors.fileHandleForReading)
    let port = try Background("the address of the demo") { () throws -> UInt16 in
      var text = ""
      while true {
        let data = log.value.availableData
        guard !data.isEmpty else { throw Malformed("the demo ended: \(text)") }
        text += String(decoding: data, as: UTF8.self)
        for line in text.split(separator: "\n") where line.contains("Serving") {
          let address = (try? JSONValue(parsing: String(line)))?["address"]?.text
          if let port = address?.split(separator: ":").last.flatMap({ UInt16($0) }) { return port }
        }
      }
    }.value()
    let client = try HTTPClient(port: port)
    try awaited("departures, as they are now") {
      let departures = try client.request("GET", "/v1/tables/departures").json
      return departures["state"] == "ready" && departures["sections"]?.elements.isEmpty == false
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }
}
