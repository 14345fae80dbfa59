import TestSupport
import Testing

@testable import HTTPServer

/// What web pages of other origins are granted: some may read, fewer may write.
@Suite struct CrossOriginTests {
  typealias Origins = Configuration.CrossOrigin.Origins

  private static let reader = "https://reader.example"
  private static let writer = "https://writer.example"
  private static let stranger = "https://stranger.example"
  private static let listed = (origins: Origins.list([reader]), writes: Origins.list([writer]))
  private static let open = (origins: Origins.any, writes: Origins.list([writer]))
  private static let all = (origins: Origins.any, writes: Origins.any)

  private static func ask(
    _ policy: (origins: Origins, writes: Origins),
    _ request: String,
    _ fields: [String]
  ) throws -> [String: String] {
    let service = try TestService { $0.crossOrigin = .init(origins: policy.origins, writes: policy.writes) }
    let client = TestClient(port: service.port)
    client.send(([request + " HTTP/1.1", "Host: localhost"] + fields + ["", ""]).joined(separator: "\r\n"))
    return try #require(client.receive().response).headers
  }

  /// Who asks, for which method, and the methods that are granted; nil for nothing at all.
  @Test(
    arguments: [
      (0, reader, "GET", "GET, HEAD"), (0, reader, "HEAD", "GET, HEAD"), (0, reader, "POST", nil),
      (0, reader, "PUT", nil),
      (0, reader, "get", nil), (0, reader, "DELETE", nil), (0, stranger, "GET", nil), (0, stranger, "POST", nil),
      (0, "null", "GET", nil), (0, writer, "GET", "GET, HEAD, POST, PUT, PATCH, DELETE"),
      (0, writer, "PATCH", "GET, HEAD, POST, PUT, PATCH, DELETE"), (1, stranger, "GET", "GET, HEAD"),
      (1, stranger, "POST", nil), (1, stranger, "PATCH", nil), (1, "null", "DELETE", nil),
      (1, writer, "DELETE", "GET, HEAD, POST, PUT, PATCH, DELETE"),
      (2, stranger, "POST", "GET, HEAD, POST, PUT, PATCH, DELETE"),
    ] as [(Int, String, String, String?)]
  )
  func preflights(policy: Int, origin: String, method: String, granted: String?) throws {
    let policy = [CrossOriginTests.listed, CrossOriginTests.open, CrossOriginTests.all][policy]
    let headers = try CrossOriginTests.ask(
      policy,
      "OPTIONS /v1/tables",
      ["Origin: \(origin)", "Access-Control-Request-Method: \(method)", "Access-Control-Request-Headers: if-match"]
    )
    #expect(headers["access-control-allow-methods"] == granted)
    // POST needs no word of its own from a preflight, so that one that is refused must grant nothing at all.
    #expect(headers["access-control-allow-headers"] == (granted == nil ? nil : "if-match"))
    let isPublic = policy.origins == .any
    #expect(headers["access-control-allow-origin"] == (granted == nil ? nil : isPublic ? "*" : origin))
    #expect(headers["vary"]?.contains("Origin") == true)
  }

  @Test(
    arguments: [
      (0, reader, reader), (0, writer, writer), (0, stranger, nil), (0, nil, nil), (1, stranger, "*"), (1, nil, "*"),
      (1, writer, "*"), (2, stranger, "*"),
    ] as [(Int, String?, String?)]
  )
  func replies(policy: Int, origin: String?, allowed: String?) throws {
    let policy = [CrossOriginTests.listed, CrossOriginTests.open, CrossOriginTests.all][policy]
    for target in ["GET /v1/tables", "GET /nothing", "POST /v1/tables/x/items"] {
      let headers = try CrossOriginTests.ask(policy, target, origin.map { ["Origin: \($0)"] } ?? [])
      #expect(headers["access-control-allow-origin"] == allowed, "\(target)")
      let exposed = allowed == nil ? nil : "ETag, Link, Location, Retry-After, X-Request-ID"
      #expect(headers["access-control-expose-headers"] == exposed, "\(target)")
    }
  }

  /// A page can read why the server itself refuses a request: without the grant its fetch fails as on a lost connection.
  @Test(
    arguments: [
      ("POST", "Content-Length: 99999999999\r\n\r\n", 413), ("POST", "Content-Encoding: gzip\r\n\r\n", 415),
      ("POST", "Expect: 200-ok\r\n\r\n", 417), ("HEAD", "Expect: 200-ok\r\n\r\n", 417),
      ("POST", "Transfer-Encoding: gzip\r\n\r\n", 501),
      ("POST", "Transfer-Encoding: chunked\r\n\r\n7FFFFFFF\r\n", 413),
      ("POST", "Content-Length: 5\r\n\r\nabc", 408), ("POST", "Transfer-Encoding: chunked\r\n\r\nx", 400),
    ] as [(String, String, Int)]
  )
  func refusalsOfTheServer(method: String, rest: String, status: Int) throws {
    let service = try TestService {
      $0.crossOrigin = .init(origins: .list([CrossOriginTests.reader]))
      $0.timeouts.bodyIdle = .milliseconds(300)
    }
    let client = TestClient(port: service.port)
    let fields = "Host: localhost\r\nOrigin: \(CrossOriginTests.reader)\r\nX-Request-ID: page-1\r\n"
    client.send("\(method) /echo HTTP/1.1\r\n\(fields)\(rest)")
    let isHead = method == "HEAD"
    let response = try #require(client.receive(isHead: isHead).response)
    #expect(response.status == status && response.body.isEmpty == isHead)
    #expect(response.headers["access-control-allow-origin"] == CrossOriginTests.reader)
    #expect(response.headers["x-request-id"] == "page-1")
    // A body behind the answer to HEAD would be read as another response.
    #expect(client.receive().code == "close")
  }

  /// What another reader could take for another request is malformed first, whatever else is wrong with it.
  @Test(arguments: [
    "Content-Length: 99999999999\r\nContent-Length: 1", "Content-Length: 99999999999\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "Expect: 200-ok\r\nHost: other",
  ])
  func malformedComesFirst(fields: String) throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n")
    #expect(client.receive().code == "400")
  }

  @Test func listsAsConfigurationsWriteThem() {
    #expect(Origins(["https://a.example"]) == .list(["https://a.example"]))
    #expect(Origins(["https://a.example", "*"]) == .any)
    #expect(Origins([]) == .list([]))
  }
}
