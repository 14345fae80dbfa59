import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// The cases over real sockets, one server for all of them.
@Suite struct CaseTests {
  static let service = try? TestService { configuration in
    // Shorter than the defaults, and long enough for a busy machine.
    configuration.timeouts.head = .milliseconds(1500)
    configuration.timeouts.bodyIdle = .milliseconds(1500)
    configuration.timeouts.keepAlive = .milliseconds(4000)
    configuration.crossOrigin = .init(origins: .list(["https://app.example"]))
  }

  @Test func casesAreThere() { #expect(HTTPCase.all.count == 189) }

  @Test(arguments: HTTPCase.all)
  func answersAsAllowed(_ example: HTTPCase) throws {
    let service = try #require(CaseTests.service)
    // Made before the connection: under a sanitizer the longest take longer than a fresh connection may be silent.
    let bytes = example.bytes(entityTag: "\"0123456789ab.1\"")
    let client = TestClient(port: service.port)
    var interim: [Int] = []
    send(example, bytes, client, &interim)
    if example.halfClose == true { client.shutWriting() }
    if example.abort != nil {
      client.reset()
      let other = TestClient(port: service.port)
      other.send(CaseTests.health)
      #expect(other.receive().code == "200")
      return
    }
    var first: TestClient.Response?
    var last = ""
    let heads = CaseTests.heads(example)
    for (index, allowed) in example.expect.enumerated() {
      let outcome = receive(client, isHead: index < heads.count && heads[index], &interim)
      if index == 0 { first = outcome.response }
      last = outcome.code
      let wanted = index == 0 ? example.prefer ?? allowed : allowed
      #expect(wanted.contains(outcome.code), "response \(index + 1) (\(example.rule))")
      if outcome.response == nil { break }
    }
    if let first { check(first, example) }
    if let allowed = example.interim { #expect(interim.allSatisfy(allowed.contains)) }
    if let keepAlive = example.keepAlive, last != "close" { checkConnection(client, example, keepAlive) }
  }

  static let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private func send(_ example: HTTPCase, _ bytes: [UInt8], _ client: TestClient, _ interim: inout [Int]) {
    if let steps = example.steps {
      for step in steps {
        if step.after == "100" {
          guard client.receive().code == "100" else { return }
          interim.append(100)
        } else if let milliseconds = Double(step.after) {
          // The drip: its pace is what the case is about. Compressed as the time-outs are.
          Thread.sleep(forTimeInterval: milliseconds / 10_000)
        }
        guard client.send(step.text) else { return }
      }
    } else if let size = example.fragment {
      for start in stride(from: 0, to: bytes.count, by: size) {
        client.send(Array(bytes[start..<min(start + size, bytes.count)]))
      }
    } else {
      client.send(bytes)
    }
  }

  private func receive(_ client: TestClient, isHead: Bool, _ interim: inout [Int]) -> TestClient.Outcome {
    while true {
      let outcome = client.receive(isHead: isHead, seconds: 60)
      guard let response = outcome.response, response.status < 200 else { return outcome }
      interim.append(response.status)
    }
  }

  private func check(_ response: TestClient.Response, _ example: HTTPCase) {
    for (name, pattern) in example.headers ?? [:] {
      let value = response.headers[name]
      guard var pattern else {
        #expect(value == nil, "\(name) must be absent")
        continue
      }
      if pattern.hasPrefix("?") { pattern.removeFirst() }
      #expect(value?.range(of: pattern, options: .regularExpression) != nil, "\(name): \(value ?? "absent")")
    }
    if response.status == 405 { #expect(response.headers["allow"] != nil) }
    if response.status == 204 { #expect(response.headers["content-length"] == nil) }
    #expect(response.headers["date"] != nil)
    #expect(response.headers["x-request-id"]?.isEmpty == false)
  }

  private func checkConnection(_ client: TestClient, _ example: HTTPCase, _ keepAlive: Bool) {
    if keepAlive {
      client.send(CaseTests.health)
      #expect(client.receive().code == "200", "the connection must stay usable")
    } else {
      #expect(client.receive().code == "close", "the connection must be closed")
    }
  }

  /// Which of the requests are HEAD: their responses have no body.
  private static func heads(_ example: HTTPCase) -> [Bool] {
    let text = String(decoding: example.bytes().prefix(10_000), as: UTF8.self)
    return text.components(separatedBy: " HTTP/1.").dropLast().map {
      $0.split(separator: " ").dropLast().last?.hasSuffix("HEAD") == true
    }
  }
}
