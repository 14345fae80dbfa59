import Foundation
import Synchronization

/// PgBouncer between the tests and their PostgreSQL server; ends with the value.
public final class PgBouncer: Sendable {
  private static let program = "/usr/sbin/pgbouncer"
  public static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

  private let folder: String
  private let port = Int.random(in: 10_000...60_000)
  private let process = Mutex<Process?>(nil)

  /// - Parameter mode: `session`, `transaction` or `statement`.
  public init(before server: PostgresServer, mode: String) throws {
    folder = "/tmp/tablecast-pgbouncer-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let settings = """
      [databases]
      * = host=\(server.folder)
      [pgbouncer]
      listen_addr =
      listen_port = \(port)
      unix_socket_dir = \(folder)
      auth_type = trust
      auth_file = \(folder)/users
      pool_mode = \(mode)
      """
    try Data(settings.utf8).write(to: URL(fileURLWithPath: folder + "/settings"))
    try Data("\"tests\" \"\"\n".utf8).write(to: URL(fileURLWithPath: folder + "/users"))
    let running = Process()
    running.executableURL = URL(fileURLWithPath: Self.program)
    running.arguments = ["--quiet", folder + "/settings"]
    if geteuid() == 0 {
      // It refuses to run as root.
      running.executableURL = URL(fileURLWithPath: "/usr/sbin/runuser")
      running.arguments = ["-u", "postgres", "--", Self.program, "--quiet", folder + "/settings"]
      try Self.run("/bin/chown", ["-R", "postgres", folder])
    }
    running.standardOutput = FileHandle.nullDevice
    running.standardError = FileHandle.nullDevice
    try running.run()
    process.withLock { $0 = running }
    let deadline = Date.now + 60
    while !FileManager.default.fileExists(atPath: "\(folder)/.s.PGSQL.\(port)") {
      guard Date.now < deadline, running.isRunning else {
        throw PostgresServer.Failure(text: "PgBouncer does not start")
      }
      usleep(20_000)
    }
  }

  deinit {
    process.withLock { $0?.terminate() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A connection string of libpq's, by way of it.
  public func address(of database: String) -> String {
    database.split(separator: " ").map { $0.hasPrefix("host=") ? "host=\(folder) port=\(port)" : String($0) }
      .joined(separator: " ")
  }

  private static func run(_ path: String, _ arguments: [String]) throws {
    let process = try Process.run(URL(fileURLWithPath: path), arguments: arguments)
    process.waitUntilExit()
  }
}
