import Foundation
import JSON
import TestSupport
import Testing

/// Moves that an upstream has accepted: the answer's cursor has them, before the upstream is asked again.
@Suite struct ForwardedMoveTests {
  private static func configuration(_ url: String, body: String, sort: String = "") -> String {
    """
    store: memory
    sources:
      items: {url: "\(url)/items", every: 1h, retries: 0}
    cells:
      Label: {nib: Label, fields: {title: string}}
    tables:
      t:
        source: items
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title} ${state}"}
        sections: {groupBy: state, order: [open, closed]\(sort)}
        edits:
          move: {method: PATCH, url: "\(url)/items/${$id}", body: \(body)}
    """
  }

  /// An upstream whose list takes its time once it was read.
  private static func upstream(answersItem: Bool) throws -> (ScriptedUpstream, Monitor<[JSONValue]>) {
    let items = Monitor([issue(1, "open", "One"), issue(2, "open", "Two"), issue(3, "closed", "Three")])
    let fetches = Monitor(0)
    let server = try ScriptedUpstream([])
    server.answer { request in
      guard request.method == "PATCH" else {
        return fetches.change {
          $0 += 1; return $0
        } == 1
          ? .json(.array(items.current)) : .late(3, .array(items.current))
      }
      let body = (try? JSONValue(parsing: request.body)) ?? .null
      return items.change { items in
        guard let index = items.firstIndex(where: { request.target.hasSuffix("/\($0["number"]?.number ?? 0)") }),
          let state = body["state"] ?? body["to"] ?? body["section"]
        else { return .status(404, "{}") }
        items[index]["state"] = state
        return answersItem ? .json(items[index]) : .json(["ok": true])
      }
    }
    return (server, items)
  }

  /// What was sent says it, or what was answered, or the section that was asked for.
  @Test(
    arguments: ["{state: \"${$edit.section}\"}", "{to: \"${$edit.section}\"}", "\"${$edit}\""],
    [false, true]
  )
  func aMoveIsShownWithItsAnswer(_ body: String, _ answersItem: Bool) throws {
    let (upstream, _) = try Self.upstream(answersItem: answersItem)
    let service = try ServiceProcess(Self.configuration(upstream.url, body: body))
    try service.follow("t", until: "is ready") { $0.titles == [["One open", "Two open"], ["Three closed"]] }
    let started = ContinuousClock.now
    let reply = try service.request("POST", "/v1/tables/t/items/1/move", body: ["section": "closed"])
    #expect(reply.status == 200, "\(reply.text)")
    let shown = try service.mirror("t")
    #expect(try reply.json["cursor"]?.text == shown.cursor)
    #expect(shown.titles == [["Two open"], ["Three closed", "One closed"]])
    #expect(ContinuousClock.now - started < .seconds(2.5), "it has not waited for the list")
  }

  /// Two groups whose names differ only in spelling are two, as the upstream has them.
  @Test(arguments: ["{state: \"${$edit.section}\"}", "{to: \"${$edit.section}\"}"], [false, true])
  func aMoveIntoAGroupOfAnotherSpellingIsShown(_ body: String, _ answersItem: Bool) throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let (upstream, items) = try Self.upstream(answersItem: answersItem)
    items.change { $0 = [issue(1, composed), issue(2, composed), issue(3, decomposed)] }
    let service = try ServiceProcess(Self.configuration(upstream.url, body: body))
    try service.follow("t", until: "is ready") { $0.titles.map(\.count) == [2, 1] }
    let started = ContinuousClock.now
    let reply = try service.request("POST", "/v1/tables/t/items/1/move", body: ["section": .string(decomposed)])
    #expect(reply.status == 200, "\(reply.text)")
    let shown = try service.mirror("t")
    #expect(try reply.json["cursor"]?.text == shown.cursor)
    #expect(shown.sections.map { Array($0.id.utf8) } == [composed, decomposed].map { Array($0.utf8) })
    #expect(shown.sections.map { $0.rows.compactMap { $0["id"]?.text } } == [["2"], ["3", "1"]])
    #expect(ContinuousClock.now - started < .seconds(2.5), "it has not waited for the list")
  }

  /// Whoever names the row beside has named its section: an upstream that is told that alone was told `null`.
  @Test(arguments: ["before", "after"])
  func aRowThatGoesBesideAnotherGoesIntoItsSection(_ side: String) throws {
    let (upstream, items) = try Self.upstream(answersItem: true)
    let service = try ServiceProcess(Self.configuration(upstream.url, body: "{state: \"${$edit.section}\"}"))
    try service.follow("t", until: "is ready") { $0.titles == [["One open", "Two open"], ["Three closed"]] }
    let reply = try service.request("POST", "/v1/tables/t/items/1/move", body: [side: "3"])
    #expect(reply.status == 200, "\(reply.text)")
    #expect(items.current[0]["state"]?.text == "closed")
    #expect(try service.mirror("t").sections.map(\.id) == ["open", "closed"])
  }

  /// In an order of the upstream's own the place is not known before the list is: the answer waits for it.
  @Test func aMoveThatStandsElsewhereWaitsForTheList() throws {
    let (upstream, _) = try Self.upstream(answersItem: true)
    let configuration = Self.configuration(upstream.url, body: "\"${$edit}\"", sort: ", sort: title")
    let service = try ServiceProcess(configuration)
    try service.follow("t", until: "is ready") { $0.titles == [["One open", "Two open"], ["Three closed"]] }
    let reply = try service.request("POST", "/v1/tables/t/items/1/move", body: ["section": "closed", "at": 1])
    #expect(reply.status == 200, "\(reply.text)")
    let shown = try service.mirror("t")
    #expect(try reply.json["cursor"]?.text == shown.cursor)
    #expect(shown.titles == [["Two open"], ["One closed", "Three closed"]])
  }
}
