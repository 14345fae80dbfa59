import Foundation
import JSON
import TestSupport
import Testing

/// What one client's views cost the others'.
@Suite struct SecurityViewsTests {
  private static let notes = """
    cells: {Note: {nib: Note, fields: {title: string, isOpen: boolean}, expands: isOpen}}
    tables:
      notes:
        source: {local: {items: [{title: A}, {title: B}]}}
        cell: Note
        payload: {title: "${title}", isOpen: false}
    """

  private static func tap(_ view: String, _ headers: [String: String], _ service: ServiceProcess) throws
    -> String
  {
    let client = try service.client()
    let reply = try client.request("POST", "/v1/tables/notes/rows/1/tap?view=\(view)", headers)
    #expect(reply.status == 200, "\(reply.text)")
    return try required(reply.json["cursor"]?.text, "a cursor")
  }

  /// By address, behind a proxy and on this machine, and by token, wherever it is used.
  @Test func oneClientsViewsPushOutNobodyElses() throws {
    let tokens = try ["one", "two"].map { "{name: \($0), sha256: \"\(try sha256($0))\", allow: [read]}" }
    let service = try ServiceProcess(
      """
      store: memory
      views: {max: 40}
      trustedProxies: [127.0.0.1]
      auth: {tokens: [\(tokens.joined(separator: ", "))]}
      \(Self.notes)
      """
    )
    let address = ["X-Forwarded-For": "192.0.2.1"]
    let token = ["X-Forwarded-For": "192.0.2.1", "Authorization": "Bearer one"]
    // The last one is on the proxy's machine, and asks without it.
    let good: [(view: String, headers: [String: String])] = [("a", address), ("b", token), ("c", [:])]
    let cursors = try good.map { try Self.tap($0.view, $0.headers, service) }
    let hostile: [[String: String]] = [
      ["X-Forwarded-For": "192.0.2.2"], ["X-Forwarded-For": "2001:db8::%"],
      ["X-Forwarded-For": "198.51.100.%", "Authorization": "Bearer two"],
      ["X-Forwarded-For": "192.0.2.%", "Forwarded": "for=127.0.0.1"],
    ]
    for (kind, headers) in hostile.enumerated() {
      for number in 0..<120 {
        _ = try Self.tap("h\(kind)-\(number)", headers.mapValues { $0.replacing("%", with: "\(number)") }, service)
      }
    }
    #expect(try service.metric("views") == 40)
    for (entry, cursor) in zip(good, cursors) {
      let poll = "/v1/tables/notes/changes?after=\(cursor)&wait=0&view=\(entry.view)"
      let client = try service.client()
      let reply = try client.request("GET", poll, entry.headers)
      #expect(try reply.status == 200 && reply.json["reset"] == nil, "\(entry.view): \(reply.text)")
      let snapshot = try client.request("GET", "/v1/tables/notes?view=\(entry.view)", entry.headers)
      #expect(snapshot.text.contains("\"isOpen\":true"), "\(entry.view)")
    }
  }

  /// The bound holds in the database that replicas share, and there, too, nobody pushes out others.
  @Test func viewsThatReplicasShareHaveABound() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let configuration = """
      store: {postgres: "\(address)"}
      views: {max: 200}
      trustedProxies: [127.0.0.1]
      \(Self.notes)
      """
    let replicas = try (0..<2).map { _ in try ServiceProcess(configuration) }
    let good = ["X-Forwarded-For": "192.0.2.1"]
    let cursor = try Self.tap("good", good, replicas[0])
    for number in 0..<600 {
      _ = try Self.tap("h\(number)", ["X-Forwarded-For": "192.0.2.2"], replicas[number % 2])
    }
    let kept = try server.ask("SELECT count(*), count(DISTINCT holder) FROM tablecast.view", in: address)
    let counts = kept.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: "|").compactMap { Int($0) }
    #expect(counts.count == 2 && (160...200).contains(counts[0]) && counts[1] == 2, "\(kept)")
    let late = try ServiceProcess(configuration)
    for service in replicas + [late] {
      let snapshot = try service.client().request("GET", "/v1/tables/notes?view=good", good)
      #expect(snapshot.text.contains("\"isOpen\":true"))
      let after = "/v1/tables/notes/changes?after=\(cursor)&wait=0&view=good"
      #expect(try service.client().request("GET", after, good).json["reset"] == nil)
    }
  }
}
