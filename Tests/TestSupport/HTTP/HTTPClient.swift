import Foundation
package import JSON

/// One keep-alive connection to the service.
package final class HTTPClient {
  private let port: UInt16
  private let socket: Socket

  /// - Parameter host: the last number of its address on loopback.
  package init(port: UInt16, host: Int = 1) throws {
    self.port = port
    socket = try Socket(port: port, host: host)
  }

  package func request(
    _ method: String = "GET",
    _ target: String,
    _ headers: [String: String] = [:],
    body: JSONValue? = nil,
    seconds: Double = 60
  ) throws -> Reply {
    try send(method, target, headers, body: body)
    return try receive("\(method) \(target)", isHead: method == "HEAD", seconds: seconds)
  }

  package func send(_ method: String, _ target: String, _ headers: [String: String] = [:], body: JSONValue? = nil)
    throws
  {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if body != nil, headers["Content-Type"] == nil { head += "Content-Type: application/json\r\n" }
    if let body { head += "Content-Length: \(body.bytes.count)\r\n" }
    try socket.send(Array((head + "\r\n").utf8) + (body?.bytes ?? []))
  }

  package func send(raw bytes: [UInt8]) throws { try socket.send(bytes) }

  package func send(raw text: String) throws { try send(raw: Array(text.utf8)) }

  /// Says that nothing more comes from here.
  package func endSending() { socket.endSending() }

  /// Has the connection end with a reset when this is gone.
  package func endByReset() { socket.endByReset() }

  /// The next response. `isHead`: it has no body, whatever its head says.
  package func receive(_ awaited: String, isHead: Bool = false, seconds: Double = 60) throws -> Reply {
    let deadline = Date(timeIntervalSinceNow: seconds)
    var reply = try receiveHead(awaited, seconds: seconds)
    if isHead || reply.status < 200 || reply.status == 204 || reply.status == 304 { return reply }
    if reply["Transfer-Encoding"] == "chunked" {
      while case let chunk = try chunk(before: deadline, awaited), !chunk.isEmpty { reply.body += chunk }
    } else if let length = Int(reply["Content-Length"]) {
      reply.body = try socket.read(count: length, before: deadline, awaited)
    } else {
      reply.body = try socket.readToEnd(before: deadline, awaited)
    }
    return reply
  }

  /// The head alone: the body of a stream comes by `receiveChunk`.
  package func receiveHead(_ awaited: String, seconds: Double = 60) throws -> Reply {
    let bytes = try socket.read(upTo: "\r\n\r\n", before: Date(timeIntervalSinceNow: seconds), awaited)
    let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw Malformed("the header field `\(line)`") }
      let (name, value) = (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
      headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }
    let words = lines[0].split(separator: " ")
    guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
      throw Malformed("the status line `\(lines[0])`")
    }
    return Reply(status: status, headers: headers, body: [])
  }

  /// One chunk of a chunked body (RFC 9112 7.1).
  package func receiveChunk(_ awaited: String, seconds: Double = 60) throws -> String {
    String(decoding: try receiveChunkBytes(awaited, seconds: seconds), as: UTF8.self)
  }

  package func receiveChunkBytes(_ awaited: String, seconds: Double = 60) throws -> [UInt8] {
    try chunk(before: Date(timeIntervalSinceNow: seconds), awaited)
  }

  private func chunk(before deadline: Date, _ awaited: String) throws -> [UInt8] {
    let size = String(decoding: try socket.read(upTo: "\r\n", before: deadline, awaited), as: UTF8.self)
    guard let count = Int(size, radix: 16) else { throw Malformed("the chunk size `\(size)`") }
    return try socket.read(count: count + 2, before: deadline, awaited).dropLast(2)
  }
}
