import Foundation

/// The Python process beside this file: one for each test that asks, gone with the value.
final class MisbehavingUpstream: Sendable {
  let port: Int
  private let isSecure: Bool
  private let process: Process
  private let input = Pipe()

  /// - Parameter tls: paths of its certificate, its key, and the CA of clients that must have a certificate too.
  init(tls: [String] = []) throws {
    isSecure = !tls.isEmpty
    guard let script = Bundle.module.path(forResource: "misbehaving_upstream", ofType: "py") else {
      throw CocoaError(.fileNoSuchFile)
    }
    let output = Pipe()
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-u", script] + (tls.isEmpty ? [] : ["1"] + tls)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      let data = output.fileHandleForReading.readData(ofLength: 1)
      guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
      line += String(decoding: data, as: UTF8.self)
    }
    guard let port = Int(line.dropLast()) else { throw CocoaError(.fileReadUnknown) }
    self.port = port
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }

  var base: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)" }
}
