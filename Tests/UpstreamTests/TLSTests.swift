import Definitions
import Foundation
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite(.serialized) struct TLSTests {
  static let certificates = Result { try Certificates() }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var server = "server"
    var trusts: String? = "ours"
    var presents: String?
    var asksForClients = false
    let expected: String
    /// Stands in the detail.
    var says = ""
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "our authority", expected: "content 3"),
    Case(name: "the system's authorities", trusts: nil, expected: "tls", says: "unable to get local issuer"),
    Case(name: "another authority", trusts: "other", expected: "tls", says: "unable to get local issuer"),
    Case(name: "another host's", server: "elsewhere", expected: "tls", says: "target host name '127.0.0.1'"),
    Case(name: "expired", server: "expired", expected: "tls", says: "certificate has expired"),
    Case(name: "self-signed", server: "other", expected: "tls", says: "self-signed certificate"),
    Case(name: "a client's", presents: "client", asksForClients: true, expected: "content 3"),
    Case(name: "no client's", asksForClients: true, expected: "tls", says: "certificate required"),
    Case(name: "a stranger's", presents: "stranger", asksForClients: true, expected: "tls", says: "unknown ca"),
    Case(name: "no such bundle", trusts: "missing", expected: "tls", says: "missing.pem"),
    Case(name: "no such client's", presents: "missing", expected: "tls", says: "missing.pem"),
  ])
  func verification(_ test: Case) async throws {
    let certificates = try Self.certificates.get()
    let (certificate, key) = (certificates.certificate(test.server), certificates.key(test.server))
    let clients = test.asksForClients ? [certificates.certificate("ours")] : []
    let upstream = try MisbehavingUpstream(tls: [certificate, key] + clients)
    let source = try Source.onRequest(upstream.base + "/items", client: TransferClient()) {
      $0.caBundle = test.trusts.map(certificates.certificate)
      $0.clientCertificate = test.presents.map(certificates.certificate)
      $0.clientKey = test.presents.map(certificates.key)
    }
    let update = await source.refreshed()
    #expect(update.word == test.expected, "\(update)")
    if let error = update.error {
      #expect(error.title == "No trusted TLS connection to the upstream")
      #expect(error.detail.contains(test.says), "\(error)")
      #expect(!error.isTransient, "another try would be no better")
    }
  }

  /// Only an alert against the client's certificate says that the request was not read.
  @Test(arguments: [
    ("tlsv13 alert certificate required", true), ("tlsv1 alert unknown ca", true), ("tlsv1 alert access denied", true),
    ("ssl/tls alert bad certificate", true), ("sslv3 alert certificate expired", true),
    ("tlsv1 alert internal error", false), ("sslv3 alert unexpected message", false), ("unexpected eof", false),
    ("certificate verify failed", false),
  ])
  func alerts(_ reason: String, _ isRefused: Bool) {
    let detail = "OpenSSL SSL_read: OpenSSL/3.0.13: error:0A000000:SSL routines::\(reason), errno 0"
    #expect(TransferHop.refusesCertificate(detail) == isRefused)
  }

  @Test func noTLSWhereItShouldBe() async throws {
    let upstream = try MisbehavingUpstream()
    let source = try Source.onRequest("https://127.0.0.1:\(upstream.port)/items", client: TransferClient())
    let error = try #require(await source.refreshed().error)
    #expect(error.kind == .tls && error.detail.contains("wrong version number"), "\(error)")
  }

  /// What one source trusts, another of the same host does not, though a connection to it is kept.
  @Test func connectionsAreNotSharedAcrossTrust() async throws {
    let certificates = try Self.certificates.get()
    let upstream = try MisbehavingUpstream(tls: [certificates.certificate("server"), certificates.key("server")])
    let client = try TransferClient()
    for (trusts, expected) in [("ours", "content 3"), ("other", "tls"), ("ours", "content 3")] {
      let source = try Source.onRequest(upstream.base + "/items", client: client) {
        $0.caBundle = certificates.certificate(trusts)
      }
      #expect(await source.refreshed().word == expected)
    }
  }

  @Test func connectionsAreKept() async throws {
    let certificates = try Self.certificates.get()
    let upstream = try MisbehavingUpstream(tls: [certificates.certificate("server"), certificates.key("server")])
    let client = try TransferClient()
    let url = try #require(UpstreamURL(upstream.base + "/items"))
    let security = TransferSecurity(caBundle: certificates.certificate("ours"))
    for attempt in 0..<5 {
      let response = try await client.send(TransferRequest(url: url, security: security)).get()
      #expect(response.reusedConnection == (attempt > 0) && response.httpVersion == .http1)
    }
  }

  /// A redirect that leaves TLS leaves the credentials behind, and may not lead inside.
  @Test func redirectsOutOfTLS() async throws {
    let certificates = try Self.certificates.get()
    let upstream = try MisbehavingUpstream(tls: [certificates.certificate("server"), certificates.key("server")])
    let plain = try MisbehavingUpstream()
    let client = try TransferClient()
    for (isAllowed, expected) in [(false, "redirectRefused"), (true, "content 1")] {
      let field = try #require(TransferField("Authorization", "Bearer secret"))
      let source = try Source.onRequest(
        "\(upstream.base)/redirect?to=\(plain.base)/echo",
        client: client,
        context: FetchContext(forwarded: [field])
      ) {
        $0.caBundle = certificates.certificate("ours")
        $0.allowPrivateRedirects = isAllowed
      }
      let update = await source.refreshed()
      #expect(update.word == expected)
      if let text = update.content?.text { #expect(!text.contains("secret"), "\(text)") }
    }
  }

  /// HTTP/2 where it is offered: many requests at once over one connection.
  @Test(.enabled(if: Nginx.isInstalled, "nginx is the peer that speaks HTTP/2"))
  func requestsShareAConnectionOfHTTP2() async throws {
    let certificates = try Self.certificates.get()
    let nginx = try Nginx(certificate: certificates.certificate("server"), key: certificates.key("server"))
    let client = try TransferClient(requestsPerHost: 8)
    let url = try #require(UpstreamURL("https://localhost:\(nginx.port)/items"))
    let request = TransferRequest(url: url, security: TransferSecurity(caBundle: certificates.certificate("ours")))
    let responses = try await withThrowingTaskGroup(of: TransferResponse.self) { group in
      for _ in 0..<100 { group.addTask { try await client.send(request).get() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(responses.allSatisfy { $0.status == 200 && $0.httpVersion == .http2 })
    let connections = Set(responses.map { String(decoding: $0.body, as: UTF8.self) })
    #expect(connections.count == 1, "nginx counts its connections: \(connections)")
    #expect(responses.count { !$0.reusedConnection } == 1)
  }
}

/// nginx with HTTP/2 on a port that is free; answers with the number of the connection.
final class Nginx: Sendable {
  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")
  let port: Int
  private let process = Process()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tablecast-\(UUID().uuidString)")

  init(certificate: String, key: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // A port that another process has just had, and given back.
    port = Int(try MisbehavingUpstream().port)
    let configuration = """
      daemon off; pid \(folder.path)/pid; error_log stderr; worker_processes 1;
      events {}
      http {
        access_log off; client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
        fastcgi_temp_path \(folder.path)/f; uwsgi_temp_path \(folder.path)/u; scgi_temp_path \(folder.path)/s;
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(certificate); ssl_certificate_key \(key);
          location / { default_type application/json; return 200 '[{"id":$connection}]'; }
        }
      }
      """
    try Data(configuration.utf8).write(to: folder.appendingPathComponent("nginx.conf"))
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
    process.arguments = ["-p", folder.path, "-c", folder.appendingPathComponent("nginx.conf").path]
    process.standardError = FileHandle.nullDevice
    try process.run()
    // It listens before it writes its process's number.
    let pid = folder.appendingPathComponent("pid").path
    for _ in 0..<3000 where !FileManager.default.fileExists(atPath: pid) { Thread.sleep(forTimeInterval: 0.02) }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}
