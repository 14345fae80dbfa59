/// The service's state with the open edits over it, in their order.
struct EditReplay {
  private(set) var sections: [TableSection]
  /// Rows that an open edit is about.
  private(set) var pendingRows: Set<String> = []
  /// Where the rows are that edits name, after the edits so far.
  private var paths: [Identity: RowPath] = [:]
  /// The rows of sections that edits bring rows to or take some from: where one enters or leaves, a plain list costs less.
  private var changed: [Int: [TableRow]] = [:]

  /// O(rows + edits²) lookups, and O(rows) bytes moved for each edit that brings or takes a row. An edit that no longer
  /// fits (its row is gone) shows nothing.
  init(_ sections: [TableSection], _ edits: [EditStatus]) {
    self.sections = sections
    let open = edits.filter { !$0.state.isOver }
    guard !open.isEmpty else { return }
    find(open.reduce(into: []) { $0.formUnion($1.namedRows.map { Identity($0) }) })
    for edit in open { apply(edit) }
    for (section, rows) in changed { self.sections[section].rows = TableRows(rows) }
  }

  private mutating func find(_ ids: Set<Identity>) {
    guard !ids.isEmpty else { return }
    for (section, element) in sections.enumerated() {
      for (row, element) in element.rows.enumerated() where ids.contains(element.identity) {
        paths[element.identity] = RowPath(section: section, row: row)
      }
    }
  }

  private mutating func apply(_ status: EditStatus) {
    let names = status.namesOfParts
    for (number, edit) in status.edit.parts.enumerated() {
      apply(edit, addingRow: { status.shownRow(ofPart: number, names) })
    }
  }

  /// - Parameter added: what an added row is called.
  private mutating func apply(_ edit: TableEdit, addingRow added: () -> String) {
    if let row = edit.row { pendingRows.insert(row) }
    switch edit {
    case .add(_, let place, let preview?): add(added(), place, preview)
    case .patch(let row, _, let preview?): patch(row, preview)
    case .delete(let row): _ = remove(row)
    case .move(let row, let place):
      guard let (element, origin) = remove(row) else { return }
      if !insert(element, place) { insert(element, at: origin) }
    case .add, .patch, .tap, .action, .refresh, .batch: break
    }
  }

  private mutating func add(_ id: String, _ place: EditPlace, _ preview: JSONText) {
    pendingRows.insert(id)
    guard paths[Identity(id)] == nil else { return }
    let json = JSONOutput.write { output in
      output.raw("{")
      output.member("id", id)
      for (name, value) in preview.members where name != "id" { output.member(name, value) }
      output.raw("}")
    }
    if let row = try? TableRow(json) { _ = insert(row, place) }
  }

  private mutating func patch(_ row: String, _ preview: JSONText) {
    guard let path = paths[Identity(row)] else { return }
    let former = changed[path.section]?[path.row] ?? sections[path.section].rows[path.row]
    let merged = JSONOutput.write { output in
      output.raw("{")
      for (name, value) in former.json.members {
        output.member(name, name == "payload" ? value.merged(with: preview) : value)
      }
      output.raw("}")
    }
    guard let row = try? TableRow(merged) else { return }
    if changed[path.section] == nil {
      sections[path.section].rows[path.row] = row
    } else {
      changed[path.section]?[path.row] = row
    }
  }

  private mutating func remove(_ id: String) -> (TableRow, RowPath)? {
    guard let path = paths.removeValue(forKey: Identity(id)) else { return nil }
    shift(path, by: -1)
    unfold(path.section)
    guard let row = changed[path.section]?.remove(at: path.row) else { return nil }
    return (row, path)
  }

  private mutating func insert(_ row: TableRow, _ place: EditPlace) -> Bool {
    switch place {
    case .end:
      guard let last = sections.indices.last else { return false }
      insert(row, at: RowPath(section: last, row: count(last)))
    case .section(let id, let at):
      guard let section = sections.firstIndex(where: { $0.identity == Identity(id) }) else { return false }
      insert(row, at: RowPath(section: section, row: max(0, min(at ?? .max, count(section)))))
    case .before(let other):
      guard let path = paths[Identity(other)] else { return false }
      insert(row, at: path)
    case .after(let other):
      guard let path = paths[Identity(other)] else { return false }
      insert(row, at: RowPath(section: path.section, row: path.row + 1))
    }
    return true
  }

  private mutating func insert(_ row: TableRow, at path: RowPath) {
    unfold(path.section)
    changed[path.section]?.insert(row, at: path.row)
    shift(path, by: 1)
    paths[row.identity] = path
  }

  private mutating func unfold(_ section: Int) {
    if changed[section] == nil { changed[section] = Array(sections[section].rows) }
  }

  private func count(_ section: Int) -> Int { changed[section]?.count ?? sections[section].rows.count }

  /// A row has entered or left there: those behind it stand elsewhere.
  private mutating func shift(_ path: RowPath, by rows: Int) {
    for (id, other) in paths where other.section == path.section && other.row >= path.row { paths[id]?.row += rows }
  }
}

extension EditStatus {
  /// What the service has called the rows of its parts; empty before the answer.
  fileprivate var namesOfParts: [JSONText] {
    guard case .acknowledged(let answer) = state else { return [] }
    guard case .batch = edit else { return answer["id"].map { [$0] } ?? [] }
    return answer["ids"]?.elements ?? []
  }

  /// Of an added row: once answered, it has the name that the service gave it, and may stand there already.
  fileprivate func shownRow(ofPart number: Int, _ names: [JSONText]) -> String {
    if names.indices.contains(number), let row = names[number].string { return row }
    if case .batch = edit { return id.localRow(ofPart: number) }
    return id.localRow
  }

  /// The rows whose places the edit depends on.
  fileprivate var namedRows: [String] {
    let names = namesOfParts
    return edit.parts.enumerated().flatMap { number, part in
      namedRows(part, addingRow: { shownRow(ofPart: number, names) })
    }
  }

  private func namedRows(_ edit: TableEdit, addingRow added: () -> String) -> [String] {
    switch edit {
    case .add(_, let place, _): [added(), place.row].compactMap(\.self)
    case .patch(let row, _, _), .delete(let row): [row]
    case .move(let row, let place): [row, place.row].compactMap(\.self)
    case .tap, .action, .refresh, .batch: []
    }
  }
}

extension EditPlace {
  var row: String? {
    switch self {
    case .before(let row), .after(let row): row
    case .end, .section: nil
    }
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
