import Definitions
import TableModel
import Upstream

/// How a source does, as an operator is shown it: with its upstream's own words. Of a source that members of families
/// ask, each for itself, all of them together.
package struct SourceStatus: Sendable {
  package enum State: String, Sendable {
    /// No table reads it now.
    case idle
    /// It has not been asked, or has not answered yet.
    case loading
    case ready
    /// The last refresh failed; tables have what it said before.
    case stale
    /// It never worked.
    case failed
  }

  /// One request, and what came back.
  package struct Answer: Sendable {
    /// RFC 3339.
    package var time: String
    /// Nil where there was no answer.
    package var status: Int?
    package var elapsed: Duration
    /// The length of the body, decompressed.
    package var bytes: Int
    /// Attempts of the same refresh before this one.
    package var retries: Int
    /// Pages that the refresh had read by then.
    package var pages: Int

    fileprivate init(_ answer: SourceFigures.Answer) {
      (time, status, elapsed) = (Timestamp.text(answer.at), answer.status, answer.elapsed)
      (bytes, retries, pages) = (answer.bytes, answer.retries, answer.pages)
    }
  }

  /// The state of the breaker: a host is not asked for a while where it failed again and again.
  package enum Breaker: String, Sendable {
    case closed, open, probing

    fileprivate init(_ breaker: SourceFigures.Breaker) {
      switch breaker {
      case .closed: self = .closed
      case .open: self = .open
      case .probing: self = .probing
      }
    }
  }

  package var id: String
  package var state: State
  package var every: Duration
  /// When it will be asked again by itself: RFC 3339.
  package var next: String?
  /// Its last answers, the newest at the end; at most ten.
  package var last: [Answer]
  package var breaker: Breaker
  package var isTruncated: Bool
  /// How many items its pages have, where the upstream says that there are more.
  package var missed: (items: Int, total: Int)?
  /// Why the last refresh failed, in the upstream's own words.
  package var problem: (title: String, detail: String)?
  /// How many ask it: one for each way in which it is asked, by its parameters and the callers' fields that it is sent.
  package var askers: Int

  init(_ id: String, _ definition: UpstreamDefinition, _ feeds: [PolledSource]) {
    let figures = feeds.map { (figures: $0.figures, hasWorked: $0.hasWorked) }
    (self.id, every, askers) = (id, definition.every, feeds.count)
    last = figures.flatMap(\.figures.lastAnswers).sorted { $0.at < $1.at }.suffix(10).map(Answer.init)
    next = figures.compactMap(\.figures.nextFetch).min().map { Timestamp.text($0) }
    let breakers = Set(figures.map { Breaker($0.figures.breaker) })
    breaker = [.open, .probing].first { breakers.contains($0) } ?? .closed
    isTruncated = figures.contains { $0.figures.isTruncated }
    missed = figures.lazy.compactMap(\.figures.missed).first
    // The worst of them: that is what an operator looks for.
    let failing = figures.filter { $0.figures.problem != nil }
    let worst = failing.first { !$0.hasWorked } ?? failing.first
    problem = worst?.figures.problem.map { ($0.title, $0.detail) }
    state =
      if let worst {
        worst.hasWorked ? .stale : .failed
      } else if figures.isEmpty {
        .idle
      } else {
        figures.contains { $0.hasWorked } ? .ready : .loading
      }
  }
}

extension Catalog {
  /// The status of the configuration's upstreams, in its order.
  package var sourceStatuses: [SourceStatus] {
    definition.sources.compactMap { source in
      guard case .upstream(let upstream) = source.kind else { return nil }
      return SourceStatus(source.name, upstream, feeds(of: source.name))
    }
  }

  /// Returns the status of an upstream.
  ///
  /// - Throws: where there is no such source.
  func status(of source: String) throws(TableError) -> SourceStatus {
    guard case .upstream(let upstream)? = definition.sources.first(where: { $0.name == source })?.kind else {
      throw .notFound("There is no source `\(source)` with an upstream: /v1/sources lists those there are.")
    }
    return SourceStatus(source, upstream, feeds(of: source).map(\.latest))
  }

  /// Each once, however many tables read it.
  private func feeds(of name: String) -> [PolledSource] {
    var known: Set<ObjectIdentifier> = []
    return ((sources[name].map { [$0] } ?? []) + families.flatMap { $0.feeds(of: name) })
      .filter { known.insert(ObjectIdentifier($0)).inserted }
  }
}
