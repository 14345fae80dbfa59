import Foundation
import JSON
import TestSupport

/// The built service as a process of its own, with a configuration in a temporary folder.
final class ServiceProcess: Sendable {
  let folder: TemporaryFolder
  let port: UInt16
  let log: Monitor<[String]>
  private let process: Process

  /// Starts the service and waits until it serves. `{folder}` in the configuration is the temporary folder.
  ///
  /// - Parameter descriptors: how many it may have open (`ulimit -n`).
  init(
    _ configuration: String,
    in folder: TemporaryFolder? = nil,
    arguments: [String] = [],
    environment: [String: String] = [:],
    descriptors: Int? = nil
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    try folder.write(configuration)
    let log = Monitor<[String]>([])
    (process, self.log) = (try Self.start(folder, arguments, environment, log, descriptors), log)
    do {
      port = try log.wait(for: "the log line that says where the service listens") { lines in
        lines.lazy.compactMap { Self.port($0) }.first
      }
    } catch {
      process.terminate()
      throw TimeOut("the start; the log is\n\(log.current.joined(separator: "\n"))")
    }
  }

  /// Runs the service on a configuration that it should refuse. Returns its exit status and what it printed.
  static func refused(
    _ configuration: String,
    in folder: TemporaryFolder? = nil,
    descriptors: Int? = nil
  ) throws -> (status: Int32, log: String) {
    let folder = try folder ?? TemporaryFolder()
    try folder.write(configuration)
    let log = Monitor<[String]>([])
    let process = try start(folder, [], [:], log, descriptors)
    defer { if process.isRunning { process.terminate() } }
    let status = try Background("the end of a service with a bad configuration") { [process = Unchecked(process)] in
      process.value.waitUntilExit()
      return process.value.terminationStatus
    }.value()
    try log.wait(for: "the end of the log") { $0.last == "" ? true : nil }
    return (status, log.current.joined(separator: "\n"))
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  func client() throws -> HTTPClient { try HTTPClient(port: port) }

  /// One request on a connection of its own.
  func request(
    _ method: String = "GET",
    _ target: String,
    _ headers: [String: String] = [:],
    body: JSONValue? = nil
  ) throws -> Reply {
    try client().request(method, target, headers, body: body)
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Ends the service as an operator does. Returns its exit status.
  @discardableResult
  func end(_ number: Int32 = SIGTERM, seconds: Double = 60) throws -> Int32 {
    signal(number)
    return try Background("the end of the service after signal \(number)") { [process = Unchecked(process)] in
      process.value.waitUntilExit()
      return process.value.terminationStatus
    }.value(seconds: seconds)
  }

  /// Waits for a log line that contains a text.
  func logged(_ text: String) throws {
    try log.wait(for: "a log line with `\(text)`") { lines in lines.contains { $0.contains(text) } ? true : nil }
  }

  private static func start(
    _ folder: TemporaryFolder,
    _ arguments: [String],
    _ environment: [String: String],
    _ log: Monitor<[String]>,
    _ descriptors: Int? = nil
  ) throws -> Process {
    let process = Process()
    let program = try executable()
    process.executableURL = program
    process.arguments = ["serve", "--config", folder.file("tablecast.yaml").path] + arguments
    if let descriptors {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments =
        ["-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\"", program.path] + (process.arguments ?? [])
    }
    process.currentDirectoryURL = folder.url
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    try process.run()
    let reader = Unchecked(pipe.fileHandleForReading)
    Thread {
      var rest = Data()
      while true {
        let data = reader.value.availableData
        rest += data
        let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = lines.last.map { Data($0) } ?? Data()
        log.change { $0 += lines.dropLast().map { String(decoding: $0, as: UTF8.self) } }
        // An empty line ends the log.
        guard !data.isEmpty else { return log.change { $0.append("") } }
      }
    }.start()
    return process
  }

  /// The port in the log's line about the start.
  static func port(_ line: some StringProtocol) -> UInt16? {
    guard let line = try? JSONValue(parsing: String(line)), line["message"] == "Serving",
      let address = line["address"]?.text
    else { return nil }
    return address.split(separator: ":").last.flatMap { UInt16($0) }
  }

  /// The executable stands beside the bundle of the tests.
  static func executable() throws -> URL {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let candidates = Bundle.allBundles.map { $0.bundleURL } + [folder]
    for candidate in candidates {
      folder = candidate
      for _ in 0..<4 {
        let file = folder.appendingPathComponent("tablecast")
        if FileManager.default.isExecutableFile(atPath: file.path), !file.hasDirectoryPath { return file }
        folder.deleteLastPathComponent()
      }
    }
    throw Malformed("no tablecast beside \(candidates.map(\.path))")
  }
}

/// `@unchecked Sendable`: whoever wraps a value sees to it that one thread at a time uses what is not safe to share.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// A folder that is gone with the value.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("tablecast-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Writes a configuration, which listens where the kernel chooses and keeps its store in this folder.
  func write(_ configuration: String) throws {
    let text = "listen: 127.0.0.1:0\n" + configuration.replacingOccurrences(of: "{folder}", with: url.path)
    try Data(text.utf8).write(to: file("tablecast.yaml"))
  }
}
