import Foundation
import JSON
import TestSupport
import Testing

/// Sections of several sources, their responses, and rows that are told apart in their own way.
@Suite struct SectionRowTests {
  private static func configuration(_ url: String) -> String {
    """
    store: memory
    sources:
      issues:
        url: "\(url)/issues"
        every: 50ms
        retries: 0
        items: ${list}
        paging: {nextUrl: "${next}"}
      alerts: {url: "\(url)/alerts", every: 50ms, retries: 0, items: "${firing}"}
    cells:
      Label: {nib: Label, fields: {title: string}}
      Alert: {nib: Alert, fields: {title: string, severity: string}}
      SectionTitle: {fields: {title: string}}
    representations:
      alert: {cell: Alert, payload: {title: "${name} of ${$response.name}", severity: "${labels.severity}"}}
      issue:
        cell: Label
        payload: {title: "${title} of ${$response.name}, ${$pages | map(name) | join('+')}"}
    tables:
      both:
        source: issues
        row: {id: "${number}", type: issue}
        sections:
          - id: open
            header: {cell: SectionTitle, payload: {title: "${$response.name} ${$pages | length}"}}
          - id: alerts
            source: alerts
            row: {id: "${fingerprint}", type: alert}
            header: {cell: SectionTitle, payload: {title: "${$response.name} ${$pages | length}"}}
        edits:
          patch: {url: "\(url)/issues/${$id}", body: "${$edit}"}
    """
  }

  private static func page(_ name: String, _ issues: [JSONValue], next: String? = nil) -> JSONValue {
    ["name": .string(name), "list": .array(issues), "next": next.map { .string($0) } ?? .null]
  }

  private static func alert(_ fingerprint: String, _ name: String) -> JSONValue {
    ["fingerprint": .string(fingerprint), "name": .string(name), "labels": ["severity": "page"]]
  }

  private static func upstream() throws -> (ScriptedUpstream, Monitor<[JSONValue]>) {
    let alerts = Monitor([alert("abc", "Disk")])
    let first = Monitor(issue(1))
    let upstream = try ScriptedUpstream { request in
      switch request.target {
      case "/issues": .json(page("one", [first.current], next: "/issues?page=2"))
      case "/issues?page=2": .json(page("two", [issue(2)]))
      case "/alerts": .json(["name": "watch", "firing": .array(alerts.current)])
      default:
        .reply(
          200,
          [:],
          first.change { first in
            first["title"] = "Edited"
            return first
          }
        )
      }
    }
    return (upstream, alerts)
  }

  @Test func aSectionWithASourceOfItsOwnHasItsOwnRows() throws {
    let (upstream, alerts) = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream.url))
    var mirror = try service.follow("both", until: "is whole") { $0.rows.count == 3 }
    #expect(mirror.sections.map(\.id) == ["open", "alerts"] && mirror.rows == ["1", "2", "abc"])
    #expect(mirror.row("abc")?["cellIdentifier"] == "Alert" && mirror.row("1")?["cellIdentifier"] == "Label")
    #expect(try service.request("GET", "/v1/tables/both/items/abc").json["name"] == "Disk")
    // An identity is the row's, wherever it stands: the first section's is.
    let poll = try service.poll("both", after: mirror.cursor)
    try service.awaitPolls(1)
    alerts.change { $0 += [Self.alert("def", "Load"), Self.alert("2", "Taken")] }
    try mirror.apply(poll.value().json)
    #expect(mirror.rows == ["1", "2", "abc", "def"])
    #expect(mirror.attributes["counts"]?["skippedItems"] == 1)
    try mirror.check(equals: service.snapshot("both"))
  }

  /// `$response` is what the section's own source answered; of several pages the first, and `$pages` are all.
  @Test func aResponseIsTheSectionsOwn() throws {
    let (upstream, _) = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let mirror = try service.follow("both", until: "is whole") { $0.rows.count == 3 }
    #expect(
      mirror.titles == [["Issue 1 of one, one+two", "Issue 2 of one, one+two"], ["Disk of watch"]]
    )
    #expect(mirror.sections.map { $0.header["payload"]?["title"] } == ["one 2", "watch 1"])
    // An edit is laid over the whole response, not in its place.
    let poll = try service.poll("both", after: mirror.cursor)
    try service.awaitPolls(1)
    #expect(try service.request("PATCH", "/v1/tables/both/items/1", body: ["title": "Edited"]).status == 200)
    var edited = mirror
    try edited.apply(poll.value().json)
    #expect(edited.titles[0] == ["Edited of one, one+two", "Issue 2 of one, one+two"])
    #expect(edited.sections.map(\.header) == mirror.sections.map(\.header))
  }
}
