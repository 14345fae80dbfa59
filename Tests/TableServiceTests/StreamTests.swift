import Configuration
import HTTPServer
import JSON
import Logging
import TableService
import TableStore
import TestSupport
import Testing

/// Event streams with signs of life that come soon: in the tests' process, as a configuration has no word for that.
@Suite struct StreamTests {
  /// As a poll is when its wait is over: or it would one day come back with a cursor that nobody knows any more.
  @Test func aStreamIsToldWhatHappensOutsideOfItsWindow() async throws {
    let (definition, diagnostics) = ConfigurationReader.read(
      text: """
        cells: {Label: {fields: {title: string}}}
        tables: {t: {source: {local: {items: [{title: first}]}}, cell: Label, payload: {title: "${title}"}}}
        """,
      file: "test",
      environment: [:]
    )
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let service = try await TableService(
      try #require(definition, "\(diagnostics)"),
      environment: ServiceEnvironment(store: MemoryStore(), logger: logger, isOpenForEdits: true)
    )
    var configuration = HTTPServer.Configuration()
    configuration.port = 0
    configuration.timeouts.heartbeat = .milliseconds(20)
    let server = Server(configuration: configuration, handler: service, logger: logger)
    service.attach(server)
    let port = try server.start().port
    await service.start()
    let reader = try HTTPClient(port: port)
    try reader.send("GET", "/v1/tables/t/stream?rows=1")
    _ = try reader.receiveHead("the stream")
    let first = try reader.receiveChunk("the first event")
    #expect(first.contains("\"reset\":\"start\""))
    #expect(try HTTPClient(port: port).request("POST", "/v1/tables/t/items", body: ["title": "outside"]).status == 201)
    var next = ""
    for _ in 0..<50 where !next.hasPrefix("event:") { next = try reader.receiveChunk("the next event") }
    #expect(next.contains(#""window":{"rows":1,"of":2}"#), "\(next)")
    let cursor = next.split(separator: "\n").first { $0.hasPrefix("id: ") }
    #expect(cursor?.hasSuffix(".2~r1") == true, "\(next)")
    // Once: from then on it is where the table is.
    for _ in 0..<3 { #expect(try reader.receiveChunk("a sign of life") == ": still here\n\n") }
    await withCheckedContinuation { continuation in
      server.drain(deadline: .seconds(1)) { service.close { continuation.resume() } }
    }
  }
}
