import Foundation
import TestSupport

/// A run of `tablecast` with other arguments than `serve`, to its end.
struct Command {
  let status: Int32
  let output: String
  let errors: String

  /// - Parameters:
  ///   - arguments: `{folder}` in them is the folder, which is the working directory too.
  ///   - environment: of the process, and nothing else.
  @discardableResult
  init(
    _ arguments: [String],
    in folder: TemporaryFolder,
    environment: [String: String]? = nil,
    seconds: Double = 60
  ) throws {
    let process = Process()
    process.executableURL = try ServiceProcess.executable()
    process.arguments = arguments.map { $0.replacingOccurrences(of: "{folder}", with: folder.url.path) }
    process.currentDirectoryURL = folder.url
    if let environment { process.environment = environment }
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let pipes = [output, errors].map { Unchecked($0.fileHandleForReading) }
    let texts = pipes.map { pipe in
      Background("the output of \(arguments)") { String(decoding: pipe.value.readDataToEndOfFile(), as: UTF8.self) }
    }
    do {
      (self.output, self.errors) = (try texts[0].value(seconds: seconds), try texts[1].value(seconds: seconds))
    } catch {
      process.terminate()
      throw error
    }
    process.waitUntilExit()
    status = process.terminationStatus
  }
}
