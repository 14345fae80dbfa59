import JSON
import TestSupport
import Testing

/// Windows out of the middle, as clients ask for them: `rows=F-T`.
@Suite struct MiddleWindowTests {
  private static let configuration = """
    store: memory
    cells:
      Label: {fields: {title: string}}
    tables:
      t:
        source: {local: {items: [ITEMS], default: {title: New, group: a}}}
        cell: Label
        payload: {title: "${title}"}
        sections: {groupBy: group}
    """

  /// Ten rows in section `a`, then ten in `b`: row 1 is the first.
  private static func service() throws -> ServiceProcess {
    let items = (0..<20).map { "{title: i\($0), group: \($0 < 10 ? "a" : "b")}" }
    let text = configuration.replacing("ITEMS", with: items.joined(separator: ", "))
    return try ServiceProcess(text, arguments: ["--insecure"])
  }

  @Test func theFirstRowsHaveOneName() throws {
    let service = try Self.service()
    let (one, other) = (
      try service.request("GET", "/v1/tables/t?rows=0-4"), try service.request("GET", "/v1/tables/t?rows=5")
    )
    #expect(one.body == other.body && one.headers["etag"] == other.headers["etag"])
    let snapshot = try one.json
    #expect(snapshot["window"] == ["rows": 5, "of": 20] && snapshot["cursor"]?.text?.hasSuffix("~r5") == true)
  }

  @Test(
    "What is no window is told what would be right",
    arguments: [
      ("9-3", "rows=3-9"), ("0-10000", "rows=0-9999"), ("5-10005", "rows=5-10004"), ("-5", "rows=0-5"),
      ("5-", "rows=5-54"), ("0", "1 to 10000"), ("10001", "1 to 10000"), ("", "rows=100-149"), ("-", "rows=100-149"),
      ("1-2-3", "rows=100-149"), ("a", "rows=100-149"), ("1-b", "rows=100-149"),
      ("9007199254740991-9007199254740992", "9007199254740991"),
      ("99999999999999999999", "rows=100-149"), ("1-99999999999999999999", "rows=100-149"), ("-99999", "rows=100-149"),
    ]
  )
  func refusals(_ rows: String, _ right: String) throws {
    let service = try Self.shared.get()
    for path in ["/v1/tables/t", "/v1/tables/t/changes", "/v1/tables/t/stream"] {
      let reply = try service.request("GET", "\(path)?rows=\(rows)")
      let problem = try reply.json
      #expect(reply.status == 400 && problem["field"]?.text == "rows", "\(reply.text)")
      #expect(problem["detail"]?.text?.contains(right) == true, "\(reply.text)")
    }
  }

  private static let shared = Result { try service() }

  /// Only what is seen through it wakes it; what it skips comes with the next reply.
  @Test func whatMovesAboveAloneWakesNobody() throws {
    let service = try Self.service()
    let (editor, waiter) = (try service.client(), try service.client())
    var table = try service.mirror("t", query: "?rows=12-14")
    #expect(
      table.sections.map(\.id) == ["b"] && table.sections.first?.skipped == 2 && table.rows == ["13", "14", "15"]
    )
    try waiter.send("GET", "/v1/tables/t/changes?after=\(table.cursor)&wait=30")
    try service.awaitPolls(1)
    func edit(_ method: String, _ path: String, _ body: JSONValue? = nil) throws {
      let reply = try editor.request(method, "/v1/tables/t/\(path)", body: body)
      #expect([200, 201].contains(reply.status), "\(reply.text)")
    }
    try edit("PATCH", "items/1", ["title": "changed"])
    try edit("DELETE", "items/20")
    // One more in `a`, one less in `b`, as one version: the same rows, of which one less is skipped.
    try edit("POST", "items/11/move", ["section": "a", "at": 10])
    let idle = try editor.request("GET", "/v1/tables/t/changes?after=\(table.cursor)&wait=0").json
    let update: JSONValue = ["at": 0, "id": "b", "header": .null, "footer": .null, "skipped": 1]
    #expect(
      idle["stages"]?.elements == [["sections": ["update": [update]], "window": ["from": 12, "rows": 3, "of": 19]]],
      "\(idle)"
    )
    try service.awaitPolls(1)
    try edit("DELETE", "items/2")
    let woken = try waiter.receive("what moved").json
    try table.apply(woken)
    try table.check(equals: service.snapshot("t", query: "?rows=12-14"))
    #expect(table.sections.first?.skipped == 2 && table.rows == ["14", "15", "16"])
    // All that was skipped is gone: 0 is told.
    for row in [1, 3, 4, 5, 6, 7, 8, 9, 10, 11] { try edit("DELETE", "items/\(row)") }
    try table.apply(service.changes("t", after: table.cursor, query: "&rows=0-2"))
    #expect(table.sections.first?.skipped == 0 && table.attributes["window"] == ["rows": 3, "of": 8])
    try table.apply(service.changes("t", after: table.cursor, query: "&rows=100-200"))
    #expect(table.sections.isEmpty && table.attributes["window"] == ["from": 100, "rows": 101, "of": 8])
    try table.apply(service.changes("t", after: table.cursor, query: "&rows=all"))
    try table.check(equals: service.snapshot("t"))
  }
}
