import HTTPServer
import TableEngine

/// The figures of the service.
struct Metrics: Resource {
  let service: TableService

  /// `GET /metrics`.
  func metrics(_ call: Call) -> Reply {
    var metrics = PrometheusText()
    metrics.write(ProcessFigures())
    metrics.write(service.server.statistics)
    metrics.write(service.callerLimits)
    metrics.family(
      "tokens_remembered",
      .gauge,
      "Verified tokens of issuers that are kept in memory.",
      call.state.authorizer.rememberedTokens
    )
    metrics.write(service.engine)
    metrics.write(call.state.catalog)
    return .response(
      Response(
        status: .ok,
        headers: HeaderBlock([
          HeaderField(.contentType, "text/plain; version=0.0.4; charset=utf-8"), HeaderField(.cacheControl, "no-store"),
        ]),
        body: Array(metrics.text.utf8)
      )
    )
  }
}

/// Figures of the server, and of the limits on callers.
extension PrometheusText {
  fileprivate mutating func write(_ server: Statistics) {
    family("connections", .gauge, "Connections open.", server.connections)
    family("connections_accepted_total", .counter, "Connections accepted.", server.accepted)
    family("connections_refused_total", .counter, "Connections refused for a limit.", server.refusedConnections)
    family("waiting_polls", .gauge, "Long polls that wait.", server.waiters)
    family("streams", .gauge, "Event streams open.", server.streams)
    family("requests_total", .counter, "Requests read.", server.requests)
    family(
      "responses_total",
      .counter,
      "Responses by class of status.",
      server.responses.enumerated().dropFirst().map { Sample([("class", "\($0.offset)xx")], $0.element) }
    )
    family("received_bytes_total", .counter, "Bytes read from connections.", server.bytesRead)
    family("sent_bytes_total", .counter, "Bytes written to connections.", server.bytesWritten)
    write(server.latencies)
  }

  private mutating func write(_ latencies: [LatencyFigures]) {
    let asked = zip(RequestKind.all, latencies).filter { $0.1.counts.contains { $0 > 0 } }
    family(
      "request_seconds",
      .histogram,
      "The time until the head of a response; for a long poll, from the change that ends its wait.",
      asked.flatMap { kind, figures in
        let labels = [("route", kind.route), ("method", kind.method)]
        var count = 0
        let bounds = LatencyFigures.bounds.map { "\($0)" } + ["+Inf"]
        let buckets = zip(bounds, figures.counts).map { bound, more in
          count += more
          return Sample(labels + [("le", bound)], count, suffix: "_bucket")
        }
        let seconds = Double(figures.nanoseconds) / 1_000_000_000
        return buckets + [Sample(labels, seconds, suffix: "_sum"), Sample(labels, count, suffix: "_count")]
      }
    )
  }

  fileprivate mutating func write(_ limits: CallerLimits) {
    let limits = limits.figures
    family(
      "requests_limited_total",
      .counter,
      "Requests refused for a limit of one caller.",
      CallerLimits.Kind.allCases.map { Sample([("limit", $0.rawValue)], limits.refused[$0] ?? 0) }
    )
    family(
      "waiting_callers",
      .gauge,
      "Callers with waiting polls or streams, if `limits.waitersPerCaller` is set.",
      limits.waitingCallers
    )
  }
}
