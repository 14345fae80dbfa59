import Foundation
import JSON
import TestSupport
import Testing

/// Each fault of the misbehaving upstream, and what the clients of a table see: rows that stay, a problem that a
/// person understands, and rows again when it is over; nothing in between.
@Suite struct FaultStatesTests {
  struct Fault: Sendable {
    var path: String
    var title: String
    /// Stands in the detail.
    var says = ""
  }

  /// In the order of `UpstreamTests.FaultTests`, whose words they are.
  static let faults: [Fault] = [
    Fault(path: "/silent?ms=60000", title: "The upstream is too slow", says: "nothing came for 3 s"),
    Fault(path: "/stall?ms=60000", title: "The upstream is too slow", says: "after 3 bytes"),
    Fault(path: "/drip", title: "The upstream is too slow", says: "not complete within 6 s"),
    Fault(path: "/reset-before", title: "The upstream broke off", says: "without an answer"),
    Fault(path: "/close-before", title: "The upstream broke off", says: "without an answer"),
    Fault(path: "/reset-mid", title: "The upstream broke off", says: "312 of 1024 bytes"),
    Fault(path: "/short", title: "The upstream broke off", says: "312 of 1024 bytes"),
    Fault(path: "/cut-chunk", title: "The upstream broke off", says: "before the answer did"),
    Fault(path: "/bad-chunk", title: "The upstream's answer is not valid HTTP", says: "chunked"),
    Fault(path: "/not-http", title: "The upstream's answer is not valid HTTP"),
    Fault(path: "/bad-gzip", title: "The upstream's answer can't be decompressed"),
    Fault(path: "/two-gzips", title: "The upstream's answer can't be decompressed"),
    Fault(path: "/bomb", title: "The upstream's answer is too large", says: "1048576 bytes"),
    Fault(path: "/endless", title: "The upstream's answer is too large"),
    Fault(path: "/items?n=40000", title: "The upstream's answer is too large"),
    Fault(path: "/headers", title: "The upstream's header section is too large", says: "65536"),
    Fault(path: "/status?code=401", title: "The upstream asks for other credentials", says: "as asked"),
    Fault(path: "/status?code=403", title: "The upstream refuses access", says: "as asked"),
    Fault(path: "/status?code=404", title: "The upstream does not have it"),
    Fault(path: "/status?code=418", title: "The upstream refuses the request"),
    Fault(path: "/status?code=429&retry=1", title: "The upstream limits the rate of requests"),
    Fault(path: "/status?code=429&date=2", title: "The upstream limits the rate of requests"),
    Fault(path: "/status?code=503&retry=1", title: "The upstream fails"),
    Fault(path: "/status?code=500", title: "The upstream fails", says: "as asked"),
    Fault(path: "/status?code=304", title: "The upstream's answer has no content"),
    Fault(path: "/html", title: "The upstream's answer is no JSON", says: "“Sign in to Example”"),
    Fault(path: "/html?code=502", title: "The upstream fails", says: "Sign in to Example"),
    Fault(path: "/html-as-json", title: "The upstream's answer is no JSON", says: "“Oops”"),
    Fault(path: "/truncated", title: "The upstream's answer is not valid JSON", says: "bytes"),
    Fault(path: "/garbage", title: "The upstream's answer is not valid JSON"),
    Fault(path: "/blank", title: "The upstream's answer is not valid JSON", says: "0 bytes"),
    Fault(path: "/object", title: "The upstream's answer is not as configured", says: "quota exceeded"),
    Fault(path: "/null", title: "The upstream's answer is not as configured", says: "there is nothing"),
    Fault(path: "/loop", title: "The upstream redirects in a circle", says: "more than 5"),
    Fault(path: "/redirect?to=file:///etc/passwd", title: "The upstream redirects to no web address"),
    Fault(path: "/redirect?to=http://169.254.169.254/latest", title: "The upstream redirects to a private address"),
    Fault(path: "/redirect?to=http://127.0.0.99/", title: "The upstream redirects to a private address"),
    Fault(path: "/redirect?to=http://localhost:1/", title: "The upstream redirects to a private address"),
    Fault(path: "/redirect?to=http://0x7f.1/", title: "The upstream redirects to a private address"),
    Fault(path: "/redirect?to=http://%5B::1%5D:9/", title: "The upstream redirects to a private address"),
    Fault(path: "/redirect?to=http://%5B::ffff:10.0.0.1%5D/", title: "The upstream redirects to a private address"),
  ]

