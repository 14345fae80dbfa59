import Foundation
import GRDB
import TestSupport
import Testing

@testable import TableStore

/// Numbers of versions that clients hold are never given again: where a file isn't the one that the last run left, it begins
/// new epochs.
@Suite struct RestoredFileTests {
  enum Between: String, CaseIterable {
    case end, kill, backupOfTheEnd
    case backupFromBefore, backupFromBeforeAKill, backupOfAnEarlierEnd, anotherPlace, lostLogAfterAKill
    case backupAfterARefusal, backupAfterACheckThatWasKilled

    var goesOn: Bool { [.end, .kill, .backupOfTheEnd].contains(self) }
  }

  @Test(arguments: Between.allCases) func epochs(_ between: Between) throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    var path = folder.database
    let backup = other.database
    let versions = TableVersions(initial: table())
    var store = try SQLiteStore(path: path)
    try store.write(table([("s", [row("1")])]), to: versions)
    if between == .backupOfAnEarlierEnd {
      try store.closed()
      try Self.copy(path, to: backup)
      store = try SQLiteStore(path: path)
      _ = try store.restored()
    } else {
      try FileManager.default.createDirectory(atPath: other.path + "/data", withIntermediateDirectories: true)
      try store.pool.backup(to: DatabaseQueue(path: backup))
      _ = try store.pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
    }
    try store.write(table([("s", [row("2")])]), to: versions)
    switch between {
    case .kill: try store.killed()
    case .lostLogAfterAKill:
      try store.killed()
      try FileManager.default.removeItem(atPath: path + "-wal")
    case .backupFromBeforeAKill:
      try store.killed()
      try FileManager.default.removeItem(atPath: path + "-wal")
      try Self.copy(backup, to: path)
    case .backupAfterARefusal:
      try store.killed()
      try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))
      #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
      try? FileManager.default.removeItem(atPath: path + "-wal")
      try Self.copy(backup, to: path)
    case .backupAfterACheckThatWasKilled:
      try store.killed()
      // The marks as they are while the file is checked, which a start that is killed leaves.
      let (lock, kept) = (path + ".lock", other.path + "/lock")
      #expect(throws: StoreError.closed) {
        try SQLiteStore(
          path: path,
          history: 64,
          now: { 0 },
          boot: SQLiteStore.bootIdentity(),
          maximumPages: nil,
          checkingBy: { _ in
            try Self.copy(lock, to: kept)
            throw StoreError.closed
          }
        )
      }
      try Self.copy(kept, to: lock)
      try FileManager.default.removeItem(atPath: path + "-wal")
      try Self.copy(backup, to: path)
    case .end: try store.closed()
    case .backupOfTheEnd:
      try store.closed()
      try Self.copy(path, to: backup)
      try Self.copy(backup, to: path)
    case .backupFromBefore, .backupOfAnEarlierEnd:
      try store.closed()
      try Self.copy(backup, to: path)
    case .anotherPlace:
      try store.closed()
      try Self.copy(path, to: backup)
      path = backup
    }
    store = try SQLiteStore(path: path)
    let stored = try #require(try store.restored().versions)
    #expect((stored.epoch == versions.epoch) == between.goesOn)
    try store.closed()
    // From then on it is this place's.
    let again = try SQLiteStore(path: path)
    #expect(try again.restored().versions?.epoch == stored.epoch)
    try again.closed()
  }

  private static func copy(_ from: String, to: String) throws {
    let folder = URL(fileURLWithPath: to).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try? FileManager.default.removeItem(atPath: to)
    try FileManager.default.copyItem(atPath: from, toPath: to)
  }
}

extension SQLiteStore {
  /// Leaves its files as a process does that is killed: the log stays, though the connections that are closed here remove it.
  func killed() throws {
    let (log, kept) = (path + "-wal", path + "-wal.kept")
    try FileManager.default.linkItem(atPath: log, toPath: kept)
    try pool.close()
    checkpoints.close()
    // As it was, whether or not they have removed it.
    try? FileManager.default.removeItem(atPath: log)
    try FileManager.default.moveItem(atPath: kept, toPath: log)
    lock.release()
  }
}
