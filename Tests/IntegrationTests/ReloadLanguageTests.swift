import Foundation
import JSON
import TestSupport
import Testing

/// Readers who wait while the configuration is read again, and then has their language.
@Suite struct ReloadLanguageTests {
  private static let german = ["Accept-Language": "de"]

  private static func configuration(_ locales: String, _ url: String = "http://127.0.0.1:1") -> String {
    """
    store: memory
    \(locales)
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources:
      prices: {url: "\(url)/prices", every: 1h, retries: 0}
    tables:
      todo:
        edges: true
        source: {local: {items: [{price: 1234.5}]}}
        cell: Label
        payload: {title: "${price | number(2)}"}
      more:
        source: {local: {items: [{price: 1234.5}]}}
        cell: Label
        payload: {title: "${price | number(2)}"}
      family:
        source: prices
        row: {id: "${id}"}
        parameters: {q: {pattern: "[a-z]+"}}
        cell: Label
        payload: {title: "${price | number(2)}"}
    """
  }

  private static func reload(_ service: ServiceProcess, _ configuration: String) throws {
    try service.folder.write(configuration)
    service.signal(SIGHUP)
  }

  /// Returns whether the stream ends; it may have told a few times before that it is still there.
  private static func isAtItsEnd(_ stream: HTTPClient) throws -> Bool {
    for _ in 0..<4 {
      if try stream.receiveChunk("the end of the stream").isEmpty { return true }
    }
    return false
  }

  /// Whoever asks for it is led there at once, however they wait; the others' polls wait on.
  @Test(arguments: ["", "locales: [en-US]"])
  func aLanguageThatComes(former: String) throws {
    let service = try ServiceProcess(Self.configuration(former))
    let (todo, more) = (try service.mirror("todo"), try service.mirror("more"))
    let others = try ["en", "fr", "*"].map { language in
      try service.poll("todo", after: todo.cursor, ["Accept-Language": language])
    }
    let one = try service.poll("todo", after: todo.cursor, Self.german)
    let several = Background("a poll of two") {
      try service.request(
        "GET",
        "/v1/changes?after=todo:\(todo.cursor)&after=more:\(more.cursor)&wait=50",
        Self.german
      )
    }
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/todo/stream?after=\(todo.cursor)", Self.german)
    #expect(try stream.receiveHead("the stream").status == 200)
    try service.awaitPolls(5)
    try Self.reload(service, Self.configuration("locales: [en-US, de-DE]"))
    let reply = try one.value()
    #expect(reply["Content-Language"] == "de-DE")
    var german = todo
    try german.apply(reply.json)
    german = try service.follow("todo", Self.german, from: german, until: "is German") { $0.titles == [["1.234,50"]] }
    #expect(german.resets == ["epoch"])
    let changes = try several.value().json["changes"]?.elements ?? []
    #expect(!changes.isEmpty && changes.allSatisfy { $0["reset"] == "epoch" }, "\(changes)")
    #expect(try Self.isAtItsEnd(stream))
    // The table may still be taken over: 503.
    try awaited("an edit") {
      let reply = try service.request("PATCH", "/v1/tables/todo/items/1", Self.german, body: ["price": 2000])
      return reply.status == 200
    }
    german = try service.follow("todo", Self.german, from: german, until: "has the edit") { mirror in
      mirror.titles == [["2.000,00"]]
    }
    #expect(german.resets == ["epoch"])
    for poll in others {
      var mirror = todo
      try mirror.apply(poll.value().json)
      #expect(mirror.resets.isEmpty && mirror.titles != todo.titles)
    }
  }

  @Test func aLanguageThatComesForAPollByItsSlot() throws {
    let service = try ServiceProcess(Self.configuration("locales: [en-US]"))
    var mirror = try service.mirror("todo")
    let target = "/v1/tables/todo/changes?after=\(mirror.cursor)&slot="
    try awaited("a slot with ten seconds left") {
      Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 20) < 10
    }
    let slot = try required(service.request("GET", target + "0", Self.german).json["slot"]?.number, "a slot")
    let poll = Background("a poll by its slot") { try service.request("GET", "\(target)\(slot)", Self.german) }
    try service.awaitPolls(1)
    try Self.reload(service, Self.configuration("locales: [en-US, de-DE]"))
    let reply = try poll.value()
    #expect(reply["Content-Language"] == "de-DE" && reply["Cache-Control"] == "no-store", "\(reply.text)")
    try mirror.apply(reply.json)
    #expect(mirror.resets == ["epoch"])
  }

  /// A member has nothing to show in it before its upstream's answer is told there.
  @Test func aLanguageThatComesForAMember() throws {
    let upstream = try ScriptedUpstream([["id": 1, "price": .double(1234.5)]])
    let service = try ServiceProcess(Self.configuration("locales: [en-US]", upstream.url))
    var mirror = try service.mirror("family;q=a", Self.german)
    #expect(mirror.titles == [["1,234.50"]])
    let poll = try service.poll("family;q=a", after: mirror.cursor, Self.german)
    try service.awaitPolls(1)
    try Self.reload(service, Self.configuration("locales: [en-US, de-DE]", upstream.url))
    try mirror.apply(poll.value().json)
    #expect(mirror.resets == ["epoch"] && mirror.titles == [["1.234,50"]])
  }
}
