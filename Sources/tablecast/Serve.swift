public import ArgumentParser
import Configuration
import Definitions
import Dispatch
import Foundation
import HTTPServer
public import Logging
import TableService

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serve the tables of a configuration.")

  @Option(name: .shortAndLong, help: "The configuration, a YAML file.")
  var config: String

  @Option(help: "The address, in place of the configuration's `listen`: HOST:PORT. With port 0 the kernel chooses one.")
  var listen: String?

  @Flag(
    help: """
      Let everyone who reaches the service edit. By default, without tokens in the configuration, editing is open only if the \
      service listens on loopback.
      """
  )
  var insecure = false

  @Option(help: "The lowest level that is logged.")
  var logLevel: Logger.Level = .info

  @Flag(
    help: """
      Log a line for each answered request, at any `--log-level`: method, path (without the query), status, bytes, \
      milliseconds, caller, address.
      """
  )
  var accessLog = false

  func run() throws {
    Signals.block()
    Logs.bootstrap(level: logLevel)
    let log = accessLog ? AccessLog() : nil
    try Service(configuration: .file(config), listen: listen, insecure: insecure, accessLog: log).run()
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
