import HTTPServer
import TableEngine
import TableModel
import TableStore

extension TableService {
  func metrics(_ call: Call) -> Reply { .response(Metrics.response(self, call.state)) }
}

/// `GET /metrics`: the Prometheus text format, version 0.0.4.
enum Metrics {
  static func response(_ service: TableService, _ state: ServiceState) -> Response {
    var text = ""
    let (engine, catalog) = (service.engine, state.catalog)
    let server = service.server.statistics
    func metric(_ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: Int)]) {
      text += "# HELP tablecast_\(name) \(help)\n# TYPE tablecast_\(name) \(kind)\n"
      for sample in samples { text += "tablecast_\(name)\(sample.labels) \(sample.value)\n" }
    }
    metric("connections", "gauge", "Connections open.", [("", server.connections)])
    metric("connections_accepted_total", "counter", "Connections accepted.", [("", server.accepted)])
    metric(
      "connections_refused_total",
      "counter",
      "Connections refused for a limit.",
      [("", server.refusedConnections)]
    )
    metric("waiting_polls", "gauge", "Long polls that wait.", [("", server.waiters)])
    metric("streams", "gauge", "Event streams open.", [("", server.streams)])
    metric("requests_total", "counter", "Requests read.", [("", server.requests)])
    metric(
      "responses_total",
      "counter",
      "Responses by class of status.",
      server.responses.enumerated().dropFirst().map { ("{class=\"\($0.offset)xx\"}", $0.element) }
    )
    let limits = service.callerLimits.figures
    metric(
      "requests_limited_total",
      "counter",
      "Requests refused for what one caller may ask.",
      CallerLimits.Kind.allCases.map { ("{limit=\"\($0.rawValue)\"}", limits.refused[$0] ?? 0) }
    )
    metric("waiting_callers", "gauge", "Callers who wait, where they are counted.", [("", limits.waitingCallers)])
    metric("received_bytes_total", "counter", "Bytes read from connections.", [("", server.bytesRead)])
    metric("sent_bytes_total", "counter", "Bytes written to connections.", [("", server.bytesWritten)])

    metric(
      "source_refreshes_total",
      "counter",
      "Refreshes of a source by how they ended, after their retries.",
      engine.refreshes.map { ("{source=\"\(escaped($0.source))\",outcome=\"\($0.outcome)\"}", $0.count) }
    )

    metric(
      "upstream_requests_total",
      "counter",
      "Requests to upstreams by what came of them: `ok`, `unchanged` or the kind of failure.",
      engine.requests.flatMap { figures in
        figures.results.sorted { $0.key < $1.key }.map { result, count in
          ("{source=\"\(escaped(figures.source))\",purpose=\"\(figures.purpose)\",result=\"\(result)\"}", count)
        }
      }
    )
    text += latencies(engine.requests)
    metric(
      "edits_total",
      "counter",
      "Requests to edit by what came of them: `done`, or the kind of refusal.",
      engine.edits.map { ("{table=\"\(escaped($0.table))\",result=\"\($0.result)\"}", $0.count) }
    )

    let tables = catalog.tables.map { table in
      (
        labels: "{table=\"\(escaped(table.name))\"}", version: table.current,
        changesets: table.changesetCount
      )
    }
    metric(
      "table_version",
      "gauge",
      "The version that a table is at.",
      tables.map { ($0.labels, Int(clamping: $0.version.number)) }
    )
    metric(
      "table_changesets_total",
      "counter",
      "Changesets computed: one for each pair of versions, set of cells and view that was asked for.",
      tables.map { ($0.labels, $0.changesets) }
    )
    metric("table_rows", "gauge", "Rows of a table.", tables.map { ($0.labels, $0.version.table.counts.rows) })
    metric(
      "table_skipped_items",
      "gauge",
      "Items without a row.",
      tables.map { ($0.labels, $0.version.table.skippedItems) }
    )
    metric(
      "table_truncated",
      "gauge",
      "1 where a source of the table had more items than it may, else 0.",
      tables.map { ($0.labels, $0.version.table.isTruncated ? 1 : 0) }
    )
    metric(
      "table_healthy",
      "gauge",
      "1 where a table is ready or empty, else 0.",
      tables.map { ($0.labels, [.ready, .empty].contains($0.version.table.state) ? 1 : 0) }
    )
    metric(
      "table_instances",
      "gauge",
      "Instances of a table with parameters or callers: polled, or frozen, as nobody reads them.",
      catalog.families.flatMap { family in
        let instances = family.instances
        return [("polled", instances.polled), ("frozen", instances.frozen)].map { state, count in
          ("{table=\"\(escaped(family.name))\",state=\"\(state)\"}", count)
        }
      }
    )
    let replication = engine.replication
    metric(
      "replica_leading",
      "gauge",
      "1 where this process asks the sources, which one of those that share a store does.",
      [("", replication.isLeading ? 1 : 0)]
    )
    metric(
      "replica_catchups_total",
      "counter",
      "How often what other replicas wrote was taken over.",
      [("", replication.catchUps)]
    )
    metric(
      "replica_conflicts_total",
      "counter",
      "How often something was to be written on what another replica had replaced, and was laid out anew.",
      [("", replication.conflicts)]
    )
    metric(
      "table_failing_instances",
      "gauge",
      "Instances of a table with parameters or callers that are stale or failed.",
      catalog.families.map { ("{table=\"\(escaped($0.name))\"}", $0.failing) }
    )
    metric("views", "gauge", "Views in which something was tapped.", [("", engine.viewCount)])
    metric(
      "reply_bytes",
      "gauge",
      "Replies of a table that are kept for those who ask for the same.",
      catalog.tables.map { ("{table=\"\(escaped($0.name))\"}", $0.replyBytes) }
    )
    metric(
      "waiting_windows",
      "gauge",
      "Who waits for a table by the window of rows that they have; `all` is the whole table.",
      catalog.tables.flatMap { table in
        table.waiters.sorted { ($0.key?.rows ?? .max) < ($1.key?.rows ?? .max) }.map { window, count in
          ("{table=\"\(escaped(table.name))\",rows=\"\(window.map { "\($0.rows)" } ?? "all")\"}", count)
        }
      }
    )
    let answers = engine.rememberedAnswers
    metric("remembered_answers", "gauge", "Answers that are kept in memory for repeats.", [("", answers.count)])
    metric("remembered_answer_bytes", "gauge", "What they take.", [("", answers.bytes)])
    return Response(
      status: .ok,
      headers: HeaderBlock([
        HeaderField(.contentType, "text/plain; version=0.0.4; charset=utf-8"), HeaderField(.cacheControl, "no-store"),
      ]),
      body: Array(text.utf8)
    )
  }

  /// How long upstreams take: a histogram.
  private static func latencies(_ requests: [RequestFigures]) -> String {
    let name = "tablecast_upstream_seconds"
    var text = "# HELP \(name) How long upstreams take to answer.\n# TYPE \(name) histogram\n"
    for figures in requests {
      let labels = "source=\"\(escaped(figures.source))\",purpose=\"\(figures.purpose)\""
      for bucket in figures.buckets {
        text += "\(name)_bucket{\(labels),le=\"\(bucket.bound)\"} \(bucket.count)\n"
      }
      text += "\(name)_sum{\(labels)} \(figures.seconds)\n"
      text += "\(name)_count{\(labels)} \(figures.buckets.last?.count ?? 0)\n"
    }
    return text
  }

  private static func escaped(_ label: String) -> String {
    label.reduce(into: "") { result, character in
      switch character {
      case "\\", "\"": result += "\\\(character)"
      case "\n": result += "\\n"
      default: result.append(character)
      }
    }
  }
}
