import Foundation
import JSON
import TestSupport
import Testing

/// Polls that wait while the configuration is read again: they go on waiting, whatever table is in the place of theirs.
@Suite struct ReloadPollTests {
  private static func configuration(_ url: String, locales: [String] = [], expand: Int = 2)
    -> String
  {
    """
    store: memory
    \(locales.isEmpty ? "" : "locales: [\(locales.joined(separator: ", "))]")
    cells:
      Label: {nib: Label, fields: {title: string}}
      Expand: {nib: Expand, version: \(expand), fields: {title: string}, fallback: Label}
    sources:
      items: {url: "\(url)/items", every: 1h, retries: 0}
      found: {url: "\(url)/${$params.q}", every: 1h, retries: 0, timeout: 20s}
    tables:
      todo: {source: {local: {items: [{title: A}]}}, cell: Expand, payload: {title: "${title}"}}
      more: {source: {local: {items: [{title: A}]}}, cell: Label, payload: {title: "${title}"}}
      issues:
        source: items
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        edits: {patch: {url: "\(url)/items/${$id}", body: "${$edit}"}}
      family:
        source: found
        row: {id: "${id}"}
        parameters: {q: {pattern: "[a-z]+"}}
        cell: Label
        payload: {title: "${title}"}
    """
  }

  private static func read(_ service: ServiceProcess, _ configuration: String, saying text: String) throws {
    try service.folder.write(configuration)
    service.signal(SIGHUP)
    try awaited("the new configuration") { try service.request("GET", "/v1/tables/todo").headers(text) }
  }

  /// No table can go on where languages come; whoever waits is told what happens next, and nothing before.
  @Test func tablesThatAreMadeAnew() throws {
    let upstream = try ScriptedUpstream([["id": 1, "title": "One"]])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let todo = try service.mirror("todo")
    let more = try service.mirror("more")
    let one = try service.poll("todo", after: todo.cursor)
    let several = Background("a poll of two") {
      try service.request("GET", "/v1/changes?after=todo:\(todo.cursor)&after=more:\(more.cursor)&wait=50")
    }
    try service.awaitPolls(2)
    try Self.read(service, Self.configuration(upstream.url, locales: ["en", "de"]), saying: "Content-Language")
    try service.awaitPolls(2)
    // The table may still be taken over: 503.
    try awaited("an edit") {
      try service.request("PATCH", "/v1/tables/todo/items/1", body: ["title": "B"]).status == 200
    }
    var mirror = todo
    try mirror.apply(one.value().json)
    #expect(mirror.titles == [["B"]] && mirror.resets.isEmpty)
    let changes = try several.value().json["changes"]?.elements ?? []
    #expect(changes.count == 1 && changes[0]["table"] == "todo" && changes[0]["stages"]?.elements.count == 1)
  }

  /// Another language comes first: who asks for none is shown that, in the same table; who asks for the other one goes on in that.
  @Test func anotherLanguageThatComesFirst() throws {
    let upstream = try ScriptedUpstream([["id": 1, "title": "One"]])
    let service = try ServiceProcess(Self.configuration(upstream.url, locales: ["en", "de"]))
    let none: [[String: String]] = [[:], ["Accept-Language": "*"], ["Accept-Language": "fr"]]
    let (english, todo) = (["Accept-Language": "en"], try service.mirror("todo"))
    let polls = try none.map { try service.poll("todo", after: todo.cursor, $0) }
    let several = Background("a poll of two") {
      try service.request("GET", "/v1/changes?after=todo:\(todo.cursor)&wait=50")
    }
    let ofEnglish = try service.poll("todo", after: todo.cursor, english)
    try service.awaitPolls(5)
    try service.folder.write(Self.configuration(upstream.url, locales: ["de", "en"]))
    service.signal(SIGHUP)
    try awaited("the new configuration") {
      try service.request("GET", "/v1/tables/todo")["Content-Language"] == "de"
    }
    // The table may still be taken over: 503.
    try awaited("an edit") {
      try service.request("PATCH", "/v1/tables/todo/items/1", body: ["title": "B"]).status == 200
    }
    for (poll, headers) in zip(polls, none) {
      let reply = try poll.value()
      var mirror = todo
      try mirror.apply(reply.json)
      #expect(mirror.titles == [["B"]] && mirror.resets.isEmpty, "\(headers): \(reply.text)")
      #expect(reply["Content-Language"] == "de")
      try mirror.apply(try service.changes("todo", after: mirror.cursor, headers))
      #expect(mirror.resets.isEmpty, "\(headers)")
    }
    let reply = try several.value()
    let changes = try reply.json["changes"]?.elements ?? []
    #expect(changes.count == 1 && changes[0]["reset"] == nil && reply["Content-Language"] == "de", "\(reply.text)")
    var mirror = todo
    let first = try ofEnglish.value()
    try mirror.apply(first.json)
    #expect(first["Content-Language"] == "en" && mirror.resets == ["epoch"])
    mirror = try service.follow("todo", english, from: mirror, until: "has it") { $0.titles == [["B"]] }
    #expect(mirror.resets == ["epoch"])
  }

