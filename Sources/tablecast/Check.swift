import ArgumentParser
import Configuration
import Definitions
import Foundation
import JSON

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Report every mistake in a configuration, and what is declared and unused.",
    discussion: """
      Exits with 1 where there is an error; warnings alone leave it 0. It needs no secrets: variables of the environment that \
      are not set are warned of.
      """
  )

  @Argument(help: "The configuration, a YAML file.")
  var file: String

  @Flag(help: "A variable of the environment that is not set is an error, as it is for `serve`.")
  var secrets = false

  @Flag(help: "For machines: a JSON list of {file, line, column, severity, message, suggestion}.")
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
