public import ArgumentParser
public import CodeGeneration
import Configuration
import Definitions
import Foundation

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print typed cell models for apps, from the cells of a configuration.",
    discussion:
      "Swift: Codable structs and an enum over identifiers. TypeScript: a discriminated union. Kotlin: sealed classes. Secrets are not needed."
  )

  @Argument(help: "The language.")
  var language: CodeGenerator.Language

  @Option(name: .shortAndLong, help: "The configuration, a YAML file.")
  var config: String

  func run() throws {
    let definition = try ServiceConfiguration.file(config).definition(toleratesUnset: true)
    let code = CodeGenerator.generate(language, of: definition)
    try show(code)
  }
}

extension CodeGenerator.Language: ExpressibleByArgument {}
