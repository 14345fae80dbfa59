import Configuration
import Definitions
import Logging
import TableStore
import Testing

@testable import TableEngine

extension ServiceDefinition {
  /// Reads a configuration that has no mistakes.
  static func read(_ text: String, environment: [String: String] = [:]) throws -> ServiceDefinition {
    let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "test", environment: environment)
    return try #require(definition, "\(diagnostics)")
  }
}

extension EngineEnvironment {
  /// With nobody to be told of news, and no log.
  static func silent(_ store: any Store) -> EngineEnvironment {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return EngineEnvironment(store: store, logger: logger, notifier: Nobody())
  }
}

/// A notifier without anybody to tell.
final class Nobody: ChangeNotifier {
  func wake(_ topics: [ChangeTopic]) {}
}
