import ArgumentParser
import Configuration
import Definitions
import Foundation
import JSON

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Report all mistakes in a configuration, and unused declarations.",
    discussion: """
      The exit code is 1 if there is an error, and 0 if there are only warnings. Environment variables that are not set are \
      only warnings, so the command needs no secrets.
      """
  )

  @Argument(help: "The configuration, a YAML file.")
  var file: String

  @Flag(help: "Report environment variables that are not set as errors, as `serve` does.")
  var secrets = false

  @Flag(help: "Print a JSON list of {file, line, column, severity, message, suggestion}.")
  var json = false

  func run() throws {
    let (definition, diagnostics) = ConfigurationReader.read(
      path: file,
      environment: ProcessInfo.processInfo.environment,
      toleratesUnset: !secrets
    )
    if json {
      try show(String(decoding: diagnostics.json.bytes, as: UTF8.self) + "\n")
    } else if !diagnostics.isEmpty {
      try show(diagnostics.rendered(inColor: isatty(1) == 1))
    }
    if definition == nil || diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
    if !json, let definition {
      try show(
        "\(file) is fine: \(count(definition.tables, "table")), \(count(definition.sources, "source")), "
          + "\(count(definition.cells, "cell"))\n"
      )
    }
  }
}

private func count(_ things: some Collection, _ noun: String) -> String {
  "\(things.count) \(noun)\(things.count == 1 ? "" : "s")"
}

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the JSON Schema of configurations, for editors."
  )

  func run() throws { try show(ConfigurationSchema.text) }
}
