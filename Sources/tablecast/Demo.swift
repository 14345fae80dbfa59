import AirportDemo
import ArgumentParser
import Dispatch
import Foundation
import HTTPServer
import Logging

struct Demo: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show an airport's departures: an API and the service on it, as two processes."
  )

  @Option(help: "The seed of the airport's events.")
  var seed: UInt64 = 7

  @Option(help: "A configuration for the service, in place of the demo's own.")
  var config: String?

  @Option(help: "The service's address: HOST:PORT.")
  var listen = "127.0.0.1:8080"

  func run() throws {
    Signals.block()
    Logs.bootstrap(level: .notice)
    let airport = try AirportProcess.start(seed: seed)
    setenv("TABLECAST_DEMO_UPSTREAM", "http://127.0.0.1:\(airport.port)", 1)
    let service = try Service(
      configuration: config.map(ServiceConfiguration.file) ?? .demo,
      listen: listen,
      insecure: false
    )
    try withExtendedLifetime(airport) {
      try service.run { address in
        print(Self.greeting(address, airport))
        fflush(nil)
      }
    }
  }

  private static func greeting(_ address: SocketAddress, _ airport: AirportProcess) -> String {
    """

    An airport (http://127.0.0.1:\(airport.port)/flights) and Tablecast on it. Look at it: http://\(address)/

      curl http://\(address)/v1/tables/departures
      curl "http://\(address)/v1/tables/departures/changes?wait=20"            a snapshot, and the cursor `to`
      curl "http://\(address)/v1/tables/departures/changes?after=CURSOR"       waits for what changes next
      curl -N http://\(address)/v1/tables/departures/stream                    the same, as it happens
      curl -X POST http://\(address)/v1/tables/todo/items -H 'Content-Type: application/json' -d '{"title":"Pack"}'

    Ctrl-C ends both.

    """
  }
}

/// The upstream of the demo, as a process of its own: it ends when its standard input does, so never outlives this.
private final class AirportProcess {
  let port: Int
  private let process = Process()
  private let input = Pipe()

  /// At the port that README names, where that is free.
  static func start(seed: UInt64) throws -> AirportProcess {
    try (try? AirportProcess(seed: seed, port: 8081)) ?? AirportProcess(seed: seed, port: 0)
  }

  private init(seed: UInt64, port asked: UInt16) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: CommandLine.executablePath)
    process.arguments = ["demo-upstream", "--seed", "\(seed)", "--port", "\(asked)"]
    process.standardInput = input
    process.standardOutput = output
    // That the port is taken is no news.
    if asked != 0 { process.standardError = FileHandle.nullDevice }
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw CleanExit.failure("the demo's airport did not start")
    }
    self.port = port
  }

  deinit { process.terminate() }
}

extension CommandLine {
  /// The running program, however it was called.
  static var executablePath: String {
    let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    return link ?? Bundle.main.executablePath ?? arguments[0]
  }
}

/// The airport itself. Prints its port, and serves until its standard input ends.
struct DemoUpstream: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "demo-upstream", shouldDisplay: false)

  @Option var seed: UInt64 = 7
  @Option(help: "Where to listen; 0: the kernel chooses.") var port: UInt16 = 0
  @Option(help: "Seconds to a minute of the airport's.") var interval = 1.0

  func run() throws {
    Logs.bootstrap(level: .warning)
    let airport = AirportAPI(seed: seed)
    var configuration = HTTPServer.Configuration()
    configuration.port = port
    configuration.loops = 1
    let server = Server(configuration: configuration, handler: airport, logger: Logger(label: "airport"))
    let address: SocketAddress
    do {
      address = try server.start()
    } catch {
      throw CleanExit.failure("\(error)")
    }
    print(address.port)
    fflush(nil)
    let clock = airport.run(every: interval)
    // The demo's Ctrl-C reaches the whole group: the end of the input is what counts.
    signal(SIGINT, SIG_IGN)
    DispatchQueue.global().async {
      while !FileHandle.standardInput.availableData.isEmpty {}
      Foundation.exit(0)
    }
    withExtendedLifetime((server, clock)) { dispatchMain() }
  }
}
