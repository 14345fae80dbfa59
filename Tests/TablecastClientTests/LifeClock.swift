import Foundation

@testable import TablecastClient

/// Time of a life: it goes on when the life says so, and while the device sleeps no timer runs.
///
/// `@unchecked Sendable`: everything is used with the lock held.
final class LifeClock: Scheduler, @unchecked Sendable {
  private let lock = NSLock()
  private var time = 0.0
  private var due: [(number: Int, time: Double, action: @Sendable () -> Void)] = []
  private var last = 0

  var now: Double { lock.withLock { time } }
  var date: Double { 1_700_000_000 + now }

  func schedule(at time: Double, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    let number = lock.withLock {
      last += 1
      due.append((last, time, action))
      return last
    }
    return Entry { [weak self] in
      guard let self else { return }
      lock.withLock { due.removeAll { $0.number == number } }
    }
  }

  private struct Entry: Cancellable {
    let action: @Sendable () -> Void
    func cancel() { action() }
  }

  /// Lets so many seconds pass; what was due meanwhile comes afterwards.
  func sleep(_ seconds: Double) { lock.withLock { time += seconds } }

  /// Goes on, one action after the other; `settle` is called before each, and at the end.
  func advance(by seconds: Double, settle: () -> Void) {
    let end = now + seconds
    while true {
      settle()
      let next: (@Sendable () -> Void)? = lock.withLock {
        guard let index = due.indices.min(by: { (due[$0].time, due[$0].number) < (due[$1].time, due[$1].number) }),
          due[index].time <= end
        else { return nil }
        time = max(time, due[index].time)
        return due.remove(at: index).action
      }
      guard let next else { break }
      next()
    }
    lock.withLock { time = max(time, end) }
    settle()
  }
}

/// Where a device keeps edits; a program that was killed writes no more.
///
/// `@unchecked Sendable`: everything is used with the lock held.
final class LifeStore: EditStore, @unchecked Sendable {
  /// The device's disk.
  final class Disk: @unchecked Sendable {
    private let lock = NSLock()
    private var files: [String: [UInt8]] = [:]
    var all: [[UInt8]] { lock.withLock { files.sorted { $0.key < $1.key }.map(\.value) } }
    func save(_ bytes: [UInt8]?, _ name: String) { lock.withLock { files[name] = bytes } }
  }

  private let disk: Disk
  private let lock = NSLock()
  private var isDead = false

  init(_ disk: Disk) { self.disk = disk }

  func die() { lock.withLock { isDead = true } }
  func load() -> [[UInt8]] { disk.all }
  func save(_ bytes: [UInt8]?, for key: SnapshotKey) {
    if lock.withLock({ !isDead }) { disk.save(bytes, key.description) }
  }
  func purge() {}
}
