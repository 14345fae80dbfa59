import TablecastClient

/// A state of a table as lines of a terminal. Pure.
struct WatchDrawing {
  private let snapshot: TableSnapshot
  private let changed: Set<String>
  private let chosen: String?
  private let width: Int
  private let bold, dim, marked, inverse, plain: String

  init(_ snapshot: TableSnapshot, changed: Set<String>, chosen: String?, width: Int, inColor: Bool) {
    (self.snapshot, self.changed, self.chosen, self.width) = (snapshot, changed, chosen, max(width, 20))
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
      }
    }
    if snapshot.hasMore, let window = snapshot.window {
      lines.append("\(dim)\(window.rows) of \(window.of) rows; m brings more\(plain)")
    }
    let room = max(height - 2, 1)
    let first = max(0, min(chosenLine - room / 2, lines.count - room))
    return [status] + lines[first..<min(first + room, lines.count)]
  }

  private var status: String {
    var parts = [snapshot.title.isEmpty ? snapshot.address.name : snapshot.title]
    parts.append(snapshot.state.rawValue)
    parts.append(snapshot.connection.rawValue)
    if let problem = snapshot.refusal.map(\.description) ?? snapshot.problem.map({ "\($0.title): \($0.detail)" }) {
      parts.append(problem)
    }
    if let edit = snapshot.edits.last, case .refused(let problem) = edit.state { parts.append("✗ \(problem)") }
    return "\(dim)\(cut(parts.joined(separator: " · ")))\(plain)"
  }

  private func line(_ row: TableRow) -> String {
    let mark = snapshot.pendingRows.contains(row.id) ? "…" : changed.contains(row.id) ? "●" : " "
    let style = row.id == chosen ? inverse : changed.contains(row.id) ? marked : ""
    return "\(style)\(cut("\(mark) \(text(of: row.json))"))\(plain)"
  }

  /// The title of a cell and what else its payload has, on one line.
  private func text(of cell: JSONText) -> String {
    let members = cell["payload"]?.members ?? []
    let title = members.first { $0.name == "title" }.flatMap { $0.value.string }
    let rest = members.filter { $0.name != "title" && !$0.value.isNull }.map { $0.value.string ?? $0.value.text }
    return ([title].compactMap(\.self) + rest).joined(separator: "  ")
  }

  /// Without control characters: what the service sends must not steer the terminal.
  private func cut(_ text: String) -> String {
    let clean = text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : Character($0) }
    return clean.count <= width ? String(clean) : String(clean.prefix(width - 1)) + "…"
  }
}
