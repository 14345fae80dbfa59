import Foundation
import JSON
import TestSupport
import Testing

/// What expressions may cost, whoever sends what they read. Work is counted, so that no test needs a clock.
@Suite struct SecurityWorkTests {
  /// The dearest item that an editor may send: a list, and a text that is read for each of its elements.
  private static func hostile(_ bytes: Int) -> JSONValue {
    [
      "title": "hostile", "s": .string(String(repeating: "x", count: bytes / 2)),
      "a": .array((0..<bytes / 4).map { .integer(Int64($0 % 10)) }),
    ]
  }

  /// It is refused before it is stored, with the reason; others' edits go on, as does the table after a restart.
  @Test(arguments: [
    "a | map(s | upper | length) | length", "a | map(a | hash) | length", "a | map('y' in s) | length",
    "a | map(a == a) | length",
  ])
  func anItemThatIsTooMuchWorkIsRefused(_ work: String) throws {
    let configuration = """
      store: memory
      tables:
        list:
          source: {local: {items: [{title: A}]}}
          cell: TableViewCellWithLabel
          payload: {title: "${title} ${\(work)}"}
      """
    let service = try ServiceProcess(configuration)
    let hostile = Self.hostile(242 << 10)
    for (method, path) in [("POST", "items"), ("PATCH", "items/1")] {
      let reply = try service.request(method, "/v1/tables/list/\(path)", body: hostile)
      #expect(reply.status == 422, "\(method): \(reply.status)")
      #expect(reply.text.contains("too much work, more than 100 million steps"), "\(reply.text.prefix(300))")
      #expect(reply.text.contains("title"), "the field: \(reply.text.prefix(300))")
    }
    let reply = try service.request("POST", "/v1/tables/list/items", body: ["title": "B"])
    #expect(reply.status == 201, "\(reply.text)")
    #expect(try service.mirror("list").rows.count == 2)
  }

  /// Each item may be dear, but not as many as a table takes: the edit that makes it too much is refused.
  @Test func itemsThatAreTooMuchWorkTogetherAreRefused() throws {
    let service = try ServiceProcess(
      """
      store: memory
      limits: {mappingWork: 1000}
      tables:
        list:
          source: {local: {items: [{title: A}]}}
          cell: TableViewCellWithLabel
          payload: {title: "${title} ${a | map(s | upper | length) | length}"}
      """
    )
    // Each takes a good part of what 10,000 items may.
    let dear = Self.hostile(1_600)
    #expect(try service.request("POST", "/v1/tables/list/items", body: dear).status == 201)
    let replies = try (0..<8).map { _ in try service.request("POST", "/v1/tables/list/items", body: dear) }
    #expect(replies.last?.status == 413, "\(replies.map(\.status))")
    #expect(replies.last?.text.contains("`limits.mappingWork`") == true, "\(replies.last?.text ?? "")")
    #expect(try service.request("POST", "/v1/tables/list/items", body: ["title": "B"]).status == 201)
  }

  /// An upstream's item that takes too much is unfit, and the others are shown. Where all of an answer takes too much, the
  /// table is stale and says why, until there is another.
  @Test func anAnswerThatIsTooMuchWorkIsTheTablesProblem() throws {
    func item(_ number: Int, _ bytes: Int) -> JSONValue {
      guard case .object(let members) = Self.hostile(bytes) else { return .null }
      return .object([.init(name: "id", value: .integer(Int64(number)))] + members)
    }
    let upstream = try ScriptedUpstream([item(1, 100)])
    let service = try ServiceProcess(
      """
      store: memory
      limits: {mappingWork: 1000}
      sources:
        list: {url: "\(upstream.url)/list", every: 0s, retries: 0}
      tables:
        list:
          source: list
          row: {id: "${id}"}
          cell: TableViewCellWithLabel
          payload: {title: "${title} ${a | map(s | upper | length) | length}"}
      """
    )
    try service.follow("list", until: "is ready") { $0.state == "ready" }
    func refresh(_ items: [JSONValue], _ state: String, _ words: String) throws {
      upstream.answer(.json(.array(items)))
      #expect(try service.request("POST", "/v1/tables/list/refresh").json["state"]?.text == state)
      let problem = String(decoding: (try service.mirror("list").attributes["problem"] ?? .null).bytes, as: UTF8.self)
      #expect(words.isEmpty ? problem == "null" : problem.contains(words), "\(words): \(problem)")
      #expect(try service.mirror("list").rows == ["1"])
    }
    let dear = [item(1, 100)] + (2...8).map { item($0, 10_000) }
    try refresh(dear, "stale", "`limits.mappingWork`")
    try refresh(dear, "stale", "`limits.mappingWork`")
    try refresh([item(1, 100)], "ready", "")
  }

  /// One item that is too much work is left out, with the reason, and no other one.
  @Test func anUpstreamsItemThatIsTooMuchWorkIsLeftOut() throws {
    guard case .object(let members) = Self.hostile(728_000) else { return }
    let upstream = try ScriptedUpstream([
      ["id": 1, "title": "A", "a": [], "s": ""], .object([.init(name: "id", value: 2)] + members),
      ["id": 3, "title": "C", "a": [1], "s": "x"],
    ])
    let service = try ServiceProcess(
      """
      store: memory
      sources:
        list: {url: "\(upstream.url)/list", every: 0s, retries: 0}
      tables:
        list:
          source: list
          row: {id: "${id}"}
          cell: TableViewCellWithLabel
          payload: {title: "${title} ${a | map(s | upper | length) | length}"}
      """
    )
    let mirror = try service.follow("list", until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["1", "3"])
    try service.logged("too much work, more than 100 million steps")
  }
}
