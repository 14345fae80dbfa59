import Foundation
import JSON
import TestSupport

/// An upstream API over real sockets, whose answers a test sets.
final class ScriptedUpstream: Sendable {
  struct Request: Sendable {
    var method: String
    /// With the query.
    var target: String
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]
  }

  enum Answer: Sendable {
    case json(JSONValue)
    case status(Int, String)
    /// With header fields of its own.
    case reply(Int, [String: String], JSONValue)
    /// The same with a body that need not be JSON, though it says that it is.
    case text(Int, [String: String], String)
    /// After so many seconds.
    case late(Double, JSONValue)
    /// The connection is closed in the middle of the body.
    case cutOff
    /// Nothing is answered until the answer is another one.
    case silence
  }

  let port: UInt16
  private let listener: Int32
  private let script: Monitor<@Sendable (Request) -> Answer>
  let requests = Monitor<[Request]>([])
  /// How many connections are open.
  let connections = Monitor(0)

  init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
    let script = Monitor(answer)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    (self.script, self.listener) = (script, listener)
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard withLoopback(0, { bind(listener, $0, $1) }) == 0, listen(listener, 128) == 0 else { throw Socket.Ended() }
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
    }
    port = UInt16(bigEndian: address.sin_port)
    let (requests, connections) = (requests, connections)
    Thread {
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        connections.change { $0 += 1 }
        Thread {
          try? Self.serve(Socket(accepted: connection), script, requests)
          connections.change { $0 -= 1 }
        }
        .start()
      }
    }.start()
  }

  convenience init(_ json: JSONValue) throws { try self.init { _ in .json(json) } }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  var url: String { "http://127.0.0.1:\(port)" }

  func answer(by script: @escaping @Sendable (Request) -> Answer) { self.script.change { $0 = script } }
  func answer(_ answer: Answer) { script.change { $0 = { _ in answer } } }
  func answer(_ json: JSONValue) { answer(.json(json)) }
  func script(_ answer: @escaping @Sendable (Request) -> Answer) { script.change { $0 = answer } }

  private static func serve(
    _ socket: Socket,
    _ script: Monitor<@Sendable (Request) -> Answer>,
    _ requests: Monitor<[Request]>
  ) throws {
    while true {
      let deadline = Date(timeIntervalSinceNow: 60)
      let head = String(decoding: try socket.read(upTo: "\r\n\r\n", before: deadline, "a request"), as: UTF8.self)
      let lines = head.components(separatedBy: "\r\n")
      let words = lines[0].split(separator: " ").map(String.init)
      var request = Request(method: words[0], target: words[1], headers: [:], body: [])
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2 { request.headers[parts[0].lowercased()] = parts[1] }
      }
      if let length = request.headers["content-length"].flatMap({ Int($0) }) {
        request.body = try socket.read(count: length, before: deadline, "a body")
      }
      requests.change { [request] in $0.append(request) }
      // Silence lasts until the script is another one.
      let answer = try script.wait(for: "an answer", seconds: 60) { script -> Answer? in
        let answer = script(request)
        if case .silence = answer { return nil } else { return answer }
      }
      switch answer {
      case .json(let json): try socket.send(response(json, to: request))
      case .status(let status, let text):
        try socket.send(
          Array("HTTP/1.1 \(status) Scripted\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
        )
      case .reply(let status, let fields, let json):
        try socket.send(response(status, fields, json.bytes))
      case .text(let status, let fields, let text):
        try socket.send(response(status, fields, Array(text.utf8)))
      case .late(let seconds, let json):
        Thread.sleep(forTimeInterval: seconds)
        try socket.send(response(json, to: request))
      case .cutOff:
        try socket.send(Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[".utf8))
        return
      case .silence: return
      }
    }
  }

  private static func response(_ status: Int, _ fields: [String: String], _ body: [UInt8]) -> [UInt8] {
    let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
    let type = fields["Content-Type"] == nil ? "Content-Type: application/json\r\n" : ""
    let head = "HTTP/1.1 \(status) Scripted\r\n\(type)\(lines)"
    return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }

  private static func response(_ json: JSONValue, to request: Request) -> [UInt8] {
    let body = json.bytes
    let tag = "\"\(body.reduce(5381 as UInt64) { $0 &* 33 ^ UInt64($1) })\""
    if request.headers["if-none-match"] == tag {
      return Array("HTTP/1.1 304 Not Modified\r\nETag: \(tag)\r\n\r\n".utf8)
    }
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \(tag)\r\nContent-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }
}
