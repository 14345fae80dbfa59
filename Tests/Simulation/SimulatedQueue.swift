import Dispatch
import Queues

/// What queues belong to: a process of the simulation, which ends, or something that outlasts all of them.
final class Host: @unchecked Sendable {
  let name: String
  let world: World
  fileprivate(set) var isAlive = true
  /// Does nothing until then, as a process that was stopped; in the world's time.
  var pausedUntil: UInt64 = 0
  /// What its wall clock is ahead of the world's, in nanoseconds.
  var skew: Int64 = 0

  init(_ name: String, _ world: World) { (self.name, self.world) = (name, world) }

  /// Nothing of it is done any more. What it held is never let go: much of it may not be, in the middle of something.
  func end() {
    isAlive = false
    world.bury(self)
  }
}

/// A queue whose work the world does, one piece after another.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class SimulatedQueue: GivenQueue, @unchecked Sendable {
  let label: String
  let isSerial: Bool
  let host: Host
  /// Of the label.
  let digest: UInt64
  private let isOfTable: Bool
  /// Others go on in the middle of its work.
  private let isOfLoading: Bool
  var pieces: [() -> Void] = []
  /// Stands among the world's ready ones.
  var isListed = false
  private var world: World { host.world }

  /// The queue on which a configuration is loaded.
  static let loading = "tablecast.loading"

  init(_ label: String, isSerial: Bool, _ host: Host) {
    (self.label, self.isSerial, self.host) = (label, isSerial, host)
    isOfTable = label.hasPrefix("tablecast.table.")
    isOfLoading = label == Self.loading
    digest = label.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    guard !isOfLoading || !host.isAlive else { return world.start(Fiber(host, work)) }
    add(work)
    // Sources are told what to do under locks, for which others would wait.
    if isOfTable { world.letOthersGoOn() }
  }

  func async(at deadline: DispatchTime, _ work: @escaping @Sendable () -> Void) {
    world.schedule(at: deadline.uptimeNanoseconds, on: self, work)
  }

  func async(after group: DispatchGroup, _ work: @escaping @Sendable () -> Void) {
    world.schedule(after: group, on: self, work)
  }

  func add(_ piece: @escaping () -> Void) {
    guard host.isAlive else { return world.keep(piece) }
    pieces.append(piece)
    world.list(self)
  }

  /// Does work at once, behind all that was given before.
  func sync(_ work: () -> Void) {
    while !pieces.isEmpty { world.perform(world.take(0, of: self), of: self) }
    world.working.append(self)
    work()
    world.working.removeLast()
  }

  var isCurrent: Bool { world.working.last === self || world.working.contains { $0 === self } }
}

/// Queues of one process.
final class HostQueues: QueueSource, @unchecked Sendable {
  private let host: Host

  init(_ host: Host) { self.host = host }

  func makeQueue(_ label: String, isSerial: Bool) -> any GivenQueue { SimulatedQueue(label, isSerial: isSerial, host) }
}
