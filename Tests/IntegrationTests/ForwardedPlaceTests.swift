import JSON
import TestSupport
import Testing

/// Items that an upstream has added or replaced at a place: the answer's cursor has them there, before the upstream is
/// asked again.
@Suite struct ForwardedPlaceTests {
  private static func configuration(_ url: String, sort: String = "") -> String {
    """
    store: memory
    sources:
      items: {url: "\(url)/items", every: 1h, retries: 0}
    cells:
      Label: {nib: Label, fields: {title: string}}
    tables:
      t:
        source: items
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: main\(sort)}]
        can: {edit: true, move: true}
        edits:
          insert: {method: PUT, url: "\(url)/items/${$id}", body: "${$edit}"}
          replace: {url: "\(url)/items/${$id}", body: "${$edit}"}
          move: {url: "\(url)/items/${$id}/position", body: "${$edit}"}
    """
  }

  private static func item(_ id: String, _ title: String) -> JSONValue { ["id": .string(id), "title": .string(title)] }

  /// An upstream whose list takes its time once it was read.
  ///
  /// - Parameter listed: the list from then on.
  private static func upstream(_ listed: [JSONValue]) throws -> ScriptedUpstream {
    let fetches = Monitor(0)
    let first: [JSONValue] = [item("a", "A"), item("b", "B"), item("c", "C")]
    return try ScriptedUpstream { request in
      guard request.method == "GET" else {
        var edited = (try? JSONValue(parsing: request.body)) ?? .null
        edited["id"] = .string(request.target.split(separator: "/").last.map(String.init) ?? "")
        return .json(edited)
      }
      let number = fetches.change { count -> Int in
        count += 1
        return count
      }
      return number == 1 ? .json(.array(first)) : .late(3, .array(listed))
    }
  }

  @Test(
    arguments: [
      ("d?before=a", "d a b c"), ("d?after=a", "a d b c"), ("d?section=main&at=2", "a b d c"),
      ("d?section=main", "a b c d"), ("d", "a b c d"), ("c?before=a", "c a b"), ("a?section=main&at=1", "b a c"),
      ("a?after=c", "b c a"), ("a?section=main", "b c a"), ("b", "a b c"),
    ]
  )
  func anItemStandsWhereItWasAskedFor(_ target: String, _ rows: String) throws {
    let rows = rows.split(separator: " ").map(String.init)
    let upstream = try Self.upstream(rows.map { Self.item($0, "New") })
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("t", until: "is ready") { $0.rows == ["a", "b", "c"] }
    let started = ContinuousClock.now
    let reply = try service.request("PUT", "/v1/tables/t/items/\(target)", body: ["title": "New"])
    #expect([200, 201].contains(reply.status), "\(reply.text)")
    let shown = try service.mirror("t")
    #expect(try reply.json["cursor"]?.text == shown.cursor)
    #expect(shown.rows == rows)
    #expect(shown.row(String(target.prefix(1)))?["payload"]?["title"] == "New")
    #expect(ContinuousClock.now - started < .seconds(2.5), "it has not waited for the list")
  }

  /// In an order of the upstream's own the place is not known before the list is: the answer waits for it.
  @Test(arguments: ["d?before=a", "c?before=a"]) func anItemThatStandsElsewhereWaitsForTheList(_ target: String) throws
  {
    let id = String(target.prefix(1))
    let others = ["a", "b", "c"].filter { $0 != id }
    let upstream = try Self.upstream(others.map { Self.item($0, $0) } + [Self.item(id, "Z, as listed")])
    let service = try ServiceProcess(Self.configuration(upstream.url, sort: ", sort: title"))
    try service.follow("t", until: "is ready") { $0.rows == ["a", "b", "c"] }
    let reply = try service.request("PUT", "/v1/tables/t/items/\(target)", body: ["title": "Z"])
    #expect([200, 201].contains(reply.status), "\(reply.text)")
    let shown = try service.mirror("t")
    #expect(try reply.json["cursor"]?.text == shown.cursor)
    #expect(shown.row(id)?["payload"]?["title"] == "Z, as listed")
  }
}
