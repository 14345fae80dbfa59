import Foundation
import JSON
import TestSupport
import Testing

/// Who may read and edit, by tokens.
@Suite struct TokenTests {
  @Test func tokensAllowWhatTheySay() throws {
    let (editor, elsewhere) = (try sha256("editor-token"), try sha256("elsewhere-token"))
    let service = try ServiceProcess(
      todo + """

        auth:
          tokens:
            - {name: editor, sha256: "\(editor)", allow: [read, edit]}
            - {name: elsewhere, sha256: "\(elsewhere)", allow: [read, edit], tables: [other*]}
        """
    )
    let add = { (token: String?) in
      try service.request(
        "POST",
        "/v1/tables/todo/items",
        token.map { ["Authorization": "Bearer \($0)"] } ?? [:],
        body: [:]
      )
    }
    #expect(try service.request("GET", "/v1/tables/todo").status == 200)
    for (token, status) in [(nil, 401), ("wrong", 401), ("elsewhere-token", 403), ("editor-token", 201)] {
      let reply = try add(token)
      #expect(reply.status == status, "\(token ?? "none"): \(reply.text)")
      if status == 401 { #expect(reply["WWW-Authenticate"].hasPrefix("Bearer")) }
    }
  }

  /// A tap is answered with the row and its item.
  @Test(arguments: [true, false]) func whoMayOnlyEditIsShownNoRow(isClosed: Bool) throws {
    let service = try ServiceProcess(
      """
      sources: {todo: {local: {items: [{title: A}, {title: B}]}}}
      tables: {todo: {source: todo, sharedTaps: true}}
      auth:
        reading: \(isClosed ? "tokens" : "open")
        tokens: [{name: editor, sha256: "\(try sha256("editor-token"))", allow: [edit]}]
      """
    )
    let token = ["Authorization": "Bearer editor-token"]
    for (method, path) in [("POST", "rows/1/tap"), ("GET", "skipped"), ("GET", "rows/1/placement")] {
      let reply = try service.request(method, "/v1/tables/todo/\(path)", token)
      #expect(reply.status == (isClosed ? 403 : 200), "\(path): \(reply.text)")
    }
    let added = try service.request("POST", "/v1/tables/todo/items", token, body: ["title": "C"])
    #expect(added.status == 201, "\(added.text)")
  }

  @Test func readingCanBeClosed() throws {
    let service = try ServiceProcess(
      todo + """

        auth:
          reading: tokens
          tokens:
            - {name: reader, sha256: "\(try sha256("reader-token"))", allow: [read], tables: [todo]}
            - {name: elsewhere, sha256: "\(try sha256("elsewhere-token"))", allow: [read], tables: [other*]}
        """
    )
    let cases: [(token: String?, status: Int)] = [(nil, 401), ("elsewhere-token", 403), ("reader-token", 200)]
    for (token, status) in cases {
      let headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
      for target in ["todo", "todo/rows?at=0,0", "todo/changes", "todo/rows/1", "todo/items/1"] {
        let reply = try service.request("GET", "/v1/tables/\(target)", headers)
        #expect(reply.status == status, "\(token ?? "none") \(target): \(reply.text)")
      }
      let several = try service.request("GET", "/v1/changes?after=todo:&wait=0", headers).json["changes"]?.elements
      #expect(several?.first?["problem"]?["status"] == (status == 200 ? nil : .integer(Int64(status))))
      let list = try service.request("GET", "/v1/tables", headers)
      #expect(list.status == (token == nil ? 401 : 200))
      if token != nil {
        #expect(list["Cache-Control"] == "private, no-cache" && list["Vary"].contains("Authorization"))
        #expect(try list.json["tables"]?.elements.count == (status == 200 ? 1 : 0))
      }
      #expect(
        try service.request("POST", "/v1/tables/todo/items", headers, body: [:]).status == (token == nil ? 401 : 403)
      )
    }
  }
}

/// Of a token, as a person gets it by `sha256sum`.
func sha256(_ text: String) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["sh", "-c", "printf %s \"$0\" | sha256sum", text]
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(String(decoding: output, as: UTF8.self).prefix(64))
}
