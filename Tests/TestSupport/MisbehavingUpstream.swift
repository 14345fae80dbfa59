import Foundation

/// The Python process beside this file, which can be told what to do at each of its addresses: one for each test that
/// asks, gone with the value.
package final class MisbehavingUpstream: Sendable {
  package let port: UInt16
  private let isSecure: Bool
  private let process: Process
  private let input = Pipe()

  /// - Parameters:
  ///   - hosts: 127.0.0.1 to 127.0.0.N, each a host of its own.
  ///   - tls: paths of its certificate, its key, and the CA of clients that must have a certificate too.
  package init(hosts: Int = 1, tls: [String] = []) throws {
    isSecure = !tls.isEmpty
    let script = try required(Bundle.module.path(forResource: "misbehaving_upstream", ofType: "py"), "the script")
    let output = Pipe()
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-u", script, "\(hosts)"] + tls
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      let data = output.fileHandleForReading.readData(ofLength: 1)
      guard !data.isEmpty else { throw Malformed("no port from the upstream") }
      line += String(decoding: data, as: UTF8.self)
    }
    port = try required(UInt16(line.dropLast()), "a port in `\(line)`")
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }

  package var base: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)" }

  /// What `/as-set` does from now on, at one of its addresses.
  package func set(_ path: String, host: Int) throws {
    let encoded = try required(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics), "a path")
    let reply = try HTTPClient(port: port, host: host).request("GET", "/set?to=\(encoded)")
    guard reply.status == 200 else { throw Malformed("the upstream answers \(reply.status)") }
  }
}
