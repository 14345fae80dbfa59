import Synchronization
import Upstream

/// Figures of the requests to a source's upstream and of its answers, for metrics.
package struct RequestFigures: Sendable {
  package var source: String
  /// `fetch` or `edit`.
  package var purpose: String
  /// By `ok`, `unchanged` or the kind of failure.
  package var results: [String: Int] = [:]
  private var latency = LatencyHistogram()

  init(source: String, purpose: String) { (self.source, self.purpose) = (source, purpose) }

  mutating func count(_ report: TransferReport) {
    let result = report.error?.kind.rawValue ?? (report.status == 304 ? "unchanged" : "ok")
    results[result, default: 0] += 1
    latency.add(report.elapsed)
  }

  /// How many answers took at most so many seconds; the last bound is `+Inf`.
  package var buckets: [(bound: String, count: Int)] {
    var count = 0
    return zip(LatencyHistogram.bounds.map { "\($0)" } + ["+Inf"], latency.counts).map { bound, own in
      count += own
      return (bound, count)
    }
  }

  /// All that they took, in seconds.
  package var seconds: Double { latency.sum }
}

/// Counts requests as they end: by the source's name, so that figures outlive a family's members and the reading of a new
/// configuration.
final class RequestCounts: Sendable {
  private struct Key: Hashable {
    var source: String
    var purpose: String
  }
  private let figures = Mutex<[Key: RequestFigures]>([:])

  func count(_ report: TransferReport) {
    let key = Key(source: report.source, purpose: report.purpose.rawValue)
    figures.withLock { figures in
      figures[key, default: RequestFigures(source: key.source, purpose: key.purpose)].count(report)
    }
  }

  /// By source and purpose.
  var all: [RequestFigures] {
    figures.withLock { $0.values.sorted { ($0.source, $0.purpose) < ($1.source, $1.purpose) } }
  }
}
