import Foundation

/// The Python process of `UpstreamTests`, which can be told what to do at each of its addresses.
final class MisbehavingUpstream: Sendable {
  let port: UInt16
  private let process: Process
  private let input = Pipe()

  /// - Parameter hosts: 127.0.0.1 to 127.0.0.N, each a host of its own.
  init(hosts: Int = 1) throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("UpstreamTests/Support/misbehaving_upstream.py")
    let output = Pipe()
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-u", script.path, "\(hosts)"]
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

  /// What `/as-set` does from now on, at one of its addresses.
  func set(_ path: String, host: Int) throws {
    let encoded = try required(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics), "a path")
    let reply = try HTTPClient(port: port, host: host).request("GET", "/set?to=\(encoded)")
    guard reply.status == 200 else { throw Malformed("the upstream answers \(reply.status)") }
  }
}
