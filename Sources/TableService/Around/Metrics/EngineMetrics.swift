import TableEngine

/// Figures since the start: counted by names, which outlive the objects that they name.
extension PrometheusText {
  mutating func write(_ engine: Engine) {
    family(
      "source_refreshes_total",
      .counter,
      "Refreshes of a source by outcome, after their retries.",
      engine.refreshes.map { Sample([("source", $0.source), ("outcome", $0.outcome)], $0.count) }
    )
    writeRequests(engine.requests)
    family(
      "edits_total",
      .counter,
      "Requests to edit by result: `done`, or the kind of refusal.",
      engine.edits.map { Sample([("table", $0.table), ("result", $0.result)], $0.count) }
    )
    family("views", .gauge, "Views with taps.", engine.viewCount)
    let searches = engine.keptSearches
    family(
      "kept_searches",
      .gauge,
      "Searches with kept results, and tables with rows in other cells (`limits.lensBytes`).",
      searches.count
    )
    family("kept_search_bytes", .gauge, "Bytes of kept searches, estimated.", searches.bytes)
    let answers = engine.rememberedAnswers
    family("remembered_answers", .gauge, "Answers to edits that are kept in memory for repeats.", answers.count)
    family("remembered_answer_bytes", .gauge, "Bytes of answers that are kept in memory for repeats.", answers.bytes)
    writeReplication(engine)
  }

  private mutating func writeRequests(_ requests: [RequestFigures]) {
    func labels(_ figures: RequestFigures) -> [(String, String)] {
      [("source", figures.source), ("purpose", figures.purpose)]
    }
    family(
      "upstream_requests_total",
      .counter,
      "Requests to upstreams by result: `ok`, `unchanged` or the kind of failure.",
      requests.flatMap { figures in
        figures.results.sorted { $0.key < $1.key }.map { Sample(labels(figures) + [("result", $0.key)], $0.value) }
      }
    )
    family(
      "upstream_seconds",
      .histogram,
      "The time until an upstream's answer.",
      requests.flatMap { figures in
        figures.buckets.map { Sample(labels(figures) + [("le", $0.bound)], $0.count, suffix: "_bucket") } + [
          Sample(labels(figures), figures.seconds, suffix: "_sum"),
          Sample(labels(figures), figures.buckets.last?.count ?? 0, suffix: "_count"),
        ]
      }
    )
  }

  private mutating func writeReplication(_ engine: Engine) {
    let replication = engine.replication
    family(
      "replica_leading",
      .gauge,
      "1 if this process fetches the sources, as one of those that share a store does, else 0.",
      replication.isLeading ? 1 : 0
    )
    family(
      "replica_catchups_total",
      .counter,
      "Reads of versions that other replicas wrote.",
      replication.catchUps
    )
    family(
      "replica_conflicts_total",
      .counter,
      "Writes that were planned again, since another replica wrote first.",
      replication.conflicts
    )
  }
}
