import Foundation
import JSON
import TestSupport

extension ServiceProcess {
  /// Asks again where the machine is too slow for the database to be read in time, as clients do.
  func snapshot(_ table: String, _ headers: [String: String] = [:], query: String = "") throws -> JSONValue {
    var reply: Reply?
    try awaited("a snapshot of \(table)") {
      reply = try request("GET", "/v1/tables/\(table)\(query)", headers)
      return reply.map { $0.status != 503 || !$0.text.contains("can't be read in time") } ?? false
    }
    return try required(reply, "a reply").json
  }

  func mirror(_ table: String, _ headers: [String: String] = [:], query: String = "") throws -> TableMirror {
    try TableMirror(snapshot(table, headers, query: query))
  }

  func changes(_ table: String, after: String, wait: Int = 0, query: String = "", _ headers: [String: String] = [:])
    throws -> JSONValue
  {
    try request("GET", "/v1/tables/\(table)/changes?after=\(after)&wait=\(wait)\(query)", headers).json
  }

  /// A figure of `/metrics`; its labels, if it has any, belong to the name.
  func metric(_ name: String) throws -> Int {
    let lines = try request("GET", "/metrics").text.split(separator: "\n")
    let line = lines.first { $0.hasPrefix("tablecast_\(name) ") }
    return try required(line?.split(separator: " ").last.flatMap { Int($0) }, "the metric \(name)")
  }

  /// Until so many polls wait: a request on another connection tells nothing of whether they have been read.
  func awaitPolls(_ count: Int) throws { try awaitMetric("waiting_polls", "at least \(count)") { $0 >= count } }

  /// Until a figure of `/metrics` is as awaited.
  func awaitMetric(_ name: String, _ value: Int) throws { try awaitMetric(name, "\(value)") { $0 == value } }

  private func awaitMetric(_ name: String, _ awaited: String, _ isSo: (Int) -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if isSo(try metric(name)) { return }
      Thread.sleep(forTimeInterval: 0.002)
    }
    throw TimeOut("\(name) \(awaited)")
  }

  /// A poll that waits on a thread of its own; it has been sent when this returns.
  func poll(_ table: String, after: String, wait: Int = 50, query: String = "", _ headers: [String: String] = [:])
    throws
    -> Background<Reply>
  {
    let client = try client()
    let target = "/v1/tables/\(table)/changes?after=\(after)&wait=\(wait)\(query)"
    try client.send("GET", target, headers)
    let sent = Unchecked(client)
    return Background(target) { try sent.value.receive(target) }
  }

  /// Follows a table as a client does, by long polls, until it is as awaited. Returns the mirror.
  @discardableResult
  func follow(
    _ table: String,
    _ headers: [String: String] = [:],
    from mirror: TableMirror? = nil,
    query: String = "",
    until awaited: String,
    _ condition: (TableMirror) -> Bool
  ) throws -> TableMirror {
    var mirror = try mirror ?? self.mirror(table, headers, query: query.isEmpty ? "" : "?" + query.dropFirst())
    let client = try client()
    var emptyPolls = 0
    for _ in 0..<200 {
      if condition(mirror) { return mirror }
      let target = "/v1/tables/\(table)/changes?after=\(mirror.cursor)&wait=50\(query)"
      let changes = try client.request("GET", target, headers).json
      if changes["stages"] == [], changes["reset"] == nil {
        emptyPolls += 1
        guard emptyPolls < 2 else { break }
        continue
      }
      try mirror.apply(changes)
    }
    throw TimeOut("\(table) \(awaited); it is \(mirror.state ?? "?") with \(mirror.rows)")
  }
}
