import Foundation
import JSON
import TestSupport
import Testing

/// A reload makes the rows of a table depend on who asks, or no longer: the table is still there, and whoever waits for it is
/// shown what a new request of theirs would be.
@Suite struct CallersReloadTests {
  private static func configuration(_ issuer: Issuer, isShared: Bool, _ auth: String = "") -> String {
    """
    store: memory
    auth: {\(auth)jwt: \(issuer.configuration())}
    cells: {Label: {fields: {title: string}}}
    tables:
      own:
        source: {local: {items: [{owner: alice, title: a1}, {owner: bob, title: b1}]}}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: own, where: \(isShared ? "owner != null" : "owner == $caller.claims.sub")}]
    """
  }

  private static func reload(_ service: ServiceProcess, _ configuration: String) throws {
    try service.folder.write(configuration)
    service.signal(SIGHUP)
  }

  @Test(arguments: [true, false])
  func whoeverWaitsIsLedToTheirRows(wereShared: Bool) throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(Self.configuration(issuer, isShared: wereShared))
    let headers = issuer.token("bob")
    let before = try service.mirror("own", headers)
    let one = try service.poll("own", after: before.cursor, headers)
    let several = Background("a poll of several") {
      try service.request("GET", "/v1/changes?after=own:\(before.cursor)&wait=50", headers)
    }
    let stream = try service.client()
    let target = "/v1/tables/own/stream"
    let followed = headers.merging(["Last-Event-ID": before.cursor]) { first, _ in first }
    try stream.send("GET", target, followed)
    #expect(try stream.receiveHead("the stream").status == 200)
    try service.awaitPolls(2)
    try Self.reload(service, Self.configuration(issuer, isShared: !wereShared))
    let reply = try one.value()
    #expect(reply.status == 200, "\(reply.text)")
    // A table has one place for all; which of a family's members is the caller's, the next request tells.
    let reset: JSONValue? = wereShared ? nil : "epoch"
    #expect(try reply.json["reset"] == reset, "\(reply.text)")
    #expect(!wereShared || !reply.text.contains("a1"), "\(reply.text)")
    var mirror = before
    try mirror.apply(reply.json)
    let titles = wereShared ? [["b1"]] : [["a1", "b1"]]
    mirror = try service.follow("own", headers, from: mirror, until: "has their rows") { $0.titles == titles }
    #expect(mirror.resets == ["epoch"])
    let changes = try several.value().json["changes"]?.elements ?? []
    #expect(changes.allSatisfy { $0["problem"] == nil } && (wereShared || changes.count == 1), "\(changes)")
    let again = try service.request("GET", "/v1/changes?after=own:\(before.cursor)&wait=50", headers)
    #expect(try again.json["changes"]?.elements.first?["reset"] == "epoch", "\(again.text)")
    // The stream ends, and begins anew with a reset where its client comes back.
    var isOver = false
    for _ in 0..<4 where !isOver { isOver = try stream.receiveChunk("the end of the stream").isEmpty }
    #expect(isOver)
    let next = try service.client()
    try next.send("GET", target, followed)
    #expect(try next.receiveHead("the stream").status == 200)
    #expect(try next.receiveChunk("its first event").contains("\"reset\":\"epoch\""))
  }

  /// Whoever may not read it any more is told so.
  @Test(arguments: [true, false])
  func whoeverMayNotReadItIsRefused(wereShared: Bool) throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(Self.configuration(issuer, isShared: wereShared))
    let cursor = try service.mirror("own").cursor
    let one = try service.poll("own", after: cursor)
    let several = Background("a poll of several") {
      try service.request("GET", "/v1/changes?after=own:\(cursor)&wait=50")
    }
    try service.awaitPolls(2)
    try Self.reload(service, Self.configuration(issuer, isShared: !wereShared, "reading: tokens, "))
    #expect(try one.value().status == 401)
    let reply = try several.value()
    let problem = try reply.status == 401 ? reply.json : reply.json["changes"]?.elements.first?["problem"] ?? .null
    #expect(problem["status"] == 401, "\(reply.text)")
  }

  /// A token of an issuer that the configuration no longer has is none: a poll of several tables ends as a whole.
  @Test func aPollOfSeveralTablesEndsWithItsIssuer() throws {
    let issuer = try Issuer()
    let more = "\n  all: {source: {local: {items: [{title: a}]}}, cell: Label, payload: {title: \"${title}\"}}"
    let service = try ServiceProcess(Self.configuration(issuer, isShared: false) + more)
    let headers = issuer.token("bob")
    let (own, all) = (try service.mirror("own", headers).cursor, try service.mirror("all", headers).cursor)
    let polls = (0..<6).map { _ in
      Background("a poll of several") {
        try service.request("GET", "/v1/changes?after=all:\(all)&after=own:\(own)&wait=50", headers)
      }
    }
    try service.awaitPolls(6)
    try Self.reload(service, Self.configuration(try Issuer(), isShared: false) + more)
    for poll in polls {
      let reply = try poll.value()
      #expect(reply.status == 401 && reply["WWW-Authenticate"].hasPrefix("Bearer"), "\(reply.text)")
    }
  }
}
