import Dispatch
import Foundation
import GRDB
import Synchronization

/// Connections that read beside the one that writes, so that what there is much of is read on all cores.
///
/// Use it on the writer's queue only, outside of a transaction: nothing is committed meanwhile, and all of them see what the
/// writer sees.
struct StoreReaders: Sendable {
  private let pool: DatabasePool

  /// As many as there are cores, each of which takes a page cache of 2 MB once it was needed.
  static let maximumCount = min(max(2, ProcessInfo.processInfo.activeProcessorCount), 8)

  init(_ pool: DatabasePool) { self.pool = pool }

  /// Calls a body for each place below a count: on all cores, in any order, each place once. Where there is only one, on the
  /// connection of the writer.
  ///
  /// - Throws: what a body has thrown; the others may not have been called.
  func forEach(_ count: Int, in db: Database, _ body: @Sendable (Int, Database) throws -> Void) throws {
    guard count > 1 else {
      if count == 1 { try body(0, db) }
      return
    }
    let progress = Mutex(Progress())
    DispatchQueue.concurrentPerform(iterations: min(count, Self.maximumCount)) { _ in
      do {
        try pool.read { db in
          while let place = progress.withLock({ $0.take(of: count) }) { try body(place, db) }
        }
      } catch {
        progress.withLock { $0.error = $0.error ?? error }
      }
    }
    if let error = progress.withLock({ $0.error }) { throw error }
  }

  private struct Progress {
    private var next = 0
    var error: (any Error)?

    /// Nil: all are taken, or one has failed.
    mutating func take(of count: Int) -> Int? {
      guard next < count, error == nil else { return nil }
      next += 1
      return next - 1
    }
  }
}

/// Parts of the keys that a table has in one of the database's tables, so that several can read them at once.
struct KeyParts {
  /// Ascending; those in between have no record.
  private(set) var ranges: [ClosedRange<Int64>] = []

  /// Fewer are read faster by one.
  private static let shortest: Int64 = 16_384
  /// Where many numbers were given up, parts have different numbers of records; a reader with few records takes more
  /// parts.
  private static let most: Int64 = 128

  /// - Parameter name: of the database's table; its key is `key`.
  init(of name: String, among keys: ClosedRange<Int64>, in db: Database) throws {
    let edges = try ["min", "max"].map { edge in
      let sql = "SELECT \(edge)(key) FROM \(name) WHERE key BETWEEN ? AND ?"
      return try Int64.fetchOne(db, sql: sql, arguments: [keys.lowerBound, keys.upperBound])
    }
    guard let first = edges[0], let last = edges[1] else { return }
    let length = max(Self.shortest, (last - first) / Self.most + 1)
    ranges = stride(from: first, through: last, by: Int(length)).map { $0...min(last, $0 + (length - 1)) }
  }

  init() {}
}
