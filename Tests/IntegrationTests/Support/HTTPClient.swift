import CZlib
import Foundation
import JSON

/// What the service answered.
struct Reply: Sendable {
  var status: Int
  /// Names in lower case; the values of several lines joined.
  var headers: [String: String]
  /// As it came, with its content coding.
  var body: [UInt8]

  subscript(name: String) -> String { headers[name.lowercased()] ?? "" }

  /// Without its content coding.
  var content: [UInt8] {
    get throws {
      switch self["Content-Encoding"] {
      case "gzip", "deflate": try inflated(body)
      default: body
      }
    }
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  var json: JSONValue { get throws { try JSONValue(parsing: content) } }
}

/// One keep-alive connection to the service.
final class HTTPClient {
  private let port: UInt16
  private var socket: Socket

  /// - Parameter host: the last number of its address on loopback.
  init(port: UInt16, host: Int = 1) throws {
    self.port = port
    socket = try Socket(port: port, host: host)
  }

  func request(
    _ method: String = "GET",
    _ target: String,
    _ headers: [String: String] = [:],
    body: JSONValue? = nil,
    seconds: Double = 60
  ) throws -> Reply {
    try send(method, target, headers, body: body)
    return try receive("\(method) \(target)", isHead: method == "HEAD", seconds: seconds)
  }

  func send(_ method: String, _ target: String, _ headers: [String: String] = [:], body: JSONValue? = nil) throws {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if body != nil, headers["Content-Type"] == nil { head += "Content-Type: application/json\r\n" }
    if let body { head += "Content-Length: \(body.bytes.count)\r\n" }
    try socket.send(Array((head + "\r\n").utf8) + (body?.bytes ?? []))
  }

  func send(raw text: String) throws { try socket.send(Array(text.utf8)) }

  func receive(_ awaited: String, isHead: Bool = false, seconds: Double = 60) throws -> Reply {
    let deadline = Date(timeIntervalSinceNow: seconds)
    var reply = try receiveHead(awaited, seconds: seconds)
    if isHead || reply.status == 204 || reply.status == 304 { return reply }
    if let length = Int(reply["Content-Length"]) {
      reply.body = try socket.read(count: length, before: deadline, awaited)
    }
    return reply
  }

  /// The head alone: the body of a stream comes by `receiveChunk`.
  func receiveHead(_ awaited: String, seconds: Double = 60) throws -> Reply {
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

  /// One chunk of a chunked body (RFC 9112 §7.1).
  func receiveChunk(_ awaited: String, seconds: Double = 60) throws -> String {
    let deadline = Date(timeIntervalSinceNow: seconds)
    let size = String(decoding: try socket.read(upTo: "\r\n", before: deadline, awaited), as: UTF8.self)
    guard let count = Int(size, radix: 16) else { throw Malformed("the chunk size `\(size)`") }
    let bytes = try socket.read(count: count + 2, before: deadline, awaited)
    return String(decoding: bytes.dropLast(2), as: UTF8.self)
  }
}

/// What came is not what the protocol allows.
struct Malformed: Error, CustomStringConvertible {
  let description: String
  init(_ what: String) { description = "malformed: \(what)" }
}

/// The content of a gzip or zlib stream (RFC 1952, RFC 1950).
private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
  var stream = z_stream()
  // 32 above the window's bits: gzip and zlib headers are told apart by zlib.
  guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
    throw Malformed("zlib does not start")
  }
  defer { inflateEnd(&stream) }
  var input = bytes
  var output = [UInt8](repeating: 0, count: 1 << 22)
  let result = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
      (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
      return inflate(&stream, Z_FINISH)
    }
  }
  guard result == Z_STREAM_END, stream.avail_in == 0 else { throw Malformed("the compressed body") }
  return Array(output.prefix(Int(stream.total_out)))
}
