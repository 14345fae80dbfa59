import Glibc
import Synchronization

/// How long requests of each kind took on one event loop, as histograms. Only the loop writes, anyone may read: counting takes
/// no lock, and no locked instruction.
///
/// `@unchecked Sendable`: the memory is made of atomics, and lives as long as this.
final class Latencies: @unchecked Sendable {
  private let kinds: Int
  private let cells: UnsafeMutablePointer<Atomic<Int>>

  /// For each kind its buckets, and behind them the sum in nanoseconds.
  private static let width = LatencyFigures.bounds.count + 2
  private static let bounds = LatencyFigures.bounds.map { Int($0 * 1_000_000_000) }

  init(kinds: Int) {
    self.kinds = max(kinds, 1)
    cells = .allocate(capacity: self.kinds * Self.width)
    for index in 0..<self.kinds * Self.width { (cells + index).initialize(to: Atomic(0)) }
  }

  deinit {
    cells.deinitialize(count: kinds * Self.width)
    cells.deallocate()
  }

  /// A clock that never goes back, in nanoseconds.
  @inline(__always)
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
  }

  /// On the loop.
  func count(_ kind: Int, nanoseconds: Int) {
    let row = (kind >= 0 && kind < kinds ? kind : 0) * Self.width
    let bucket = Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count
    cells[row + bucket].add(1)
    cells[row + Self.width - 1].add(nanoseconds)
  }

  func add(to statistics: inout Statistics) {
    while statistics.latencies.count < kinds { statistics.latencies.append(LatencyFigures()) }
    for kind in 0..<kinds {
      let row = kind * Self.width
      for bucket in 0..<Self.width - 1 {
        statistics.latencies[kind].counts[bucket] += cells[row + bucket].load(ordering: .relaxed)
      }
      statistics.latencies[kind].nanoseconds += cells[row + Self.width - 1].load(ordering: .relaxed)
    }
  }
}

/// How long requests of one kind took, from their last byte to the head of their response. What a request has waited for
/// something to happen is not in it: those begin anew when they are woken.
public struct LatencyFigures: Sendable, Hashable {
  /// The upper bounds of the buckets, in seconds; the last bucket has none.
  public static let bounds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]
  /// By bucket, each without those below it.
  public var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// All of them together.
  public var nanoseconds = 0

  public init() {}
}
