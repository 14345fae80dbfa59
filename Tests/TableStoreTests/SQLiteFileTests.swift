import Foundation
import GRDB
import Synchronization
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// What a store's files are to others: another process, another program, another user.
@Suite struct SQLiteFileTests {
  @Test func aSecondProcessIsRefusedAndToldWhichHoldsTheFile() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.database) }
    guard case .locked(_, let holder)? = error else { throw error ?? .closed }
    #expect(holder.hasPrefix("process \(ProcessInfo.processInfo.processIdentifier) on "))
    try store.closed()
    try SQLiteStore(path: folder.database).closed()
  }

  @Test func itIsOneFileByWhicheverLink() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let link = folder.database + ".link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.database)
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: link) }
    guard case .locked? = error else { throw error ?? .closed }
    try store.closed()
    try SQLiteStore(path: link).closed()
  }

  /// What is no file stays as it is: others may be using it.
  @Test func whatIsNoFileIsRefused() throws {
    let folder = try TemporaryFolder()
    let parent = URL(fileURLWithPath: folder.database).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    #expect(mkfifo(folder.database, 0o600) == 0 && chmod(folder.database, 0o666) == 0)
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.database) }
    #expect(error.map { "\($0)" }?.contains("no regular file") == true)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.database)
    #expect(attributes[.posixPermissions] as? Int == 0o666)
  }

  /// Somebody else's transaction is no failure: it may be tried again.
  @Test(arguments: [ResultCode.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_BUSY_SNAPSHOT]) func aLockIsSaid(code: ResultCode) {
    let error = StoreError(DatabaseError(resultCode: code), path: "x")
    guard case .busy = error else { return #expect(Bool(false), "\(error)") }
  }

  /// A group waits once for who holds the database, and not once more for each of its commits.
  @Test func aGroupWaitsOnceForALock() throws {
    let folder = try TemporaryFolder()
    try SQLiteStore(path: folder.database).closed()
    let waits = Mutex(0)
    var configuration = Configuration()
    configuration.busyMode = .callback { _ in
      waits.withLock { $0 += 1 }
      return false
    }
    let queue = try DatabaseQueue(path: folder.database, configuration: configuration)
    let holder = try DatabaseQueue(path: folder.database)
    let commits = (0..<5).map { number in
      QueuedCommit(Commit(table: "t\(number)", durability: .full, items: ItemChanges(nextID: 1))) { _ in }
    }
    try holder.writeWithoutTransaction { db in
      try db.inTransaction(.immediate) {
        let results = queue.writeWithoutTransaction { db in
          var writer = StoreWriter(path: folder.database, history: 4, bounds: ReplyBounds())
          return writer.write(commits, now: 0, in: db)
        }
        let busy = results.count { if case .failure(.busy) = $0 { true } else { false } }
        #expect(busy == commits.count)
        return .rollback
      }
    }
    #expect(waits.withLock { $0 } == 1)
    try queue.close()
    try holder.close()
  }

  /// Edits that nobody will find again are not acknowledged; put back, the files are written to again.
  @Test(arguments: ["", "-wal"]) func aFileThatIsGoneIsSaid(_ suffix: String) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    try store.write(table([("s", [row("1")])]), to: versions)
    let file = folder.database + suffix
    try FileManager.default.moveItem(atPath: file, toPath: file + ".old")
    let gone = #expect(throws: StoreError.self) { try store.write(table([("s", [row("2")])]), to: versions) }
    #expect(gone.map { "\($0)" }?.contains("\(file) was moved or removed") == true)
    // Nor is a record given another name.
    #expect(throws: StoreError.self) { try result { store.rename("t", to: "u", completion: $0) } }
    versions.withdraw()
    try Data().write(to: URL(fileURLWithPath: file))
    #expect(throws: StoreError.self) { try store.write(table([("s", [row("2")])]), to: versions) }
    versions.withdraw()
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: file + ".old", toPath: file)
    try store.write(table([("s", [row("3")])]), to: versions)
    try store.closed()
  }

  /// Written to by somebody else: that it is damaged is said, and the process goes on.
  @Test(arguments: [
    "UPDATE feed SET next_item = 'many'", "UPDATE feed SET next_item = -1", "UPDATE feed SET epoch = 'old'",
    "UPDATE feed SET id = 9223372036854775807", "UPDATE version SET number = -number",
    "UPDATE version SET number = 9223372036854775807", "UPDATE version SET number = 'first'",
  ])
  func valuesThatCanNotBeAreDamage(_ statement: String) throws {
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database)
    try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
    try store.closed()
    let queue = try DatabaseQueue(path: folder.database)
    try queue.write { try $0.execute(sql: statement) }
    try queue.close()
    store = try SQLiteStore(path: folder.database)
    let error = #expect(throws: StoreError.self) { try store.restored() }
    guard case .corrupt? = error else { return #expect(Bool(false), "\(error.map { "\($0)" } ?? "none")") }
    try store.closed()
  }

  @Test func aNewerDatabaseIsRefusedByName() throws {
    let folder = try TemporaryFolder()
    try SQLiteStore(path: folder.database).closed()
    let queue = try DatabaseQueue(path: folder.database)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('8')") }
    try queue.close()
    #expect(throws: StoreError.newerVersion(path: folder.database, schema: "8", known: "7")) {
      try SQLiteStore(path: folder.database)
    }
  }

  /// The log is brought home by checkpoints alone, whose failure is noticed: not by the way, where a connection is closed.
  @Test func aFileThatIsRefusedKeepsItsLog() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
    try store.pool.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('8')") }
    // As a killed process leaves them.
    let killed = folder.path + "/killed.sqlite"
    for part in ["", "-wal"] { try FileManager.default.copyItem(atPath: folder.database + part, toPath: killed + part) }
    try store.closed()
    let before = try [killed, killed + "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    #expect(throws: StoreError.newerVersion(path: killed, schema: "8", known: "7")) { try SQLiteStore(path: killed) }
    let after = try [killed, killed + "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    #expect(after == before)
  }

  /// As after a failed sync, when nothing may be brought home.
  @Test func aStoreThatIsLetGoKeepsItsLog() async throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.database)
    func write() throws -> (database: Data, log: Data) {
      let store = try SQLiteStore(path: folder.database)
      try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
      _ = try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM version") }
      return try (Data(contentsOf: url), Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")))
    }
    let before = try write()
    try await awaitRelease(of: folder.database)
    #expect(try Data(contentsOf: url) == before.database)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")) == before.log)
    let store = try SQLiteStore(path: folder.database)
    // All of it was brought home by who opened it next.
    #expect(try Data(contentsOf: url) != before.database)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")).count < before.log.count)
    #expect(try store.restored().versions?.all.last?.table.rowCount == 1)
    try store.closed()
    #expect(!FileManager.default.fileExists(atPath: folder.database + "-wal"))
  }

  /// Waits until a store is closed that was let go: its queues do so a moment later.
  private func awaitRelease(of path: String) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      let taken = Result { try StoreLock(path: path) }
      if case .failure(StoreError.locked) = taken, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(5))
      } else {
        return try taken.get().release()
      }
    }
  }

  @Test func anotherProgramsDatabaseIsNotTouched() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/other.sqlite"
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: "CREATE TABLE mine (a)") }
    try queue.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(throws: StoreError.foreign(path: path)) { try SQLiteStore(path: path) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test(arguments: [0, 100, 4096, 4 * 4096, 12 * 4096]) func aDamagedFileIsReportedAndLeftAlone(offset: Int) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    try store.write(table([("s", (0..<500).map { row("r\($0)") })]), to: TableVersions(initial: table()))
    try store.closed()
    let url = URL(fileURLWithPath: folder.database)
    var bytes = try Data(contentsOf: url)
    for index in offset..<min(offset + 3000, bytes.count) { bytes[index] = 0xA5 }
    try bytes.write(to: url)
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.database) }
    guard case .corrupt(let path, _)? = error else { throw error ?? .closed }
    #expect(path == folder.database)
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test(arguments: [true, false]) func aLogWithoutItsDatabaseIsNotThrownAway(isGone: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
    let url = URL(fileURLWithPath: folder.database)
    let log = URL(fileURLWithPath: folder.database + "-wal")
    let kept = try Data(contentsOf: log)
    #expect(!kept.isEmpty)
    try store.closed()
    try kept.write(to: log)
    if isGone { try FileManager.default.removeItem(at: url) } else { try Data().write(to: url) }
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.database) }
    guard case .corrupt? = error else { throw error ?? .closed }
    #expect(try Data(contentsOf: log) == kept)
  }

  /// Rows hold callers' own data: no other user of the machine reads them.
  @Test(arguments: [nil, 0o644, 0o666, 0o600] as [mode_t?]) func filesAreTheirOwnersAlone(before mode: mode_t?) throws {
    let folder = try TemporaryFolder()
    let files = ["", "-wal", "-shm", ".lock"].map { folder.database + $0 }
    if let mode {
      try SQLiteStore(path: folder.database).closed()
      for file in files { chmod(file, mode) }
    }
    let old = umask(0)
    defer { umask(old) }
    let store = try SQLiteStore(path: folder.database)
    try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
    }
    try store.closed()
  }

  /// Whoever opens a file while others may read it goes on reading it: none is made for others and closed to them later.
  @Test func filesAreTheirOwnersAloneFromTheFirstByte() throws {
    let folder = try TemporaryFolder()
    let data = URL(fileURLWithPath: folder.database).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    let watch = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    try #require(watch >= 0)
    defer { close(watch) }
    try #require(inotify_add_watch(watch, data, UInt32(IN_CREATE | IN_ATTRIB)) >= 0)
    let old = umask(0)
    defer { umask(old) }
    let store = try SQLiteStore(path: folder.database)
    try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
    var events = [UInt8](repeating: 0, count: 65_536)
    let count = read(watch, &events, events.count)
    var changes: [(mask: Int, name: String)] = []
    var start = 0
    // A wd, a mask, a cookie and a length of four bytes each, and the name (inotify(7)).
    while start + 16 <= count {
      let numbers = events[start..<start + 16].withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt32>.self) }
      let name = events[(start + 16)..<(start + 16 + Int(numbers[3]))].prefix { $0 != 0 }
      changes.append((Int(numbers[1]), String(decoding: name, as: UTF8.self)))
      start += 16 + Int(numbers[3])
    }
    let name = URL(fileURLWithPath: folder.database).lastPathComponent
    for file in [name, name + ".lock"] {
      let masks = changes.filter { $0.name == file }.map(\.mask)
      #expect(masks == [Int(IN_CREATE)], "\(file): \(changes)")
    }
    try store.closed()
  }

  @Test func aPathThatCanNotBeIsSaid() throws {
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: "/dev/null/x/y.sqlite") }
    guard case .cannotOpen? = error else { throw error ?? .closed }
  }
}
