import Foundation
import TablecastClient
import TablecastCurl
import TestSupport
import Testing

/// The cases of sizes.json, which both clients run: replies that are too long, over sockets.
@Suite struct ReplySizeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var reply: Sizes.Reply
    var transport: String
    var testDescription: String { "\(reply.name), \(transport)" }
  }

  struct Sizes: Decodable {
    struct Reply: Decodable {
      var name: String
      var kind: String
      var mostBytes: Int
    }

    var cases: [Reply]
  }

  static let cases: [Case] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../ClientCases/sizes.json")
    let data = (try? Data(contentsOf: file.standardizedFileURL)) ?? Data()
    let replies = (try? JSONDecoder().decode(Sizes.self, from: data))?.cases ?? []
    return replies.flatMap { reply in ["URLSession", "libcurl"].map { Case(reply: reply, transport: $0) } }
  }()

  @Test func thereAreCases() { #expect(Self.cases.count >= 6) }

  @Test(arguments: cases) func aReplyThatIsTooLongIsGivenUp(_ test: Case) throws {
    let server = try MisbehavingUpstream()
    var options = ClientOptions()
    options.transport = test.transport == "libcurl" ? try CurlTransport() : URLSessionTransport()
    let url = try #require(URL(string: "\(server.base)/endless/\(test.reply.kind)"))
    let client = TablecastClient<AnyCell>(url: url, options: options)
    let shown = Monitor<[TableSnapshot]>([])
    let observation = client.table("t").observe { change in shown.change { $0.append(change.snapshot) } }
    try shown.wait(for: "the failure") { $0.contains { $0.connection == .retrying } ? true : nil }
    let reply = try HTTPClient(port: server.port).request("GET", "/endless-sent")
    let sent = try #require(Int(reply.text.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))))
    #expect(sent <= test.reply.mostBytes)
    withExtendedLifetime(observation) {}
  }
}
