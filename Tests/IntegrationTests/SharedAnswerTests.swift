import Foundation
import JSON
import TestSupport
import Testing

/// A family whose members show parts of one list.
private func parts(_ upstream: ScriptedUpstream, every: String = "1m", url: String = "/list", instances: String = "{}")
  -> String
{
  let ofOther = "parameters: {prefix: {default: \"-\"}, state: {default: none}}"
  return """
    store: memory
    problems: full
    sources:
      list: {url: "\(upstream.url)\(url)", every: \(every), retries: 0}
    cells:
      Label: {fields: {title: string}}
    tables:
      parts:
        source: list
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: part, where: "state == $params.state"}]
        parameters: {state: {pattern: "[a-z0-9]*"}}
        instances: \(instances)
      other:
        source: list
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${$params.prefix}${title}"}
        \(ofOther)
    """
}

/// Eight rows, each in a state of its own.
private func rows(_ round: Int = 1) -> ScriptedUpstream.Answer {
  .json(.array((1...8).map { issue($0, "s\($0)", "row \($0), round \(round)") }))
}

extension TableMirror {
  fileprivate var shown: [String] { sections.flatMap(\.rows).compactMap { $0["payload"]?["title"]?.text } }
}

@Suite struct SharedAnswerTests {
  /// Eight members of one list, and one of another family that shows it: the list is fetched once for all.
  @Test func membersThatAskTheSameAreFedByOneFetch() throws {
    let upstream = try ScriptedUpstream { _ in rows() }
    let service = try ServiceProcess(parts(upstream))
    for number in 1...8 {
      #expect(try service.mirror("parts;state=s\(number)").shown == ["row \(number), round 1"])
    }
    #expect(try service.mirror("other").shown.first == "-row 1, round 1")
    #expect(upstream.requests.current.count == 1)
    // One of them has it fetched, for all.
    upstream.answer(rows(2))
    #expect(try service.request("POST", "/v1/tables/parts;state=s3/refresh").status == 200)
    for number in 1...8 {
      #expect(try service.mirror("parts;state=s\(number)").shown == ["row \(number), round 2"])
    }
    #expect(upstream.requests.current.count == 2)
    // The source as such is fetched once for a family's members.
    upstream.answer(rows(3))
    #expect(try service.request("POST", "/v1/sources/list/refresh").status == 200)
    for number in 1...8 {
      #expect(try service.mirror("parts;state=s\(number)").shown == ["row \(number), round 3"])
    }
    #expect(upstream.requests.current.count <= 4, "once for each family")
  }

  /// What differs in what is asked is fetched for each; what differs in a parameter that isn't asked for is not.
  @Test func onlyWhatIsAskedTellsThemApart() throws {
    let upstream = try ScriptedUpstream { _ in rows() }
    let service = try ServiceProcess(parts(upstream, url: "/list?state=${$params.state}"))
    for state in ["s1", "s2", "s2", "s1"] {
      _ = try service.mirror("parts;state=\(state)")
      _ = try service.mirror("other;prefix=\(state)")
    }
    #expect(
      upstream.requests.current.map(\.target).sorted() == ["/list?state=none", "/list?state=s1", "/list?state=s2"]
    )
  }

  /// A member that nobody reads is not told what comes; read again, it shows what the others show.
  @Test func aMemberThatIsReadAgainShowsWhatTheOthersDo() throws {
    let upstream = try ScriptedUpstream { _ in rows() }
    let service = try ServiceProcess(
      parts(upstream, every: "200ms", instances: "{freezeAfter: 1s, dropAfter: 1h}")
    )
    #expect(try service.mirror("parts;state=s1").shown == ["row 1, round 1"])
    let follower = Background("follows the other one") {
      try service.follow("parts;state=s2", until: "shows the second round") { $0.shown == ["row 2, round 2"] }.cursor
    }
    try service.awaitMetric("table_instances{table=\"parts\",state=\"frozen\"}", 1)
    upstream.answer(rows(2))
    _ = try follower.value(seconds: 30)
    try service.follow("parts;state=s1", until: "shows the second round") { $0.shown == ["row 1, round 2"] }
  }

  /// What was edited through another table meanwhile is shown to the first who reads it again.
  @Test func aMemberThatIsReadAgainShowsWhatWasEditedMeanwhile() throws {
    let titles = Monitor<[Int: String]>([:])
    let upstream = try ScriptedUpstream { request in
      let named = request.target.split(separator: "/").last.flatMap { Int($0) }
      guard request.method == "PATCH", let number = named else {
        return .json(.array((1...8).map { issue($0, "s\($0)", titles.current[$0] ?? "row") }))
      }
      titles.change { $0[number] = "edited" }
      return .json(issue(number, "s\(number)", "edited"))
    }
    let all = """
      \u{20} all:
          source: list
          row: {id: "${number}"}
          cell: Label
          payload: {title: "${title}"}
          edits: {patch: {url: "\(upstream.url)/list/${$id}", body: "${$edit}"}}
      """
    let service = try ServiceProcess(
      parts(upstream, every: "1h", instances: "{freezeAfter: 1s, dropAfter: 1h}") + "\n" + all
    )
    try service.follow("all", until: "is ready") { $0.state == "ready" }
    for number in 1...8 { #expect(try service.mirror("parts;state=s\(number)").shown == ["row"]) }
    try service.awaitMetric("table_instances{table=\"parts\",state=\"frozen\"}", 8)
    for number in 1...8 {
      let answer = try service.request("PATCH", "/v1/tables/all/items/\(number)", body: ["title": "edited"])
      #expect(answer.status == 200)
    }
    for number in 1...8 { #expect(try service.mirror("parts;state=s\(number)").shown == ["edited"]) }
  }

  /// The last one that goes ends the fetching; who comes then begins it anew.
  @Test func theLastOneEndsIt() throws {
    let upstream = try ScriptedUpstream { _ in rows() }
    let service = try ServiceProcess(
      parts(upstream, every: "200ms", instances: "{freezeAfter: 1s, dropAfter: 1s}")
    )
    for state in ["s1", "s2"] { _ = try service.mirror("parts;state=\(state)") }
    try service.awaitMetric("table_instances{table=\"parts\",state=\"polled\"}", 0)
    upstream.answer(rows(2))
    let before = upstream.requests.current.count
    #expect(try service.mirror("parts;state=s1").shown == ["row 1, round 2"])
    #expect(upstream.requests.current.count > before)
  }

  /// A failure is every reader's, also of one that comes while it lasts; so is its end.
  @Test func aFailureIsEveryReaders() throws {
    let upstream = try ScriptedUpstream { _ in rows() }
    let service = try ServiceProcess(parts(upstream))
    #expect(try service.mirror("parts;state=s1").state == "ready")
    upstream.answer(.reply(500, [:], ["error": "out of order"]))
    _ = try service.request("POST", "/v1/tables/parts;state=s1/refresh")
    #expect(try service.mirror("parts;state=s1").state == "stale")
    let late = try service.mirror("parts;state=s2")
    #expect(late.state == "stale" && late.shown == ["row 2, round 1"])
    upstream.answer(rows(2))
    _ = try service.request("POST", "/v1/tables/parts;state=s2/refresh")
    for number in 1...2 {
      let mirror = try service.mirror("parts;state=s\(number)")
      #expect(mirror.state == "ready" && mirror.shown == ["row \(number), round 2"])
    }
  }
}
