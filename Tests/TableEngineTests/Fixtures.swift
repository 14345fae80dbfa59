import Configuration
import Definitions
import Logging
import Queues
import TableStore
import TestSupport
import Testing

@testable import TableEngine

extension ServiceDefinition {
  /// Reads a configuration that has no mistakes.
  static func read(_ text: String, environment: [String: String] = [:]) throws -> ServiceDefinition {
    let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "test", environment: environment)
    return try #require(definition, "\(diagnostics)")
  }
}

extension ServiceDefinition {
  /// A table of two tasks, `todo`, whose rows a tap expands.
  ///
  /// - Parameters:
  ///   - locales: with commas between; each title ends with its own. Nil: none is named.
  ///   - sharedTaps: taps are everyone's.
  static func tasks(_ locales: String? = nil, sharedTaps: Bool = false) throws -> ServiceDefinition {
    try read(
      """
      \(locales.map { "locales: [\($0)]" } ?? "")
      cells:
        Task: {fields: {title: string, isExpanded: boolean}, expands: isExpanded}
      tables:
        todo:
          source: {local: {items: [{title: A}, {title: B}]}}
          cell: Task
          payload: {title: "${title}\(locales == nil ? "" : " ${$locale}")", isExpanded: false}
          sharedTaps: \(sharedTaps)
      """
    )
  }
}

extension LiveTable {
  /// Waits until all that was asked of the table so far, in all languages, has been laid out.
  func settle() {
    for _ in 0..<3 {
      for table in all { table.writer.content.queue.sync {} }
    }
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
