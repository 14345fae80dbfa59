import TableModel

/// Tables and changesets as short texts, so that a case is one line.
///
/// `A: a b' c! | B^x: d`: section A with three rows, of which `b` has other content (as many as it has
/// apostrophes) and `c` another cell; section B with a header and one row.
func table(_ text: String) -> Table {
  Table(
    name: "t",
    title: "Title",
    state: .ready,
    sections: text.split(separator: "|").map { part in
      let halves = part.split(separator: ":", maxSplits: 1)
      let names = halves[0].split(separator: "^").map { $0.filter { $0 != " " } }
      let header = names.count > 1 ? CellModel(cellIdentifier: "Title", encoded: Array(names[1].utf8)) : nil
      return Section(
        id: names[0],
        header: header,
        rows: halves.count < 2 ? [] : halves[1].split(separator: " ").map { row(String($0)) }
      )
    }
  )
}

func row(_ text: String) -> Row {
  Row(
    id: text.filter { $0 != "'" && $0 != "!" },
    encoded: Array(text.utf8),
    cells: CellChain(CellPart(cellIdentifier: text.contains("!") ? "Image" : "Label", payload: 0..<1)),
    permissions: []
  )
}

/// `-S1 +S0 S2>1 ~S0 -[0,1] +[1,0] [0,2]>[0,0] ~[0,0] ![0,1]`: deletes, inserts, moves, updates and reloads, of sections
/// and of rows; a slash between stages.
func text(_ changeset: Changeset) -> String {
  changeset.stages.map { stage in
    var words: [String] = []
    words += stage.sections.delete.map { "-S\($0.at)" }
    words += stage.sections.insert.map { "+S\($0.at)" }
    words += stage.sections.move.map { "S\($0.from)>\($0.to)" }
    words += stage.sections.update.map { "~S\($0.at)" }
    words += stage.rows.delete.map { "-\(text($0.at))" }
    words += stage.rows.insert.map { "+\(text($0.at))" }
    words += stage.rows.move.map { "\(text($0.from))>\(text($0.to))" }
    words += stage.rows.update.map { "\($0.reload ? "!" : "~")\(text($0.at))" }
    return words.joined(separator: " ")
  }.joined(separator: " / ")
}

private func text(_ path: IndexPath) -> String { "[\(path.section),\(path.row)]" }
