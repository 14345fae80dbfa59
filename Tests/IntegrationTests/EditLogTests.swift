import Foundation
import JSON
import TestSupport
import Testing

/// What an operator sees of edits and of the process.
@Suite struct EditLogTests {
  private static let configuration = """
    store: memory
    tables:
      todo: {source: {local: {items: [{title: Milk}]}}, cell: TableViewCellWithLabel, payload: {title: "${title}"}, can: {edit: true}}
    """

  @Test func eachEditHasALine() throws {
    let service = try ServiceProcess(Self.configuration)
    let headers = ["X-Request-ID": "req-1"]
    let added = try service.request("POST", "/v1/tables/todo/items", headers, body: ["title": "Bread"])
    #expect(added.status == 201, "\(added.text)")
    let id = try required(try added.json["id"]?.text, "an id")
    try service.logged(
      #""message":"An edit was answered","op":"add","outcome":"done","request":"req-1","row":"\#(id)","status":201,"table":"todo""#
    )
    let refused = try service.request(
      "PATCH",
      "/v1/tables/todo/items/none",
      ["X-Request-ID": "req-2"],
      body: ["title": "x"]
    )
    #expect(refused.status == 404)
    try service.logged(#""op":"patch","outcome":"unknown","request":"req-2","row":"none","status":404"#)
    #expect(!service.log.current.contains { $0.contains("Bread") }, "nothing of the items is in the log")
  }

  @Test func theProcessIsMeasured() throws {
    let service = try ServiceProcess(Self.configuration)
    let text = try service.request("GET", "/metrics").text
    #expect(text.contains("tablecast_build_info{version=\""))
    let least: [(name: String, value: Double)] = [
      ("process_cpu_seconds_total", 0.001), ("process_resident_memory_bytes", 1_000_000),
      ("process_virtual_memory_bytes", 1_000_000), ("process_open_fds", 3), ("process_max_fds", 256),
      ("process_start_time_seconds", 1_700_000_000),
    ]
    for (name, least) in least {
      let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
      let value = line.flatMap { Double($0.split(separator: " ")[1]) }
      #expect(value.map { $0 >= least } == true, "\(name): \(line ?? "none")")
      #expect(text.contains("# TYPE \(name) "))
    }
  }
}
