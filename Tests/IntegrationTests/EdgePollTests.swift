import Foundation
import JSON
import TestSupport
import Testing

/// Polls through caches: by slots instead of times to wait.
@Suite struct EdgePollTests {
  private let configuration = """
    store: memory
    cells: {Label: {nib: Label, fields: {title: string}}}
    tables:
      open:
        edges: true
        source: {local: {items: [{title: A}]}}
        cell: Label
        payload: {title: "${title}"}
      closed:
        source: {local: {items: [{title: A}]}}
        cell: Label
        payload: {title: "${title}"}
    """

  @Test func aSlotIsWaitedInAndNamesTheNextOne() throws {
    let service = try ServiceProcess(configuration)
    let snapshot = try service.request("GET", "/v1/tables/open").json
    #expect(snapshot["edges"] == true)
    let cursor = try required(snapshot["cursor"]?.text, "a cursor")
    // The first poll learns the slot, at once.
    let first = try service.request("GET", "/v1/tables/open/changes?after=\(cursor)&slot=0")
    #expect(try first.json["stages"] == [] && first.json["from"] == first.json["to"])
    #expect(first["Cache-Control"] == "public, max-age=1")
    guard case .integer(let slot)? = try first.json["slot"] else { throw Missing(what: "slot in \(first.text)") }
    #expect(first["Link"] == "</v1/tables/open/changes?after=\(cursor)&slot=\(slot)>; rel=\"next\"")
    // Whoever asks for another one is told at once, too.
    #expect(try service.request("GET", "/v1/tables/open/changes?after=\(cursor)&slot=\(slot - 5)").json["stages"] == [])
    let client = try service.client()
    try client.send("GET", "/v1/tables/open/changes?after=\(cursor)&slot=\(slot)")
    _ = try service.request("POST", "/v1/tables/open/items", body: ["title": "B"])
    let changed = try client.receive("the slot's reply")
    #expect(try changed.json["from"]?.text == cursor && changed.json["slot"] != nil)
    if try changed.json["stages"] != [] { #expect(changed["Cache-Control"] == "public, max-age=60") }
    let reset = try service.request("GET", "/v1/tables/open/changes?after=0011223344aa.1&slot=0")
    #expect(try reset.json["reset"] == "epoch" && reset.json["slot"] != nil && reset["Cache-Control"] == "no-store")
  }

  /// What changed lies beyond the window: something may happen in it as soon as in any other one.
  @Test func aReplyWithoutStagesIsKeptForASecond() throws {
    let service = try ServiceProcess(configuration)
    _ = try service.request("POST", "/v1/tables/open/items", body: ["title": "B"])
    let snapshot = try service.request("GET", "/v1/tables/open?rows=1").json
    let cursor = try required(snapshot["cursor"]?.text, "a cursor")
    #expect(try service.request("PATCH", "/v1/tables/open/items/2", body: ["title": "C"]).status == 200)
    let reply = try service.request("GET", "/v1/tables/open/changes?after=\(cursor)&slot=0")
    #expect(try reply.json["stages"] == [] && reply.json["to"]?.text != cursor, "\(reply.text)")
    #expect(reply["Cache-Control"] == "public, max-age=1")
  }

  /// Whoever follows the table is told, and no cursor stands for two snapshots.
  @Test func whatIsForEdgesNoMoreIsAnotherVersion() throws {
    let service = try ServiceProcess(configuration)
    let before = try service.request("GET", "/v1/tables/open")
    let cursor = try required(try before.json["cursor"]?.text, "a cursor")
    let poll = try service.poll("open", after: cursor)
    try service.awaitPolls(1)
    try service.folder.write(configuration.replacingOccurrences(of: "edges: true", with: "edges: false"))
    service.signal(SIGHUP)
    #expect(try poll.value().json["stages"] == [["edges": nil]])
    let after = try service.request("GET", "/v1/tables/open", ["If-None-Match": before["ETag"]])
    #expect(try after.status == 200 && after.json["edges"] == nil)
    #expect(try service.request("GET", "/v1/tables/open/changes?after=\(cursor)&slot=0").status == 400)
  }

  /// The slot lasts longer than its caller's token.
  @Test func aPollBySlotsEndsWithItsToken() throws {
    let issuer = try Issuer()
    let jwt = issuer.configuration(", leeway: 1s")
    let service = try ServiceProcess(configuration + "\nauth: {jwt: \(jwt)}\n")
    let target = "/v1/tables/open/changes?after=\(try service.mirror("open").cursor)&slot="
    try awaited("a slot with ten seconds left") {
      Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 20) < 10
    }
    let end = (Date().timeIntervalSince1970 + 1).rounded(.up)
    let headers = issuer.token("ada", ["exp": .double(end)])
    let slot = try required(service.request("GET", target + "0", headers).json["slot"]?.number, "a slot")
    let reply = try service.client().request("GET", "\(target)\(slot)", headers)
    #expect(reply.status == 401 && reply["WWW-Authenticate"].contains("invalid_token"), "\(reply.text)")
    let late = Date().timeIntervalSince1970 - end - 1
    #expect(late > -0.05 && late < 3, "\(late) s after the token's end")
  }

  @Test func whatDependsOnWhoAsksHasNoSlots() throws {
    let service = try ServiceProcess(configuration)
    let cursor = try service.mirror("open").cursor
    for target in [
      "closed/changes?after=\(try service.mirror("closed").cursor)&slot=0",
      "open/changes?after=\(cursor)&slot=0&wait=5",
      "open/changes?after=\(cursor)&slot=0&view=v", "open/changes?after=\(cursor)&slot=x", "open/changes?slot=0",
    ] {
      let reply = try service.request("GET", "/v1/tables/\(target)")
      #expect(reply.status == 400, "\(target): \(reply.text)")
    }
    #expect(try service.request("GET", "/v1/tables/closed").json["edges"] == nil)
  }

  private struct Missing: Error { var what: String }
}
