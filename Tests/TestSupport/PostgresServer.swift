import Foundation
import Synchronization

/// A PostgreSQL server of the tests' own, in a folder of its own, over a socket there. Started once for all of them;
/// each store gets a database of its own.
public final class PostgresServer: Sendable {
  public static let shared = Result { try PostgresServer() }

  /// Where its socket and its data are.
  public let folder: String
  private let binaries: String
  private let process = Mutex<Process?>(nil)
  private let databases = Atomic<Int>(0)

  /// - Throws: Where no PostgreSQL of version 15 or later is installed, or it does not start.
  public init() throws {
    binaries = try Self.findBinaries()
    folder = "/tmp/tablecast-postgres-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if geteuid() == 0 { try Self.run("/bin/chown", ["postgres", folder]) }
    try runAsServer("initdb", ["--no-sync", "--auth=trust", "--username=tests", "--pgdata=\(data)"])
    try start()
    Self.current.withLock { $0.append(self) }
    atexit { PostgresServer.current.withLock { for server in $0 { server.end() } } }
  }

  /// Those that have to be ended with the tests.
  private static let current = Mutex<[PostgresServer]>([])

  private var data: String { folder + "/data" }

  /// An address of a new, empty database.
  public func newDatabase() throws -> String {
    let name = "db\(databases.add(1, ordering: .relaxed).newValue)"
    try Self.run("\(binaries)/createdb", ["--host=\(folder)", "--username=tests", name])
    return address(of: name)
  }

  /// A connection string of libpq's.
  public func address(of database: String) -> String { "host=\(folder) user=tests dbname=\(database)" }

  /// What `psql` says to a statement.
  @discardableResult
  public func ask(_ statement: String, in address: String) throws -> String {
    try Self.run("\(binaries)/psql", ["--no-psqlrc", "--tuples-only", "--no-align", "--command=\(statement)", address])
  }

  /// Writes down what the service has in a database. Returns the file.
  public func dump(_ address: String) throws -> String {
    let file = "\(folder)/dump-\(UUID().uuidString.prefix(8)).sql"
    let arguments = ["--clean", "--if-exists", "--schema=tablecast", "--file=\(file)", "--dbname=\(address)"]
    try Self.run("\(binaries)/pg_dump", arguments)
    return file
  }

  /// Sets a database back to what was written down, under whoever uses it.
  public func restore(_ file: String, into address: String) throws {
    let arguments = [
      "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=\(file)", address,
    ]
    try Self.run("\(binaries)/psql", arguments)
  }

  /// A connection of its own, for what a transaction that is open does to others.
  public func session(in address: String) throws -> PostgresSession {
    try PostgresSession("\(binaries)/psql", ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", address])
  }

  // MARK: - The server's process

  /// Starts it, again after ``kill()``, and waits until it answers.
  public func start() throws {
    let server = Process()
    let options = ["-D", data, "-k", folder, "-h", "", "-c", "max_connections=200"]
    (server.executableURL, server.arguments) = command("postgres", options)
    server.standardError = FileHandle.nullDevice
    server.standardOutput = FileHandle.nullDevice
    try server.run()
    process.withLock { $0 = server }
    let deadline = Date.now + 60
    while (try? Self.run("\(binaries)/pg_isready", ["--quiet", "--host=\(folder)"])) == nil {
      guard Date.now < deadline, server.isRunning else { throw Failure(text: "the server does not start") }
      usleep(50_000)
    }
  }

  /// As a power cut: nothing is written any more, no connection is said goodbye.
  public func kill() {
    guard let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8),
      let identifier = text.split(separator: "\n").first.flatMap({ pid_t($0) })
    else { return }
    // Its children end when they find it gone.
    Foundation.kill(identifier, SIGKILL)
    process.withLock { $0?.waitUntilExit() }
    let deadline = Date.now + 60
    while Date.now < deadline, (try? Self.run("/usr/bin/pgrep", ["-f", "postgres.*\(folder)"])) != nil {
      usleep(20_000)
    }
    try? FileManager.default.removeItem(atPath: data + "/postmaster.pid")
  }

  private func end() {
    process.withLock { process in
      guard let running = process, running.isRunning else { return }
      _ = try? runAsServer("pg_ctl", ["stop", "--mode=immediate", "--pgdata=\(data)"])
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: - Commands

  /// What went wrong with the server or its commands.
  public struct Failure: Error, CustomStringConvertible {
    public let text: String

    public init(text: String) { self.text = text }

    public var description: String { text }
  }

  @discardableResult
  private func runAsServer(_ name: String, _ arguments: [String]) throws -> String {
    let (url, arguments) = command(name, arguments)
    return try Self.run(url.path, arguments)
  }

  /// PostgreSQL refuses to run as root.
  private func command(_ name: String, _ arguments: [String]) -> (URL, [String]) {
    guard geteuid() == 0 else { return (URL(fileURLWithPath: "\(binaries)/\(name)"), arguments) }
    return (URL(fileURLWithPath: "/usr/sbin/runuser"), ["-u", "postgres", "--", "\(binaries)/\(name)"] + arguments)
  }

  @discardableResult
  private static func run(_ path: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(text: "\(path) \(arguments): \(text)") }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The newest that Debian has installed.
  private static func findBinaries() throws -> String {
    let versions = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql").compactMap(Int.init)
    guard let newest = versions.max(), newest >= 15 else {
      throw Failure(text: "PostgreSQL 15 or later is not installed: scripts/install-system-packages.sh postgresql")
    }
    return "/usr/lib/postgresql/\(newest)/bin"
  }
}

/// `psql` as it goes on from statement to statement; its connection ends with the value.
public final class PostgresSession: Sendable {
  private let process: Process
  private let input: FileHandle
  private let output: FileHandle

  fileprivate init(_ path: String, _ arguments: [String]) throws {
    let (input, output) = (Pipe(), Pipe())
    process = Process()
    (process.executableURL, process.arguments) = (URL(fileURLWithPath: path), arguments)
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
    try process.run()
    (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
  }

  deinit {
    try? input.close()
    process.waitUntilExit()
  }

  /// Gives it a statement that is not carried out to its end, as it awaits more: nothing can be asked behind it.
  public func begin(_ statement: String) throws {
    try input.write(contentsOf: Data("\(statement);\n".utf8))
  }

  /// What it says to statements, when they are carried out.
  @discardableResult
  public func ask(_ statements: String) throws -> String {
    let end = "end \(UUID().uuidString)"
    try input.write(contentsOf: Data("\(statements);\n\\echo \(end)\n".utf8))
    var text = ""
    while !text.contains(end) {
      let more = output.availableData
      guard !more.isEmpty else { throw PostgresServer.Failure(text: "psql has ended: \(text)") }
      text += String(decoding: more, as: UTF8.self)
    }
    guard !text.contains("ERROR:") else { throw PostgresServer.Failure(text: text) }
    return text.replacingOccurrences(of: end, with: "").trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
