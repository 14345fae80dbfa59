import Foundation

/// One of the Python programs beside this file, run against the built service.
///
/// They are programs, not test functions, because what they prove is about processes: one is killed while another
/// remembers what it was told. Each prints its seed, and can be run by hand with it.
struct Proof {
  var script: String
  var arguments: [String] = []

  struct Outcome {
    var status: Int32
    /// What it printed: figures, or what was found.
    var output: String
  }

  /// The status with which a program says that this machine can't run it.
  static let skipped: Int32 = 77

  /// Runs to the end. Blocks.
  func run() throws -> Outcome {
    let products = Bundle.module.bundleURL.deletingLastPathComponent()
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "python3", "-B", "-u", Bundle.module.bundleURL.appending(path: "Support/\(script)").path,
        products.appending(path: "tablecast").path,
      ] + arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self))
  }
}
