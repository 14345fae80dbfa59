import JSON
import TestSupport
import Testing

/// Changes that come before the sources have answered for the first time, as after a restart: what a client has kept must not be
/// refused for good because the service does not know its rows yet.
@Suite struct EarlyEditTests {
  @Test func changesOfUnknownRowsAreForLater() throws {
    let upstream = try ScriptedUpstream { _ in .silence }
    let service = try ServiceProcess(
      """
      store: memory
      sources:
        items: {url: "\(upstream.url)/items", every: 1h, timeout: 30s}
      tables:
        t:
          source: items
          row: {id: "${number}"}
          cell: TableViewCellWithLabel
          payload: {title: "${title}"}
          actions: {close: {title: Close, request: {method: POST, url: "\(upstream.url)/items/${$id}/close"}}}
          edits:
            patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}
      """
    )
    let changes: [(method: String, path: String)] = [
      ("PATCH", "items/1"), ("POST", "rows/1/actions/close"), ("POST", "rows/1/tap?view=mine"),
    ]
    func answers() throws -> [Reply] {
      try changes.map { change in
        // The same key each time, as clients repeat what is not decided.
        let fields = ["Idempotency-Key": "key of \(change.path)"]
        return try service.request(change.method, "/v1/tables/t/\(change.path)", fields, body: ["title": "One!"])
      }
    }
    #expect(try service.request("GET", "/v1/tables/t").json["state"] == "loading")
    for reply in try answers() {
      #expect(reply.status == 503 && reply["Retry-After"] == "1", "\(reply.text)")
      #expect(try reply.json["detail"]?.text?.contains("not known yet whether `t` has a row `1`") == true)
    }
    upstream.answer {
      $0.method == "GET" ? .json([issue(1, "open", "One")]) : .reply(200, [:], issue(1, "open", "One!"))
    }
    _ = try service.follow("t", until: "has its row") { $0.rows == ["1"] }
    for reply in try answers() { #expect(reply.status == 200, "\(reply.text)") }
    let gone = try service.request("PATCH", "/v1/tables/t/items/2", body: ["title": "Two"])
    #expect(gone.status == 404, "all have answered: it is known")
  }
}
