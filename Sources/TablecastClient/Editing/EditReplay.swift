/// The service's state with the open edits over it, in their order.
struct EditReplay {
  private(set) var sections: [TableSection]
  /// Rows that an open edit is about.
  private(set) var pendingRows: Set<String> = []

  /// O(rows + edits · rows of the touched sections). An edit that no longer fits (its row is gone) shows nothing.
  init(_ sections: [TableSection], _ edits: [EditStatus]) {
    self.sections = sections
    for edit in edits where !edit.state.isOver { apply(edit) }
  }

  private mutating func apply(_ status: EditStatus) {
    if let row = status.edit.row { pendingRows.insert(row) }
    switch status.edit {
    case .add(_, let place, let preview?): add(status, place, preview)
    case .patch(let row, _, let preview?): patch(row, preview)
    case .delete(let row): _ = remove(row)
    case .move(let row, let place):
      guard let (element, origin) = remove(row) else { return }
      if !insert(element, place) { sections[origin.section].rows.insert(element, at: origin.row) }
    case .add, .patch, .tap, .action, .refresh: break
    }
  }

  private mutating func add(_ status: EditStatus, _ place: EditPlace, _ preview: JSONText) {
    // Once answered, the row has the name that the service gave it, and may stand there already.
    var id = status.id.localRow
    if case .acknowledged(let answer) = status.state, let row = answer["id"]?.string { id = row }
    pendingRows.insert(id)
    guard path(of: id) == nil else { return }
    let json = JSONOutput.write { output in
      output.raw("{")
      output.member("id", id)
      for (name, value) in preview.members where name != "id" { output.member(name, value) }
      output.raw("}")
    }
    if let row = try? TableRow(json) { _ = insert(row, place) }
  }

  private mutating func patch(_ row: String, _ preview: JSONText) {
    guard let path = path(of: row) else { return }
    let merged = JSONOutput.write { output in
      output.raw("{")
      for (name, value) in sections[path.section].rows[path.row].json.members {
        output.member(name, name == "payload" ? value.merged(with: preview) : value)
      }
      output.raw("}")
    }
    if let row = try? TableRow(merged) { sections[path.section].rows[path.row] = row }
  }

  private mutating func remove(_ id: String) -> (TableRow, RowPath)? {
    guard let path = path(of: id) else { return nil }
    return (sections[path.section].rows.remove(at: path.row), path)
  }

  private mutating func insert(_ row: TableRow, _ place: EditPlace) -> Bool {
    switch place {
    case .end:
      guard let last = sections.indices.last else { return false }
      sections[last].rows.append(row)
    case .section(let id, let at):
      guard let section = sections.firstIndex(where: { $0.id == id }) else { return false }
      sections[section].rows.insert(row, at: min(at ?? .max, sections[section].rows.count))
    case .before(let other), .after(let other):
      guard let path = path(of: other) else { return false }
      if case .before = place {
        sections[path.section].rows.insert(row, at: path.row)
      } else {
        sections[path.section].rows.insert(row, at: path.row + 1)
      }
    }
    return true
  }

  private func path(of id: String) -> RowPath? {
    for (section, element) in sections.enumerated() {
      if let row = element.rows.firstIndex(where: { $0.id == id }) { return RowPath(section: section, row: row) }
    }
    return nil
  }
}

extension JSONText {
  /// RFC 7396.
  func merged(with patch: JSONText) -> JSONText {
    guard patch.isObject else { return patch }
    let changes = patch.members
    let known = isObject ? members : []
    return JSONOutput.write { output in
      output.raw("{")
      for (name, value) in known {
        guard let change = changes.last(where: { $0.name == name })?.value else {
          output.member(name, value)
          continue
        }
        if !change.isNull { output.member(name, value.merged(with: change)) }
      }
      for (name, value) in changes where !value.isNull && !known.contains(where: { $0.name == name }) {
        output.member(name, JSONText.null.merged(with: value))
      }
      output.raw("}")
    }
  }
}