  /// Who can show some cells sees others as soon as these have another version.
  @Test func cellsThatChange() throws {
    let upstream = try ScriptedUpstream([])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let cells = ["Accept-Cells": "Expand;v=2, Label"]
    var mirror = try service.mirror("todo", cells)
    #expect(mirror.row("1")?["cellIdentifier"] == "Expand")
    let poll = try service.poll("todo", after: mirror.cursor, cells)
    try service.awaitPolls(1)
    try service.folder.write(Self.configuration(upstream.url, expand: 3))
    service.signal(SIGHUP)
    try mirror.apply(poll.value().json)
    #expect(mirror.resets == ["lens"] && mirror.row("1")?["cellIdentifier"] == "Label")
    #expect(try service.mirror("todo", cells).cursor == mirror.cursor)
  }

  /// A cell that no row comes to is nobody's business.
  @Test func cellsThatNobodySees() throws {
    let upstream = try ScriptedUpstream([])
    let configuration = Self.configuration(upstream.url)
    let service = try ServiceProcess(configuration)
    let cells = ["Accept-Cells": "Label"]
    let mirror = try service.mirror("todo", cells)
    let other = configuration.replacingOccurrences(of: "nib: Expand,", with: "class: Expand,")
    try service.folder.write(other)
    service.signal(SIGHUP)
    try awaited("the new cells") { try service.request("GET", "/v1/cells").text.contains("\"class\"") }
    #expect(try service.mirror("todo", cells).cursor == mirror.cursor)
  }

  /// An edit that is on its way to the upstream meanwhile is shown when it is answered.
  @Test func editsUnderWay() throws {
    let title = Monitor("One")
    let (arrived, go) = (Monitor(false), Monitor(false))
    let upstream = try ScriptedUpstream { request in
      guard request.method == "PATCH" else { return .json([["id": 1, "title": .string(title.current)]]) }
      arrived.change { $0 = true }
      _ = try? go.wait(for: "the reload") { $0 ? true : nil }
      title.change { $0 = "Uno" }
      return .json(["ok": true])
    }
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let edit = Background("the edit") {
      try service.request("PATCH", "/v1/tables/issues/items/1", body: ["title": "Uno"])
    }
    _ = try arrived.wait(for: "the edit") { $0 ? true : nil }
    try Self.read(service, Self.configuration(upstream.url, locales: ["en", "de"]), saying: "Content-Language")
    go.change { $0 = true }
    let reply = try edit.value()
    let mirror = try service.mirror("issues")
    #expect(reply.status == 200 && mirror.titles == [["Uno"]], "\(reply.text)")
    // The version that the answer names has it already.
    let cursor = try required(try reply.json["cursor"]?.text, "a cursor")
    let later = try service.request("GET", "/v1/tables/issues/changes?after=\(cursor)&wait=0")
    #expect(later.status == 200 && !later.text.contains("Uno"), "\(later.text)")
  }

  /// Nor is it sent again where it is repeated while the upstream has it, of whatever table that is now.
  @Test func repeatsOfWhatIsUnderWay() throws {
    let (asked, go) = (Monitor(0), Monitor(false))
    let upstream = try ScriptedUpstream { request in
      guard request.method == "PATCH" else { return .json([["id": 1, "title": "One"]]) }
      asked.change { $0 += 1 }
      _ = try? go.wait(for: "the reload") { $0 ? true : nil }
      return .json(["id": 1, "title": "Uno"])
    }
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let client = try (0..<2).map { _ in try service.client() }
    func send(_ number: Int) throws {
      let path = "/v1/tables/issues/items/1"
      try client[number].send("PATCH", path, ["Idempotency-Key": "once"], body: ["title": "Uno"])
    }
    try send(0)
    _ = try asked.wait(for: "the edit") { $0 == 1 ? true : nil }
    try Self.read(service, Self.configuration(upstream.url, locales: ["en", "de"]), saying: "Content-Language")
    try send(1)
    go.change { $0 = true }
    let replies = try client.map { try $0.receive("the edit") }
    #expect(replies.map(\.status) == [200, 200] && replies[0].body == replies[1].body, "\(replies.map(\.text))")
    #expect(asked.current == 1)
  }

  /// A member whose upstream takes its time keeps nobody from what the other tables have to tell.
  @Test func aMembersFirstFetchHoldsNobodyUp() throws {
    let go = Monitor(false)
    let upstream = try ScriptedUpstream { request in
      if request.target.hasSuffix("slow") { _ = try? go.wait(for: "its turn") { $0 ? true : nil } }
      return .json([["id": 1, "title": "One"]])
    }
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let path = "/v1/changes?after=family;q=slow:&after=todo:&wait=50"
    let reply = try service.request("GET", path)
    let changes = try reply.json["changes"]?.elements ?? []
    #expect(changes.map { $0["table"]?.text } == ["todo"], "\(reply.text)")
    #expect(reply["Link"].contains("slow:&"), "\(reply["Link"])")
    go.change { $0 = true }
    try service.follow("family;q=slow", until: "has its row") { $0.rows == ["1"] }
  }
}

extension Reply {
  fileprivate func headers(_ name: String) -> Bool { !self[name].isEmpty }
}
