import Synchronization
import Upstream

/// How the refreshes of each source ended, for metrics: by its name, so that they outlive a family's members and the
/// reading of a new configuration.
final class RefreshCounts: Sendable {
  enum Outcome: String, CaseIterable {
    case changed, unchanged, failed

    init(_ update: SourceUpdate) {
      switch update {
      case .content: self = .changed
      case .unchanged: self = .unchanged
      case .failed: self = .failed
      }
    }
  }

  private let counts = Mutex<[String: [Outcome: Int]]>([:])

  func count(_ update: SourceUpdate, of source: String) {
    counts.withLock { $0[source, default: [:]][Outcome(update), default: 0] += 1 }
  }

  /// By name, every outcome of each.
  var all: [(source: String, outcome: Outcome, count: Int)] {
    counts.withLock { counts in
      counts.sorted { $0.key < $1.key }.flatMap { source, counts in
        Outcome.allCases.map { (source, $0, counts[$0] ?? 0) }
      }
    }
  }
}
