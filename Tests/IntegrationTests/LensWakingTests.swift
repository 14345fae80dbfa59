import JSON
import TestSupport
import Testing

/// What a client's lens does not show wakes nobody: the poll waits, and its cursor moves on all the same.
@Suite struct LensWakingTests {
  private static let configuration = """
    store: memory
    cells:
      Label: {fields: {title: string}}
      Detailed: {fields: {title: string, detail: string}, fallback: Label}
    tables:
      todo:
        source: {local: {items: [{title: A, detail: a}, {title: B, detail: b}], default: {}}}
        cell: Detailed
        payload: {title: "${title}", detail: "${detail}"}
      found:
        source: {local: {items: [{title: A}]}}
        cell: Label
        payload: {title: "${title}"}
        parameters: {q: {default: ""}}
    """

  /// What a poll that waits for so many seconds is told, and whether it waited for as long.
  private func poll(
    _ service: ServiceProcess,
    after cursor: String,
    wait: Int,
    _ headers: [String: String] = [:]
  ) throws -> (reply: JSONValue, hasWaited: Bool) {
    let clock = ContinuousClock()
    let start = clock.now
    let reply = try service.request("GET", "/v1/tables/todo/changes?after=\(cursor)&wait=\(wait)", headers).json
    return (reply, clock.now - start >= .milliseconds(wait * 1000 - 100))
  }

  private func patch(_ service: ServiceProcess, _ change: JSONValue) throws {
    #expect(try service.request("PATCH", "/v1/tables/todo/items/2", body: change).status == 200)
  }

  @Test func aChangeInACellThatIsNotShownWakesNobody() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let cells = ["Accept-Cells": "Label"]
    let cursor = try service.request("GET", "/v1/tables/todo", cells).json["cursor"]?.text ?? ""
    try patch(service, ["detail": "another"])
    let unseen = try poll(service, after: cursor, wait: 1, cells)
    #expect(unseen.hasWaited && unseen.reply["stages"] == [])
    #expect(unseen.reply["to"] != unseen.reply["from"])
    try patch(service, ["title": "C"])
    let seen = try poll(service, after: cursor, wait: 50, cells)
    #expect(!seen.hasWaited && seen.reply["stages"]?.elements.count == 1)
    // Whoever is shown the cell itself is told of both.
    let plain = try poll(service, after: String(cursor.prefix { $0 != "~" }), wait: 50)
    #expect(!plain.hasWaited)
  }

  @Test func whatCameAndWentWakesNobody() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let cursor = try service.mirror("todo").cursor
    try patch(service, ["title": "C"])
    try patch(service, ["title": "B"])
    let reply = try poll(service, after: cursor, wait: 1)
    #expect(reply.hasWaited && reply.reply["stages"] == [])
    #expect(reply.reply["to"] != reply.reply["from"])
  }

  @Test func aMemberUnderTwoSpellingsIsNamedTwice() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let reply = try service.request("GET", "/v1/changes?wait=0&after=found:&after=found%3Bq%3D:")
    let problem = try reply.json
    #expect(reply.status == 400 && problem["field"] == "after")
  }

  @Test func aRefreshAnswersWithACursorOfItsView() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let cursor = try service.mirror("todo").cursor
    let reply = try service.request("POST", "/v1/tables/todo/refresh?view=v")
    let answer = try reply.json
    #expect(reply.status == 200 && answer["cursor"]?.text == cursor)
  }
}
