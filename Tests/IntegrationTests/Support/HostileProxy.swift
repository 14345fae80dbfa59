import Foundation
import TestSupport

/// What a proxy between client and service does with one request.
enum HostileDeed: CaseIterable, Sendable {
  /// As it should be; most requests.
  case pass
  case delay
  /// The service does it, the answer is cut somewhere, be it in its first line, and the connection closed.
  case cut
  /// Likewise, but only the sending half is closed.
  case halfClose
  /// The service does it, and nobody hears of it.
  case swallow
  /// Nobody hears of the request.
  case drop
  /// A reply of another time.
  case oldReply
  /// A whole reply, of half its JSON.
  case truncatedJSON
  case unavailable, tooMany, unauthorized, badGateway
  /// A page, with 200.
  case html
  case notModified

  static func random(_ random: inout SeededGenerator) -> HostileDeed {
    Int.random(in: 0..<10, using: &random) < 6 ? .pass : allCases.randomElement(using: &random) ?? .pass
  }
}

/// A proxy that misbehaves by a seed. Every connection has a thread of its own, which ends with it.
final class HostileProxy: Sendable {
  struct State {
    var random: SeededGenerator
    /// Off: everything is passed.
    var isHostile = true
    /// Until then nothing is answered: a tunnel, a lift.
    var silentUntil = Date.distantPast
    var oldReplies: [[UInt8]] = []
    /// When polls and other requests that only read were made.
    var reads: [Date] = []
    var deeds: [HostileDeed: Int] = [:]
  }

  let port: UInt16
  let state: Monitor<State>
  private let listener: Int32

  init(to service: UInt16, seed: UInt64) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard withLoopback(0, { bind(listener, $0, $1) }) == 0, listen(listener, 128) == 0 else { throw Socket.Ended() }
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
    }
    let state = Monitor(State(random: SeededGenerator(seed: seed)))
    (port, self.listener, self.state) = (UInt16(bigEndian: address.sin_port), listener, state)
    Thread {
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        Thread { try? Self.serve(Socket(accepted: connection), service, state) }.start()
      }
    }.start()
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Answers nothing for so many seconds, then closes what waits.
  func fallSilent(seconds: Double) { state.change { $0.silentUntil = Date(timeIntervalSinceNow: seconds) } }

  func calmDown() {
    state.change {
      $0.isHostile = false
      $0.silentUntil = .distantPast
    }
  }

  private static func serve(_ client: Socket, _ service: UInt16, _ state: Monitor<State>) throws {
    while true {
      let patience = Date(timeIntervalSinceNow: 120)
      let head = try client.read(upTo: "\r\n\r\n", before: patience, "a request")
      let text = String(decoding: head, as: UTF8.self)
      let length = text.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
      let count = length.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
      let body = try client.read(count: count, before: patience, "a body")
      let isRead = text.hasPrefix("GET")
      let deed = state.change { state -> HostileDeed in
        if isRead { state.reads.append(Date()) }
        let deed = state.isHostile ? HostileDeed.random(&state.random) : .pass
        state.deeds[deed, default: 0] += 1
        return deed
      }
      while case let silence = state.current.silentUntil, silence > Date() {
        Thread.sleep(forTimeInterval: min(0.2, max(0.01, silence.timeIntervalSinceNow)))
        if state.current.silentUntil <= Date() { return }
      }
      guard try answer(deed, text, head, body, isRead: isRead, client, service, state) else { return }
    }
  }

  /// Returns whether the connection goes on.
  private static func answer(
    _ deed: HostileDeed,
    _ text: String,
    _ head: [UInt8],
    _ body: [UInt8],
    isRead: Bool,
    _ client: Socket,
    _ service: UInt16,
    _ state: Monitor<State>
  ) throws -> Bool {
    switch deed {
    case .drop: return false
    case .unavailable: try client.send(reply("503 Service Unavailable", "Retry-After: 1\r\n", ""))
    case .tooMany: try client.send(reply("429 Too Many Requests", "Retry-After: 0\r\n", "{\"title\":\"Slow down\"}"))
    case .unauthorized: try client.send(reply("401 Unauthorized", "", "{\"title\":\"Unauthorized\",\"status\":401}"))
    case .badGateway: try client.send(reply("502 Bad Gateway", "Content-Type: text/html\r\n", "<html>502</html>"))
    case .html: try client.send(reply("200 OK", "Content-Type: text/html\r\n", "<html>Please log in</html>"))
    case .notModified: try client.send(Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8))
    case .oldReply where isRead:
      guard let old = state.change({ $0.oldReplies.randomElement(using: &$0.random) }) else { return false }
      try client.send(old)
    case .pass, .delay, .cut, .halfClose, .swallow, .oldReply, .truncatedJSON:
      let upstream = try HTTPClient(port: service)
      try upstream.send(raw: text + "\r\n\r\n" + String(decoding: body, as: UTF8.self))
      let answer = try upstream.receive("the service's answer")
      let bytes = raw(answer, answer.body)
      if isRead {
        state.change { state in
          state.oldReplies.append(bytes)
          if state.oldReplies.count > 20 { state.oldReplies.removeFirst() }
        }
      }
      switch deed {
      case .swallow: return false
      case .cut, .halfClose:
        let head = bytes.count - answer.body.count
        let kept = state.change { state in
          Bool.random(using: &state.random)
            ? Int.random(in: 1..<head, using: &state.random)
            : Int.random(in: min(head, bytes.count - 1)..<bytes.count, using: &state.random)
        }
        try client.send(Array(bytes.prefix(kept)))
        if deed == .cut { return false }
        client.endSending()
        _ = try? client.read(count: 1, before: Date(timeIntervalSinceNow: 2), "the client's end")
        return false
      case .truncatedJSON: try client.send(raw(answer, Array(answer.body.prefix(answer.body.count / 2))))
      case .delay:
        Thread.sleep(forTimeInterval: state.change { Double.random(in: 0..<0.4, using: &$0.random) })
        try client.send(bytes)
      default: try client.send(bytes)
      }
    }
    return true
  }

  private static func reply(_ status: String, _ fields: String, _ body: String) -> [UInt8] {
    Array("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
  }

  private static func raw(_ reply: Reply, _ body: [UInt8]) -> [UInt8] {
    var head = "HTTP/1.1 \(reply.status) Passed\r\n"
    for (name, value) in reply.headers where name != "content-length" { head += "\(name): \(value)\r\n" }
    return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }
}
