import TablecastClient

/// A state of a table as lines of a terminal. Pure.
struct WatchDrawing {
  private let snapshot: TableSnapshot
  private let changed: Set<String>
  private let chosen: String?
  private let width: Int
  private let bold, dim, marked, inverse, plain: String

  init(_ snapshot: TableSnapshot, changed: Set<String>, chosen: String?, width: Int, inColor: Bool) {
    (self.snapshot, self.changed, self.chosen, self.width) = (snapshot, changed, chosen, width)
    (bold, dim, marked, inverse, plain) =
      inColor ? ("\u{1B}[1m", "\u{1B}[2m", "\u{1B}[32m", "\u{1B}[7m", "\u{1B}[0m") : ("", "", "", "", "")
  }

  /// At most so many lines, with the chosen row among them.
  func lines(height: Int) -> [String] {
    var lines: [String] = []
    var chosenLine = 0
    for section in snapshot.sections {
      lines.append("\(bold)\(cut(section.header.map { text(of: $0) } ?? section.id))\(plain)")
      for row in section.rows {
        if row.id == chosen { chosenLine = lines.count }
        lines.append(line(row))
        lines += details(of: row)
      }
    }
    if snapshot.hasMore, let window = snapshot.window {
      let shown = window.from == 0 ? "\(window.rows)" : "\(window.from)–\(window.from + window.rows - 1)"
      lines.append("\(dim)\(cut("\(shown) of \(window.of) rows; m brings more"))\(plain)")
    }
    let refusal = refusal
    let room = max(height - 1 - refusal.count, 0)
    let first = max(0, min(chosenLine - room / 2, lines.count - room))
    return ([status] + refusal + lines[first..<min(first + room, lines.count)]).prefix(max(height, 1)).map(\.self)
  }

  private var status: String {
    var parts = [snapshot.title.isEmpty ? snapshot.address.name : snapshot.title]
    parts.append(snapshot.state.rawValue)
    parts.append(snapshot.connection.rawValue)
    if let problem = (snapshot.refusal ?? snapshot.searchProblem).map(\.description)
      ?? snapshot.problem.map({ "\($0.title): \($0.detail)" })
    {
      parts.append(problem)
    }
    return "\(dim)\(cut(parts.joined(separator: " · ")))\(plain)"
  }

  /// Why the last edit was not done.
  private var refusal: [String] {
    switch snapshot.edits.last?.state {
    case .refused(let problem): ["\(bold)\(cut("✗ \(problem)"))\(plain)"]
    case .unknown: ["\(bold)\(cut("✗ nobody can say whether it was done"))\(plain)"]
    default: []
    }
  }

  private func line(_ row: TableRow) -> String {
    let mark = snapshot.pendingRows.contains(row.id) ? "…" : changed.contains(row.id) ? "●" : " "
    let style = row.id == chosen ? inverse : changed.contains(row.id) ? marked : ""
    let fold = isExpanded(row).map { $0 ? "▾ " : "▸ " } ?? ""
    let text = isExpanded(row) == nil ? text(of: row.json) : fold + (texts(of: row.json).first ?? row.id)
    return "\(style)\(cut("\(mark) \(text)"))\(plain)"
  }

  /// Returns the details of an open row beyond its title, a line each.
  private func details(of row: TableRow) -> [String] {
    guard isExpanded(row) == true else { return [] }
    return texts(of: row.json).dropFirst().map { "\(dim)\(cut("      \($0)"))\(plain)" }
  }

  /// Nil for a row that doesn't open: by the field's name, as a terminal doesn't know the cells.
  private func isExpanded(_ row: TableRow) -> Bool? {
    (row.json["payload"]?.members ?? []).first { $0.name == "isExpanded" || $0.name == "expanded" }?.value.boolean
  }

  /// The title of a cell and what else its payload has to read, on one line.
  private func text(of cell: JSONText) -> String { texts(of: cell).joined(separator: "  ") }

  /// Title first; without flags, nothings, and pictures that stand in the text itself.
  private func texts(of cell: JSONText) -> [String] {
    let members = cell["payload"]?.members ?? []
    let title = members.first { $0.name == "title" }.flatMap { $0.value.string }
    let rest = members.filter { $0.name != "title" && !$0.value.isNull && $0.value.boolean == nil }
      .map { $0.value.string ?? $0.value.text }.filter { !$0.hasPrefix("data:") && !$0.isEmpty }
    return [title].compactMap(\.self) + rest
  }

  private func cut(_ text: String) -> String { TerminalText.cut(text, columns: width) }
}
