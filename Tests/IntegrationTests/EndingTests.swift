import Foundation
import JSON
import TestSupport
import Testing

/// An ending that can't be orderly says so.
@Suite struct EndingTests {
  /// Somebody holds a lock in the database, so what was edited last is not written when the time is over.
  @Test func whatIsLeftUndoneIsSaid() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let service = try ServiceProcess(
      """
      store: {postgres: "\(address)"}
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables: {todo: {source: {local: {items: [{title: A}]}}, cell: Label, payload: {title: "${title}"}}}
      """
    )
    let session = try server.session(in: address)
    try session.ask("BEGIN; LOCK TABLE tablecast.feed IN ACCESS EXCLUSIVE MODE")
    let client = try service.client()
    try client.send("POST", "/v1/tables/todo/items", body: ["title": "B"])
    try awaited("an edit that waits for the lock") {
      let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
      return try server.ask("\(waiting) AND wait_event_type = 'Lock' AND query LIKE '%write_record%'", in: address)
        != "0"
    }
    #expect(try service.end() == 1)
    try service.logged("Ended before all was done")
    try session.ask("ROLLBACK")
  }
}
