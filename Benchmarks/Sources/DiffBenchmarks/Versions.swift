import TableModel

/// What a version's rows are made of: their bytes, as mapping leaves them.
struct Source {
  struct Part {
    let id: String
    let encoded: [UInt8]
  }

  let sections: [(id: String, rows: [Part])]
  private static let cells = [CellPart(cellIdentifier: "TableViewCellWithLabel", payload: 0..<2)]

  init(_ drafts: [Shape.Draft]) {
    sections = drafts.map { draft in
      let rows = draft.rows.map { row in
        let id = "row-\(row.id)"
        let encoded = """
          {"id":"\(id)","cellIdentifier":"TableViewCellWithLabel","payload":{"title":"The title of row \(row.id)",\
          "subtitle":"with content \(row.content)"},"can":{"edit":true,"move":true,"select":true}}
          """
        return Part(id: id, encoded: Array(encoded.utf8))
      }
      return (id: "section-\(draft.id)", rows: rows)
    }
  }

  /// A version whose fingerprints are all computed now.
  func table() -> Table {
    Table(
      name: "bench",
      title: "Bench",
      state: .ready,
      sections: sections.map { section in
        Section(
          id: section.id,
          rows: section.rows.map { Row(id: $0.id, encoded: $0.encoded, cells: Self.cells, permissions: .select) }
        )
      }
    )
  }

  /// The version that follows `old`: rows whose bytes did not change are its rows, as in the service.
  func table(after old: Table) -> Table {
    var rows: [String: Row] = [:]
    for row in old.sections.lazy.flatMap(\.rows) { rows[row.id] = row }
    return Table(
      name: old.name,
      title: old.title,
      state: old.state,
      sections: sections.map { section in
        Section(
          id: section.id,
          rows: section.rows.map { part in
            if let row = rows[part.id], row.encoded == part.encoded { return row }
            return Row(id: part.id, encoded: part.encoded, cells: Self.cells, permissions: .select)
          }
        )
      }
    )
  }
}

/// The median time of a call in milliseconds, over as many rounds as fit the budget (3 at least, 401 at most).
func median(budget: Duration = .seconds(1), _ body: () -> Void) -> Double {
  let clock = ContinuousClock()
  body()
  var times: [Duration] = []
  let start = clock.now
  while times.count < 3 || (times.count < 401 && clock.now - start < budget) { times.append(clock.measure(body)) }
  times.sort()
  return times[times.count / 2] / .milliseconds(1)
}
