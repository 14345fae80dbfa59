import Foundation
import Hummingbird
import Logging

// hummingbird-peer PORT FILE…: answers /0, /1 … with the files' bytes, from memory, and 304 where the tag matches.
// A file called *.gz is sent as what it is the gzip form of.
let arguments = CommandLine.arguments
let router = Router()
for (index, path) in arguments.dropFirst(2).enumerated() {
  let bytes = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: path)))
  var headers: HTTPFields = [.contentType: "application/json", .eTag: "\"\(index)\""]
  if path.hasSuffix(".gz") { headers[.contentEncoding] = "gzip" }
  let fields = headers
  router.get("\(index)") { request, _ in
    if request.headers[.ifNoneMatch] == "\"\(index)\"" { return Response(status: .notModified, headers: fields) }
    return Response(status: .ok, headers: fields, body: .init(byteBuffer: bytes))
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
