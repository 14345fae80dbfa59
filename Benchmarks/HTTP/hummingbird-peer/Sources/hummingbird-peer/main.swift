import Foundation
import Hummingbird
import Logging

// hummingbird-peer PORT FILE…: answers /0, /1 … with the files' bytes, from memory, and 304 where the tag matches.
let arguments = CommandLine.arguments
let router = Router()
for (index, path) in arguments.dropFirst(2).enumerated() {
  let bytes = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: path)))
  let headers: HTTPFields = [.contentType: "application/json", .eTag: "\"\(index)\""]
  router.get("\(index)") { request, _ in
    if request.headers[.ifNoneMatch] == "\"\(index)\"" { return Response(status: .notModified, headers: headers) }
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: bytes))
  }
}
var logger = Logger(label: "peer")
logger.logLevel = .error
let application = Application(
  router: router,
  configuration: .init(address: .hostname("127.0.0.1", port: Int(arguments[1]) ?? 8096)),
  logger: logger
)
try await application.runService()
