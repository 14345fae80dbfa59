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

  @Option(help: "Where to listen, instead of the configuration's `listen`: HOST:PORT. Port 0: the kernel chooses.")
  var listen: String?

  @Flag(
    help: """
      Let everyone who reaches the service edit, also where it does not listen on loopback. Without tokens in the \
      configuration, editing is open on loopback only.
      """
  )
  var insecure = false

  @Option(help: "What is logged: trace, debug, info, notice, warning, error, critical.")
  var logLevel: Logger.Level = .info

  @Flag(
    help: """
      A line in the log for each request that is answered, whatever `--log-level`: method, path (without the query), status, \
      bytes, milliseconds, caller, address.
      """
  )
  var accessLog = false

  func run() throws {
    Logs.bootstrap(level: logLevel)
    let log = accessLog ? AccessLog() : nil
    try Service(configuration: .file(config), listen: listen, insecure: insecure, accessLog: log).run()
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
