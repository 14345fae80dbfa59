import ArgumentParser
import Configuration
import Definitions
import Foundation
import Logging
import TableMapping

/// The place of a service's configuration: a file, or this program.
enum ServiceConfiguration: Sendable {
  case file(String)
  /// The one of `tablecast demo`.
  case demo

  /// The name in messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .demo: "demo.yaml"
    }
  }

  /// - Returns: the definition, nil where there is an error among the diagnostics.
  ///
  /// - Parameter toleratesUnset: variables of the environment that are not set are warned of.
  func read(toleratesUnset: Bool = false) -> (definition: ServiceDefinition?, diagnostics: [Diagnostic]) {
    let environment = ProcessInfo.processInfo.environment
    switch self {
    case .file(let path):
      return ConfigurationReader.read(path: path, environment: environment, toleratesUnset: toleratesUnset)
    case .demo:
      let text = String(decoding: PackageResources.demo_yaml, as: UTF8.self)
      return ConfigurationReader.read(text: text, file: name, environment: environment)
    }
  }

  /// Reads it; prints what is wrong with it.
  ///
  /// - Throws: `ExitCode` where it has mistakes.
  func definition(toleratesUnset: Bool = false) throws -> ServiceDefinition {
    let (definition, diagnostics) = read(toleratesUnset: toleratesUnset)
    if !diagnostics.isEmpty {
      try? FileHandle.standardError.write(contentsOf: Data(diagnostics.rendered(inColor: isatty(2) == 1).utf8))
    }
    guard let definition else { throw ExitCode(1) }
    return definition
  }
}

extension ServiceDefinition {
  /// Makes a table of items as the service does.
  func mapper(of table: TableDefinition) throws -> TableMapper {
    do {
      return try TableMapper(table: table, cells: cells, representations: representations, sources: sources)
    } catch {
      throw CleanExit.failure("table `\(table.name)`: \(error)")
    }
  }
}

extension Diagnostic {
  /// Says it in the log, where a service that runs reads its configuration again.
  func log(to logger: Logger) {
    logger.log(
      level: severity == .error ? .error : .warning,
      "\(message)\(suggestion.map { ", \($0)" } ?? "")",
      metadata: ["file": "\(file)", "line": .stringConvertible(line), "column": .stringConvertible(column)]
    )
  }
}
