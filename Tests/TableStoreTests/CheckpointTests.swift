import Foundation
import GRDB
import Testing

@testable import TableStore

/// The write-ahead log goes home beside those who write, and ends.
@Suite struct CheckpointTests {
  private func open(_ folder: TemporaryFolder) throws -> DatabasePool {
    // A connection that reads the log's index while it is written looks again under the writer's lock.
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let pool = try DatabasePool(path: folder.path + "/test.sqlite", configuration: configuration)
    try pool.write { try $0.execute(sql: "CREATE TABLE blob (id INTEGER PRIMARY KEY, body BLOB)") }
    return pool
  }

  private func write(_ id: Int, pages: Int, in pool: DatabasePool, _ checkpoints: Checkpoints) throws {
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "INSERT OR REPLACE INTO blob VALUES (?, zeroblob(?))", arguments: [id, pages * 4096])
      checkpoints.note(db)
    }
  }

  private func size(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  @Test func pagesGoHomeWithoutAnotherCommit() async throws {
    let folder = try TemporaryFolder()
    let pool = try open(folder)
    let checkpoints = Checkpoints(path: pool.path, short: 100)
    try await pool.writeWithoutTransaction { try checkpoints.watch($0) }
    try write(1, pages: 50, in: pool, checkpoints)
    #expect(try size(pool.path) < 50 * 4096, "too few for a checkpoint")
    try write(2, pages: 200, in: pool, checkpoints)
    let end = ContinuousClock.now + .seconds(60)
    while try size(pool.path) < 250 * 4096, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try size(pool.path) >= 250 * 4096)
    checkpoints.close()
    try pool.close()
  }

  /// Where little is left to bring home, whoever commits does that, and the log begins anew.
  @Test func aLogEndsWhereLittleIsLeft() throws {
    let folder = try TemporaryFolder()
    let pool = try open(folder)
    // None is made beside the writer.
    let checkpoints = Checkpoints(path: pool.path, short: 1_000_000, step: 1_000_000, longest: 100)
    try pool.writeWithoutTransaction { try checkpoints.watch($0) }
    for step in 0..<300 { try write(step % 7, pages: 3, in: pool, checkpoints) }
    #expect(try size(pool.path + "-wal") < 200 * 4096)
    checkpoints.close()
    try pool.close()
  }

  /// Small commits are written over what the file has, once the log is a megabyte long.
  @Test func aLogOfSmallCommitsStaysShort() throws {
    let folder = try TemporaryFolder()
    let pool = try open(folder)
    let checkpoints = Checkpoints(path: pool.path)
    try pool.writeWithoutTransaction { try checkpoints.watch($0) }
    let end = ContinuousClock.now + .seconds(60)
    var (written, step) = (0, 0)
    // How far the log gets while others bring it home is the machine's; that it ends is not.
    while try written < 1_500 * 4096 || size(pool.path + "-wal") > written / 4, ContinuousClock.now < end {
      try write(step % 7, pages: 1, in: pool, checkpoints)
      (written, step) = (written + 4096, step + 1)
    }
    #expect(try size(pool.path + "-wal") <= written / 4, "of \(written) bytes")
    checkpoints.close()
    try pool.close()
  }

  /// However steadily it is written to.
  @Test func theLogDoesNotGrowForEver() throws {
    let folder = try TemporaryFolder()
    let pool = try open(folder)
    let checkpoints = Checkpoints(path: pool.path, short: 20, step: 20, longest: 100)
    try pool.writeWithoutTransaction { try checkpoints.watch($0) }
    // The file of a log that ended is kept as it is: after a while much more has been written than it has.
    var (written, step) = (0, 0)
    let end = ContinuousClock.now + .seconds(60)
    while try written < 4_000 * 4096 || size(pool.path + "-wal") > written / 4, ContinuousClock.now < end {
      try write(step % 7, pages: 3, in: pool, checkpoints)
      (written, step) = (written + 3 * 4096, step + 1)
    }
    #expect(try size(pool.path + "-wal") <= written / 4, "of \(written) bytes")
    checkpoints.close()
    // Nothing is begun any more, and nothing fails.
    try write(1, pages: 300, in: pool, checkpoints)
    try pool.close()
  }
}
