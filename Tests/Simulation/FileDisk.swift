import CSimulation
import Foundation
import Queues
import TableStore

/// The real store in a SQLite file, on a disk that loses power, has no room now and then, and whose syncs may fail (`FaultyFiles`).
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class FileDisk: @unchecked Sendable {
  private let world: World
  private let folder: URL
  private var boots = 1
  private var failures: UInt64 = 0
  /// Of processes that are gone: to let go of one would touch the files of the present one.
  private var graves: [SQLiteStore] = []

  private var path: String { folder.appendingPathComponent("tablecast.sqlite").path }

  init(_ world: World) {
    self.world = world
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tablecast-simulation-\(getpid())")
    // Of one that was killed and had the same number.
    try? FileManager.default.removeItem(at: folder)
    Self.left = folder
    atexit { if let folder = FileDisk.left { try? FileManager.default.removeItem(at: folder) } }
    simulation_files_begin(world.seed ^ 0xf11e)
  }

  nonisolated(unsafe) private static var left: URL?

  /// - Parameters:
  ///   - full: one of so many writes finds no room; 0: none.
  ///   - sync: one of so many syncs fails.
  func fail(full: Int, sync: Int) { simulation_files_fail(Int32(full), Int32(sync)) }

  /// How it fails where nothing else is said.
  var usual = (full: 0, sync: 0)
  func failAsUsual() { fail(full: usual.full, sync: usual.sync) }

  /// Since a sync has failed the store writes nothing, and the machine is to be started again.
  var isBroken: Bool { simulation_files_so_far().failed_syncs > failures }

  func open(_ host: Host) throws(StoreError) -> any Store {
    let store = try SQLiteStore(
      path: path,
      history: 64,
      boot: "boot \(boots)",
      queues: QueueFactory(HostQueues(host))
    )
    graves.append(store)
    return store
  }

  /// The database, and what was not brought into it yet, as a process has left them.
  private var backup: [String: Data] = [:]
  var hasBackup: Bool { !backup.isEmpty }

  /// The journal is there until the log is: a database whose first writing was broken off is damaged without it.
  private static let parts = ["", "-wal", "-journal"]

  /// Copies the store, while no process has it.
  func backUp() {
    for part in Self.parts { backup[part] = try? Data(contentsOf: URL(fileURLWithPath: path + part)) }
  }

  /// Puts the copy in the store's place.
  func restore() {
    for part in Self.parts + ["-shm"] { try? FileManager.default.removeItem(atPath: path + part) }
    for (part, bytes) in backup { try? bytes.write(to: URL(fileURLWithPath: path + part)) }
    simulation_files_reread()
  }

  /// The process has ended, perhaps because the machine has lost its power.
  func end(losesPower: Bool) {
    simulation_files_end(losesPower ? 1 : 0)
    simulation_close(path + ".lock")
    failures = simulation_files_so_far().failed_syncs
    guard losesPower else { return }
    boots += 1
    // Nobody has synced that one.
    if world.chance(4) { try? Data().write(to: URL(fileURLWithPath: path + ".lock")) }
  }
}
