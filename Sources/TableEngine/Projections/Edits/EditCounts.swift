import Synchronization

/// How edits of each table ended, for metrics: by the table's name without parameters, which a client could make more of.
final class EditCounts: Sendable {
  private let counts = Mutex<[String: [String: Int]]>([:])

  func count(_ outcome: EditResult, of table: String) {
    let result =
      switch outcome {
      case .success: "done"
      case .failure(let error): error.kind.rawValue
      }
    counts.withLock { $0[table, default: [:]][result, default: 0] += 1 }
  }

  /// By table and result.
  var all: [(table: String, result: String, count: Int)] {
    counts.withLock { counts in
      counts.sorted { $0.key < $1.key }.flatMap { table, results in
        results.sorted { $0.key < $1.key }.map { (table, $0.key, $0.value) }
      }
    }
  }
}
