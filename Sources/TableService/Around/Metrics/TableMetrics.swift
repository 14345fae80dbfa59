import TableEngine
import TableModel
import TableStore

/// How the tables stand that there are now.
extension PrometheusText {
  mutating func write(_ catalog: Catalog) {
    let tables = catalog.tables.map { (name: $0.name, table: $0, version: $0.current) }
    func each(
      _ name: String,
      _ kind: Kind,
      _ help: String,
      _ value: ((name: String, table: LiveTable, version: Version)) -> Int
    ) {
      family(name, kind, help, tables.map { Sample([("table", $0.name)], value($0)) })
    }
    each("table_version", .gauge, "The present version of a table.") { Int(clamping: $0.version.number) }
    each(
      "table_changesets_total",
      .counter,
      "Changesets computed: one for each requested pair of versions, set of cells and view."
    ) { $0.table.changesetCount }
    each("table_rows", .gauge, "Rows of a table.") { $0.version.table.counts.rows }
    each("table_skipped_items", .gauge, "Items without a row.") { $0.version.table.skippedItems }
    each("table_truncated", .gauge, "1 where a source of the table had more items than it may, else 0.") {
      $0.version.table.isTruncated ? 1 : 0
    }
    each("table_healthy", .gauge, "1 where a table is ready or empty, else 0.") {
      [.ready, .empty].contains($0.version.table.state) ? 1 : 0
    }
    each("reply_bytes", .gauge, "Bytes of a table's replies that are kept for equal requests.") {
      $0.table.replyBytes
    }
    family(
      "waiting_windows",
      .gauge,
      "Waiting polls and streams of a table by their window; `all` is the whole table.",
      tables.flatMap { name, table, _ in
        table.waiters.sorted { $0.key.place < $1.key.place }.map { window, count in
          Sample([("table", name), ("rows", window?.description ?? "all")], count)
        }
      }
    )
    writeFamilies(catalog.families)
  }

  private mutating func writeFamilies(_ families: [TableFamily]) {
    family(
      "table_instances",
      .gauge,
      "Instances of a table with parameters or callers: polled, or frozen without readers.",
      families.flatMap { family in
        let instances = family.instances
        return [("polled", instances.polled), ("frozen", instances.frozen)].map { state, count in
          Sample([("table", family.name), ("state", state)], count)
        }
      }
    )
    family(
      "table_instance_bytes",
      .gauge,
      "Bytes of the instances of a table with parameters or callers, estimated: answers, rows, held versions, kept replies.",
      families.map { Sample([("table", $0.name)], $0.byteCount) }
    )
    family(
      "table_failing_instances",
      .gauge,
      "Instances of a table with parameters or callers that are stale or failed.",
      families.map { Sample([("table", $0.name)], $0.failing) }
    )
    family(
      "table_truncated_instances",
      .gauge,
      "Truncated instances of a table with parameters or callers: a source had more items than it may.",
      families.map { Sample([("table", $0.name)], $0.truncated) }
    )
  }
}

extension WindowRange? {
  /// In what order they are listed: by where they begin and how many rows they have, the whole table last.
  fileprivate var place: (Int, Int) { map { ($0.from, $0.rows) } ?? (.max, .max) }
}
