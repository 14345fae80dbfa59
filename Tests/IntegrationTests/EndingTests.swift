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

  /// An interactive Ctrl-C and the supervisor's signal come together: what is under way is finished all the same.
  @Test func furtherSignalsChangeNothing() throws {
    let folder = try TemporaryFolder()
    let upstream = try ListUpstream()
    let (edit, answered) = (Monitor(false), Monitor(false))
    upstream.server.answer { [items = upstream.items] request in
      guard request.method != "GET" else { return .json(.array(items.current)) }
      edit.change { $0 = true }
      _ = try? answered.wait(for: "the answer's time") { $0 ? true : nil }
      return .json(["number": 1, "title": "Edited"])
    }
    let configuration = upstream.configuration
      .replacingOccurrences(of: "memory", with: "{path: \"{folder}/store.sqlite\"}")
      .replacingOccurrences(of: ", forward: [Authorization]", with: "")
    let service = try ServiceProcess(configuration, in: folder)
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let reply = Background("an edit") {
      try service.request("PATCH", "/v1/tables/t/items/1", body: ["title": "Edited"])
    }
    try edit.wait(for: "the edit at the upstream") { $0 ? true : nil }
    service.signal(SIGTERM)
    try service.logged("Ending")
    for number in [SIGINT, SIGHUP, SIGTERM] { service.signal(number) }
    answered.change { $0 = true }
    #expect(try reply.value().status == 200)
    #expect(try service.end() == 0)
    #expect(service.log.current.count { $0.contains("Ending") } == 1)
  }

  /// A terminal and a supervisor may both send one, at any time after the start.
  @Test(arguments: [SIGTERM, SIGINT], 1...5) func aSecondSignalChangesNothing(_ second: Int32, _: Int) throws {
    let service = try ServiceProcess(
      """
      store: {path: "{folder}/state.sqlite"}
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables: {todo: {source: {local: {items: [{title: A}]}}, cell: Label, payload: {title: "${title}"}}}
      """
    )
    try service.logged("Serving")
    service.signal(SIGTERM)
    service.signal(second)
    #expect(try service.end() == 0)
    // Its last lines may be read after its end.
    try service.logged("Ending: waiting polls are answered")
    #expect(service.log.current.count { $0.contains("Ending: waiting polls are answered") } == 1)
  }

  /// Starts a service whose log nobody reads any more once it serves, and has it answer more requests than the
  /// log's pipe takes lines.
  private static func unreadService(
    _ folder: TemporaryFolder,
    requests: Int
  ) throws -> (Process, Unchecked<FileHandle>) {
    try folder.write(
      """
      store: memory
      tables: {todo: {source: {local: {items: [{title: A}]}}}}
      """
    )
    let process = Process()
    process.executableURL = try ServiceProcess.executable()
    process.arguments = ["serve", "--config", folder.file("tablecast.yaml").path, "--access-log"]
    process.currentDirectoryURL = folder.url
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let log = Unchecked(pipe.fileHandleForReading)
    do {
      let port = try Background("the address of a service") { () throws -> UInt16 in
        var text = ""
        while true {
          let data = log.value.availableData
          guard !data.isEmpty else { throw Malformed("the service ended: \(text)") }
          text += String(decoding: data, as: UTF8.self)
          if let port = text.split(separator: "\n").lazy.compactMap({ ServiceProcess.port($0) }).first { return port }
        }
      }.value()
      let client = try HTTPClient(port: port)
      for _ in 0..<requests { _ = try client.request("GET", "/healthz") }
    } catch {
      kill(process.processIdentifier, SIGKILL)
      throw error
    }
    return (process, log)
  }

  @Test func theAccessLogIsWrittenToItsEnd() throws {
    let folder = try TemporaryFolder()
    let (process, log) = try Self.unreadService(folder, requests: 1000)
    process.terminate()
    let text = try Background("the log to its end") {
      String(decoding: log.value.readDataToEndOfFile(), as: UTF8.self)
    }.value()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text.split(separator: "\n").count { $0.contains("A request was answered") } == 1000)
  }

  /// The last lines can't be written: the process ends all the same.
  @Test func aLogThatNobodyReadsHoldsNothingUp() throws {
    let folder = try TemporaryFolder()
    let (process, log) = try Self.unreadService(folder, requests: 1000)
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    process.terminate()
    let status = try Background("the end of a service whose log is full") { [process = Unchecked(process)] in
      process.value.waitUntilExit()
      return process.value.terminationStatus
    }.value()
    #expect(status == 0)
    withExtendedLifetime(log) {}
  }
}
