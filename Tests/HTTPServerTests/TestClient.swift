import Foundation

/// A client that sends bytes as they are, and reads responses with a bound on its patience.
final class TestClient {
  struct Response: Equatable {
    var status: Int
    /// Names in lower case; the values of several lines joined.
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  enum Outcome: Equatable {
    case response(Response)
    /// The connection has ended where a response would begin.
    case closed
    /// Nothing came in time.
    case timeout
    /// What came is no response.
    case malformed(String)

    var code: String {
      switch self {
      case .response(let response): String(response.status)
      case .closed: "close"
      case .timeout: "timeout"
      case .malformed(let what): "malformed: \(what)"
      }
    }

    var response: Response? { if case .response(let response) = self { response } else { nil } }
  }

  let descriptor: Int32
  private var buffer: [UInt8] = []
  private(set) var hasEnded = false
  private var isOpen = true

  init(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { hasEnded = true }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close() }

  func close() {
    if isOpen { Glibc.close(descriptor) }
    isOpen = false
  }

  /// Closes with a reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func shutWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(HTTPCase.latin1(text)) }

  /// Reads the next response. `isHead`: it has no body, whatever its head says.
  func receive(isHead: Bool = false, seconds: Double = 60) -> Outcome {
    let deadline = Date(timeIntervalSinceNow: seconds)
    var end: Int?
    while end == nil {
      end = headEnd()
      if end == nil, let outcome = fill(deadline) { return outcome }
    }
    guard let end else { return .timeout }
    let head = String(decoding: buffer[..<end], as: UTF8.self)
    buffer.removeFirst(end + 4)
    let lines = head.components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return .malformed(lines[0]) }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return .malformed(line) }
      let name = parts[0].lowercased()
      let value = parts[1].trimmingCharacters(in: .whitespaces)
      headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }
    var response = Response(status: status, headers: headers, body: [])
    if isHead || status < 200 || status == 204 || status == 304 { return .response(response) }
    if headers["transfer-encoding"] == "chunked" {
      guard let body = chunkedBody(deadline) else { return .malformed("chunked body") }
      response.body = body
    } else if let length = headers["content-length"].flatMap({ Int($0) }) {
      while buffer.count < length { if let outcome = fill(deadline) { return outcome } }
      response.body = Array(buffer[..<length])
      buffer.removeFirst(length)
    } else {
      while fill(deadline) == nil {}
      response.body = buffer
      buffer = []
    }
    return .response(response)
  }

  /// Reads one chunk of a response that never ends; nil where none comes in time.
  func receiveChunk(seconds: Double = 60) -> [UInt8]? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      if let end = firstRange(of: [0x0d, 0x0a]),
        let size = Int(String(decoding: buffer[..<end], as: UTF8.self), radix: 16),
        buffer.count >= end + 2 + size + 2
      {
        let chunk = Array(buffer[(end + 2)..<(end + 2 + size)])
        buffer.removeFirst(end + 4 + size)
        return chunk
      }
      if fill(deadline) != nil { return nil }
    }
  }

  /// Reads the head of a response without its body.
  func receiveHead(seconds: Double = 60) -> Outcome { receive(isHead: true, seconds: seconds) }

  private func chunkedBody(_ deadline: Date) -> [UInt8]? {
    var body: [UInt8] = []
    while let chunk = receiveChunk(seconds: deadline.timeIntervalSinceNow) {
      if chunk.isEmpty { return body }
      body += chunk
    }
    return nil
  }

  private func headEnd() -> Int? { firstRange(of: [0x0d, 0x0a, 0x0d, 0x0a]) }

  private func firstRange(of pattern: [UInt8]) -> Int? {
    guard buffer.count >= pattern.count else { return nil }
    return (0...(buffer.count - pattern.count)).first { buffer[$0..<($0 + pattern.count)].elementsEqual(pattern) }
  }

  /// Nil where more has come.
  private func fill(_ deadline: Date) -> Outcome? {
    let ended: Outcome = buffer.isEmpty ? .closed : .malformed("ended in \(buffer.count) bytes")
    if hasEnded { return ended }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let patience = Int32(max(0, deadline.timeIntervalSinceNow * 1000))
    guard poll(&entry, 1, patience) > 0 else { return .timeout }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else {
      hasEnded = true
      return ended
    }
    buffer += bytes[..<count]
    return nil
  }
}