  /// All at once, each upstream at an address of its own: what one suffers is nothing to the others.
  @Test func theStatesOfEachFaultInOrder() throws {
    let upstream = try MisbehavingUpstream(hosts: Self.faults.count)
    var configuration = "store: memory\nproblems: full\nsources:\n"
    for (host, fault) in zip(1..., Self.faults) {
      // In some hurry where the fault is to be slow; a machine that is slow itself must not be one more fault.
      let patience = fault.title.contains("slow") ? "timeout: 6s, stallTimeout: 3s" : "timeout: 30s"
      let limits = "retries: 0, \(patience), maxBytes: 1MB, maxAge: 0s"
      let url = "http://127.0.0.\(host):\(upstream.port)/as-set"
      configuration += "  s\(host): {url: \"\(url)?key=a-key-in-a-query\", every: 300ms, \(limits)}\n"
    }
    configuration += "tables:\n"
    for host in 1...Self.faults.count { configuration += "  t\(host): {source: s\(host), row: {id: \"${id}\"}}\n" }
    let service = try ServiceProcess(configuration)

    let lines = try Self.faults.enumerated().map { index, fault in
      Background("the states of \(fault.path)") { try Self.observe(fault, host: index + 1, service, upstream) }
    }.map { try $0.value(seconds: 300) }
    // For a person to read: each fault, and what was seen.
    if let file = ProcessInfo.processInfo.environment["FAULTS_FILE"] {
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
    }
    #expect(!service.log.current.joined().contains("a-key-in-a-query"))
  }

  /// - Throws: on a thread that no test runs on, where an expectation would be everyone's.
  private static func observe(
    _ fault: Fault,
    host: Int,
    _ service: ServiceProcess,
    _ upstream: MisbehavingUpstream
  ) throws -> String {
    var seen: [String] = []
    func watch(_ mirror: TableMirror) {
      let title = mirror.attributes["problem"]?["title"]?.text
      let state = [mirror.state, title].compactMap(\.self).joined(separator: ": ")
      if seen.last != state { seen.append(state) }
    }
    func follow(_ mirror: TableMirror?, until state: String) throws -> TableMirror {
      try service.follow("t\(host)", from: mirror, until: "is \(state) with \(fault.path), after \(seen)") { mirror in
        watch(mirror)
        return mirror.state == state
      }
    }
    var mirror = try follow(nil, until: "ready")
    let good = mirror
    seen = []
    watch(mirror)
    try upstream.set(fault.path, host: host)
    mirror = try follow(mirror, until: "stale")
    func hold(_ isSo: Bool, _ what: String) throws { if !isSo { throw Malformed("\(fault.path): \(what)") } }
    try hold(mirror.titles == good.titles && mirror.rows == ["1", "2", "3"], "other rows")
    let problem = try required(mirror.attributes["problem"], "a problem of \(fault.path)")
    let detail = problem["detail"]?.text ?? ""
    try hold(fault.says.isEmpty || detail.contains(fault.says), detail)
    try hold(!detail.contains("a-key"), detail)
    try upstream.set("/items", host: host)
    mirror = try follow(mirror, until: "ready")
    try hold(seen == ["ready", "stale: \(fault.title)", "ready"], "\(seen)")
    try hold(mirror.titles == good.titles && mirror.resets.isEmpty, "rows that went")
    try mirror.check(equals: service.snapshot("t\(host)"))
    let reason = detail.replacingOccurrences(of: "http://127.0.0.\(host):\(upstream.port)", with: "")
    return "\(fault.path) | \(seen.joined(separator: " → ")) | \(reason)"
  }
}
