import Foundation
import JSON
import TestSupport
import Testing

/// Views of users of one issuer who call theirs the same, of a table that is the same for all.
@Suite struct UserViewTests {
  private static func configuration(_ issuer: Issuer, store: String = "memory") -> String {
    """
    store: \(store)
    auth: {jwt: \(issuer.configuration())}
    cells: {Note: {nib: Note, fields: {title: string, isOpen: boolean}, expands: isOpen}}
    tables:
      notes:
        source: {local: {items: [{title: A}, {title: B}]}}
        cell: Note
        payload: {title: "${title}", isOpen: false}
        can: {edit: false, move: false}
    """
  }

  private static func tap(_ service: ServiceProcess, _ headers: [String: String]) throws -> String {
    let reply = try service.request("POST", "/v1/tables/notes/rows/1/tap?view=main", headers)
    #expect(try reply.status == 200 && reply.json["row"]?["payload"]?["isOpen"] == true, "\(reply.text)")
    return try required(reply.json["cursor"]?.text, "a cursor")
  }

  private static func isOpen(_ service: ServiceProcess, _ headers: [String: String]) throws -> Bool {
    try service.mirror("notes", headers, query: "?view=main").row("1")?["payload"]?["isOpen"] == true
  }

  @Test func viewsOfOneNameAreTheirUsers() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(Self.configuration(issuer))
    // Of one user there are two tokens.
    let (ada, again, bob) = (issuer.token("ada", lasts: 500), issuer.token("ada", lasts: 700), issuer.token("bob"))
    let nobody: [String: String] = [:]
    let before = try service.mirror("notes").cursor
    let cursor = try Self.tap(service, ada)
    let callers = [ada, again, bob, nobody]
    #expect(try callers.map { try Self.isOpen(service, $0) } == [true, true, false, false])
    for pair in ["notes:\(before)&view=main", "notes;;view=main:\(before)"] {
      let counts = try callers.map { caller in
        try service.request("GET", "/v1/changes?after=\(pair)&wait=0", caller).json["changes"]?.elements.count
      }
      #expect(counts == [1, 1, 0, 0], "\(pair)")
    }
    // The view goes on with another token of its user's, under the name that clients know.
    let poll = try service.request("GET", "/v1/tables/notes/changes?after=\(cursor)&wait=0&view=main", again)
    #expect(try poll.json["stages"] == [] && poll["Link"].contains("&view=main>"), "\(poll.text) \(poll["Link"])")
    #expect(try service.changes("notes", after: cursor, query: "&view=main", bob)["reset"] == "lens")
    let snapshot = try service.request("GET", "/v1/tables/notes?view=main", ada)
    #expect(snapshot["Cache-Control"] == "private, no-cache" && snapshot["Vary"].contains("Authorization"))
    // Callers who are no users share views by their names.
    _ = try Self.tap(service, nobody)
    #expect(try callers.map { try Self.isOpen(service, $0) } == [true, true, false, true])
  }

  @Test func aViewFollowsItsUserToAnotherReplica() throws {
    let (issuer, server) = (try Issuer(), try PostgresServer.shared.get())
    let configuration = Self.configuration(issuer, store: "{postgres: \"\(try server.newDatabase())\"}")
    let replicas = [try ServiceProcess(configuration), try ServiceProcess(configuration)]
    let (ada, bob) = (issuer.token("ada"), issuer.token("bob"))
    let cursor = try Self.tap(replicas[0], ada)
    for replica in replicas { #expect(try Self.isOpen(replica, ada) && !Self.isOpen(replica, bob)) }
    #expect(try replicas[0].changes("notes", after: cursor, query: "&view=main", ada)["reset"] == nil)
  }
}
