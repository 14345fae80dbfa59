import Definitions
import TestSupport

@testable import TableEngine

/// Configurations are taken over by tasks. Tests that wait for nothing else meanwhile block.
extension Engine {
  convenience init(_ definition: ServiceDefinition, _ environment: EngineEnvironment) throws {
    try self.init(for: definition, in: environment)
    try blocking { [self] in try await load(definition) }
  }

  func start() { try? blocking { [self] in await start() } }

  func prepare(_ definition: ServiceDefinition) throws -> Prepared {
    try blocking { [self] in try await prepare(definition) }
  }

  @discardableResult
  func adopt(_ next: Prepared) throws -> Catalog {
    try blocking { [self] in try await adopt(next) }
  }
}
