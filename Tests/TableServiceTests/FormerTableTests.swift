import Configuration
import Definitions
import Dispatch
import Foundation
import HTTPServer
import Logging
import TableEngine
import TableStore
import TestSupport
import Testing

@testable import TableService

/// What a service lets go of when it goes on with another configuration.
@Suite struct FormerTableTests {
  private struct Former {
    weak var table: LiveTable?
    weak var state: ServiceState?
  }

  private func definition(tables names: String...) throws -> ServiceDefinition {
    let tables = names.map { name in
      "  \(name): {source: {local: {items: [{title: first}]}}, cell: Label, payload: {title: \"${title}\"}}\n"
    }
    let text = "cells: {Label: {fields: {title: string}}}\ntables:\n" + tables.joined()
    let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "test", environment: [:])
    return try #require(definition, "\(diagnostics)")
  }

  /// The head of the last request remembers its table, and no other one comes.
  @Test func noHeadKeepsATableThatIsGone() async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let service = try await TableService(
      try definition(tables: "kept", "gone"),
      environment: ServiceEnvironment(store: MemoryStore(), logger: logger, isOpenForEdits: true)
    )
    var configuration = HTTPServer.Configuration()
    configuration.port = 0
    let server = Server(configuration: configuration, handler: service, logger: logger)
    service.attach(server)
    let client = try HTTPClient(port: try server.start().port)
    await service.start()
    for path in ["", "/changes?wait=0"] {
      #expect(try client.request("GET", "/v1/tables/gone\(path)").status == 200)
    }
    let former = Former(
      table: service.state.catalog.tables.first { $0.reference.name == "gone" },
      state: service.state
    )
    #expect(former.table != nil)
    try await service.reload(try definition(tables: "kept"))
    for _ in 0..<5000 where former.table != nil || former.state != nil { usleep(1000) }
    #expect(former.state == nil)
    #expect(former.table == nil)
    let end = DispatchSemaphore(value: 0)
    server.drain(deadline: .seconds(1)) { service.close { end.signal() } }
    end.wait()
  }
}
