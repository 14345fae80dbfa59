import Foundation
import JSON
import TestSupport
import Testing

/// Edits of one item that are with the upstream at the same time.
@Suite struct OverlappingEditsTests {
  /// What the upstream says of one of them may be from before the other one: it takes nothing back that was answered.
  @Test(arguments: [true, false]) func aLateAnswerTakesNothingBack(saysTheItem: Bool) throws {
    let item = Monitor<JSONValue>(["id": 1, "title": "old", "note": "old"])
    /// What is said of the first edit, when it may be.
    let (said, isHeld) = (Monitor<JSONValue?>(nil), Monitor(true))
    let upstream = try ScriptedUpstream([])
    let script: @Sendable (ScriptedUpstream.Request) -> ScriptedUpstream.Answer = { request in
      guard request.method == "PATCH" else {
        // Later than what is said of the first edit.
        return said.current == nil ? .json([item.current]) : .late(0.2, [item.current])
      }
      let body = (try? JSONValue(parsing: request.body)) ?? .null
      if body["title"] != nil, let answer = said.current { return isHeld.current ? .silence : .json(answer) }
      let now = item.change { item in
        item = item.merging(patch: body)
        return item
      }
      guard body["title"] != nil else { return .json(saysTheItem ? now : [:]) }
      said.change { $0 = saysTheItem ? now : [:] }
      return .silence
    }
    upstream.script(script)
    let service = try ServiceProcess(
      """
      store: memory
      sources: {items: {url: "\(upstream.url)/items", every: 1h, retries: 0}}
      cells: {Label: {nib: Label, fields: {title: string, note: string}}}
      tables:
        t:
          source: items
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}", note: "${note}"}
          edits: {patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}}
      """
    )
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let path = "/v1/tables/t/items/1"
    let shared = Unchecked(service)
    let first = Background("the first edit") {
      try shared.value.request("PATCH", path, body: ["title": "first"])
    }
    try said.wait(for: "the first request") { $0 }
    #expect(try service.request("PATCH", path, body: ["note": "second"]).status == 200)
    var mirror = try service.mirror("t")
    #expect(mirror.notes == ["second"])
    let poll = try service.poll("t", after: mirror.cursor, wait: 1)
    isHeld.change { $0 = false }
    upstream.script(script)
    #expect(try first.value().status == 200)
    try mirror.apply(poll.value().json)
    #expect(mirror.notes == ["second"], "a version takes back what was answered")
    let last = try service.mirror("t")
    #expect(last.titles == [["first"]] && last.notes == ["second"])
  }
}

extension TableMirror {
  fileprivate var notes: [JSONValue?] { sections.flatMap(\.rows).map { $0["payload"]?["note"] } }
}
