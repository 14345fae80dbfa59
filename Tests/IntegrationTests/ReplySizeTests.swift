import Foundation
import TablecastClient
import TablecastCurl
import TestSupport
import Testing

/// The cases of sizes.json, which both clients run: replies that are too long, over sockets. `make test` runs them beside nothing else:
/// on a busy machine Linux's Foundation takes minutes for 256 MB, and ends the process where a task is cancelled in its last moment.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TABLECAST_HOSTILE_SECONDS"] != nil))
struct ReplySizeTests {
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
    // Foundation takes its time with 256 MB where others use the machine, too.
    try shown.wait(for: "the failure", seconds: 240) { $0.contains { $0.connection == .retrying } ? true : nil }
    func sent() throws -> Int {
      let text = try HTTPClient(port: server.port).request("GET", "/endless-sent").text
      return try #require(Int(text.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))))
    }
    // The connection is closed: nothing more is sent. Foundation closes it behind what it has read by then.
    let end = Date(timeIntervalSinceNow: 240)
    var (before, now) = (-1, try sent())
    while before != now, Date() < end {
      usleep(200_000)
      (before, now) = (now, try sent())
    }
    #expect(before == now)
    // Linux's Foundation reads on while what came waits for its delegate; how far, depends on the machine.
    if test.transport == "libcurl" { #expect(now <= test.reply.mostBytes) }
    withExtendedLifetime(observation) {}
  }
}

/// Edits on their way: redirected, a POST would become a GET, and its answer one to an edit.
@Suite struct RedirectTransportTests {
  @Test(arguments: [
    ("GET", 200, "URLSession"), ("POST", 302, "URLSession"), ("DELETE", 302, "URLSession"),
    ("GET", 200, "libcurl"), ("POST", 302, "libcurl"), ("DELETE", 302, "libcurl"),
  ]) func readsAreRedirectedAndEditsAreNot(method: String, status: Int, library: String) throws {
    let server = try MisbehavingUpstream()
    let seen = Monitor<Int?>(nil)
    let transport: any Transport = library == "libcurl" ? try CurlTransport() : URLSessionTransport()
    let task = transport.send(TransportRequest(method, "\(server.base)/redirect?to=/items")) { result in
      seen.change { $0 = (try? result.get())?.status ?? 0 }
    }
    #expect(try seen.wait(for: "the reply") { $0 } == status)
    withExtendedLifetime((transport, task)) {}
  }

  /// Whoever has made an edit wants it done, though the client has gone.
  @Test func anEditOutlivesItsTransport() throws {
    let server = try MisbehavingUpstream()
    let seen = Monitor<Int?>(nil)
    var transport: (any Transport)? = URLSessionTransport()
    let task = transport?.send(TransportRequest("POST", "\(server.base)/delay?ms=300")) { result in
      seen.change { $0 = (try? result.get())?.status ?? 0 }
    }
    transport = nil
    #expect(try seen.wait(for: "the reply") { $0 } == 200)
    withExtendedLifetime((task, server)) {}
  }
}
