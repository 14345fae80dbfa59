import Foundation
import JSON
import TestSupport
import Testing

/// The dashboard and the alerts in `deploy/` ask for what the service says.
@Suite struct MetricNamesTests {
  private static func text(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The names of metrics in a text, without what a histogram's samples have behind them.
  private static func names(in text: String) -> Set<String> {
    let found = text.matches(of: #/\b(tablecast_|process_)[a-z0-9_]+/#).map { String($0.output.0) }
    return Set(found.map { $0.replacing(#/_(bucket|sum|count)$/#, with: "") })
  }

  @Test func everyMetricThatIsNamedIsThere() throws {
    let upstream = try ScriptedUpstream { _ in .json([["id": 1, "title": "A"]]) }
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources: {s: {url: "\(upstream.url)"}}
      tables: {t: {source: s, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}}
      """
    )
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let metrics = try service.request("GET", "/metrics").text
    let said = Set(metrics.matches(of: #/(?m)^# TYPE (\S+)/#).map { String($0.output.1) })
    var asked = 0
    for file in ["deploy/grafana-dashboard.json", "deploy/alerts.yaml"] {
      let names = Self.names(in: try Self.text(file))
      asked += names.count
      let missing = names.filter { !said.contains($0) }
      #expect(missing.isEmpty, "\(file): \(missing.sorted())")
    }
    #expect(
      asked > 20
        && said.isSuperset(of: ["tablecast_request_seconds", "tablecast_build_info", "process_cpu_seconds_total"])
    )
    // Of each route that was asked, and of no other, however it was asked.
    for path in ["/nothing", "/v1/tables/none", "/v1/tables/t?no=1"] { _ = try service.request("GET", path) }
    let text = try service.request("GET", "/metrics").text
    #expect(text.contains(#"tablecast_request_seconds_count{route="/v1/tables/{table}",method="GET"} "#))
    #expect(text.contains(#"tablecast_request_seconds_bucket{route="/v1/tables/{table}",method="GET",le="+Inf"} "#))
    #expect(!text.contains("/nothing") && !text.contains("/v1/tables/none"))
  }

  /// A line for each request, with numbers as numbers, and nothing of the query.
  @Test func theAccessLogIsWrittenOnRequest() throws {
    let text = """
      store: memory
      tables: {t: {source: {local: {items: [{title: A}]}}}}
      """
    let service = try ServiceProcess(text, arguments: ["--access-log", "--log-level", "notice"])
    _ = try service.request("GET", "/v1/tables/t?rows=5", ["X-Request-ID": "mine"])
    try awaited("the line is written") { service.log.current.contains { $0.contains(#""request":"mine""#) } }
    let line = try required(service.log.current.first { $0.contains(#""request":"mine""#) }, "the line")
    let entry = try JSONValue(parsing: Array(line.utf8))
    #expect(entry["status"] == 200 && entry["method"] == "GET" && !line.contains("rows=5"), "\(line)")
    guard case .double? = entry["milliseconds"] else {
      Issue.record("milliseconds: \(line)")
      return
    }
    let quiet = try ServiceProcess(text, arguments: ["--log-level", "notice"])
    _ = try quiet.request("GET", "/v1/tables/t")
    #expect(!quiet.log.current.contains { $0.contains("A request was answered") })
  }
}
