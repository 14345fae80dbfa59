import Foundation

@testable import Configuration

/// A file of Tests/Fixtures.
func fixture(_ name: String) throws -> String {
  try String(contentsOf: repository.appending(path: "Tests/Fixtures/\(name)"), encoding: .utf8)
}

/// The folder that Package.swift stands in.
let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// Diagnostics as `line:column: text`, one each.
func diagnostics(_ text: String, environment: [String: String] = [:]) -> [String] {
  ConfigurationReader.read(text: text, file: "t.yaml", environment: environment).diagnostics.map {
    String($0.description.dropFirst("t.yaml:".count))
  }
}
