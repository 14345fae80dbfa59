import Dispatch
import HTTPServer
import Logging

// A server for the cases and the benchmarks: `HTTPTestServer [port] [loops]`.
var logger = Logger(label: "test-server")
logger.logLevel = .warning

var configuration = Configuration()
configuration.port = CommandLine.arguments.count > 1 ? UInt16(CommandLine.arguments[1]) ?? 8080 : 8080
configuration.loops = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 2 : 2
configuration.crossOrigin = .init(origins: .list(["https://app.example"]))

let handler = TestHandler()
let server = Server(configuration: configuration, handler: handler, logger: logger)
handler.attach(server)
do {
  print("listening on \(try server.start())")
} catch {
  print(error)
}
dispatchMain()
