import Foundation
import JSON
import TestSupport
import Testing

/// Heads as large as they may be, filled with what takes longest.
@Suite struct SecurityHeadsTests {
  /// Every shortening of every range was compared with every locale: these took minutes, and all have one now.
  @Test func longLanguageRangesStopNoEventLoop() throws {
    let locales = [
      "en-US", "de-DE", "fr-FR", "es-ES", "it-IT", "nl-NL", "pl-PL", "pt-BR", "sv-SE", "ja-JP", "ko-KR", "zh-TW",
    ]
    let service = try ServiceProcess("locales: [\(locales.joined(separator: ", "))]\n" + todo)
    let clients = try (0..<32).map { _ in try service.client() }
    for (number, client) in clients.enumerated() {
      let long = String(repeating: number % 2 == 0 ? "a1-" : "a-", count: 10_000)
      try client.send("GET", "/v1/tables/todo", ["Accept-Language": "\(long)a1, de;q=0.5"])
    }
    let end = Date(timeIntervalSinceNow: 60)
    for client in clients {
      let reply = try client.receive("a reply to a long Accept-Language", seconds: end.timeIntervalSinceNow)
      #expect(reply.status == 200 && reply["Content-Language"] == "de-DE")
    }
    #expect(try service.request("GET", "/v1/tables/todo", ["Accept-Language": "fr"])["Content-Language"] == "fr-FR")
  }

  /// What nobody needs so much of is refused for its size, with words.
  @Test func headsHaveNoMoreOfAThingThanAnybodyNeeds() throws {
    let service = try ServiceProcess(todo)
    let many = String(repeating: "a&", count: 1000)
    // One character.
    let accents = String(repeating: "%CC%81", count: 2_000)
    let cases: [(String, String, [String: String], Int, String)] = [
      ("GET", "/v1/tables?\(many)", [:], 400, "There is no query parameter"),
      ("GET", "/v1/tables?a\(accents)", [:], 400, "There is no query parameter"),
      ("GET", "/v1/tables/todo/changes?after=a\(accents)", [:], 400, "is no cursor"),
      ("GET", "/v1/tables/todo?filter=a\(accents)", [:], 400, "is no filter"),
      ("GET", "/v1/tables?\(many)a", [:], 400, "1000 parameters"),
      ("GET", "/v1/tables/todo" + String(repeating: ";q=a", count: 256), [:], 400, "has no parameter"),
      ("GET", "/v1/tables/todo" + String(repeating: ";q=a", count: 257), [:], 404, "nothing at"),
      ("GET", "/v1/tables/todo", ["Accept-Cells": "A" + String(repeating: ";v=1", count: 7000)], 200, ""),
      ("GET", "/v1/tables/todo", ["Accept-Cells": String(repeating: "A,", count: 513)], 400, "more than 512"),
      ("GET", "/v1/tables/todo", ["Accept": String(repeating: "a/b,", count: 7000) + "*/*;q=0.1"], 200, ""),
      (
        "GET", "/v1/tables/todo", ["Accept": String(repeating: "*/*,", count: 7000) + "application/json;q=0.0"], 406, ""
      ),
      (
        "POST", "/v1/tables/todo/items", ["Content-Type": "application/json" + String(repeating: ";a=b", count: 252)],
        201, ""
      ),
      (
        "POST", "/v1/tables/todo/items", ["Content-Type": "application/json" + String(repeating: ";a=b", count: 253)],
        415,
        "1024 are the most"
      ),
      ("POST", "/v1/tables/todo/items", ["Idempotency-Key": String(repeating: "a", count: 30_000)], 400, "1 to 255"),
    ]
    for (method, target, headers, status, words) in cases {
      let reply = try service.request(method, target, headers, body: method == "GET" ? nil : [:])
      #expect(
        reply.status == status && (words.isEmpty || reply.text.contains(words)),
        "\(target.prefix(30)): \(reply.text.prefix(300))"
      )
      #expect(!target.hasSuffix(accents) || reply.body.count < 1_500, "\(target.prefix(40)): \(reply.body.count)")
    }
  }
}
