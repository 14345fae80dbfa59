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

  @Test func listsAsConfigurationsWriteThem() {
    #expect(Origins(["https://a.example"]) == .list(["https://a.example"]))
    #expect(Origins(["https://a.example", "*"]) == .any)
    #expect(Origins([]) == .list([]))
  }
}
