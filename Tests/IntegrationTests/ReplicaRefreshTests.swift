import Foundation
import JSON
import TestSupport
import Testing

/// `POST /v1/sources/{s}/refresh` at a replica that doesn't ask the sources itself.
@Suite struct ReplicaRefreshTests {
  private static let rows = 2_000
  private static let german = ["Accept-Language": "de"]

  private static func items(_ round: Int) -> JSONValue {
    .array((0..<rows).map { ["id": .integer(Int64($0)), "price": .integer(Int64(round * 1_000 + 1_000))] })
  }

  /// A poll with a cursor that is known doesn't look into the database: it shows what the replica has taken over.
  @Test func theAnswerComesWhenTheTablesShowWhatWasFetched() throws {
    let upstream = try ScriptedUpstream(Self.items(0))
    let configuration = """
      store: {postgres: "\(try PostgresServer.shared.get().newDatabase())"}
      locales: [en-US, de-DE]
      sources: {items: {url: "\(upstream.url)/items", every: 0s, retries: 0}}
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables: {prices: {source: items, row: {id: "${id}"}, cell: Label, payload: {title: "${price | number(2)}"}}}
      """
    let replicas = try (0..<2).map { _ in try ServiceProcess(configuration) }
    for replica in replicas { try replica.follow("prices", until: "is ready") { $0.rows.count == Self.rows } }
    try awaited("one replica that asks the sources") {
      try replicas.map { try $0.metric("replica_leading") }.reduce(0, +) == 1
    }
    let follower = try required(replicas.first { try $0.metric("replica_leading") == 0 }, "a follower")
    let client = try follower.client()
    for round in 1...8 {
      for (headers, title) in [([:], "\(round + 1),000.00"), (Self.german, "\(round + 1).000,00")] {
        // Of both languages in turn: one is made of the other.
        let cursor = try follower.mirror("prices", headers).cursor
        upstream.answer(Self.items(headers.isEmpty ? round : round + 100))
        let expected = headers.isEmpty ? title : "\(round + 101).000,00"
        let refresh = try client.request("POST", "/v1/sources/items/refresh")
        #expect(refresh.status == 200, "\(refresh.text)")
        let reply = try client.request("GET", "/v1/tables/prices/changes?after=\(cursor)&wait=0", headers).text
        #expect(reply.contains("\"title\":\"\(expected)\""), "round \(round), \(headers): \(reply.prefix(200))")
      }
    }
  }
}
