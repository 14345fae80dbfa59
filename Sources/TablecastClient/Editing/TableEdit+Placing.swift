extension TableEdit {
  /// The same edit with its place told by the row beside it, where what is shown is cut or found: indices count in the
  /// plain, whole table. After the end of a search the rows are the found ones until the service has answered.
  func placed(in shown: TableSnapshot) -> TableEdit {
    let isCut = shown.window.map { $0.from > 0 || $0.of > $0.rows } ?? false
    guard isCut || shown.isSearching || shown.search?.isEmpty == false else { return self }
    return switch self {
    case .add(let item, let place, let preview): .add(item: item, place.beside(nil, in: shown), preview: preview)
    case .move(let row, let place): .move(row: row, place.beside(row, in: shown))
    case .batch(let edits): .batch(edits.map { $0.placed(in: shown) })
    case .patch, .delete, .tap, .action, .refresh: self
    }
  }
}

extension EditPlace {
  /// - Parameter moving: the row that goes there: indices count without it.
  fileprivate func beside(_ moving: String?, in shown: TableSnapshot) -> EditPlace {
    guard case .section(let id, let index?) = self,
      let section = shown.sections.first(where: { $0.identity == Identity(id) })
    else { return self }
    let rows = section.rows.lazy.map(\.id).filter { $0 != moving }
    var last: String?
    for (number, row) in rows.enumerated() {
      if number >= index { return .before(row) }
      last = row
    }
    return last.map { .after($0) } ?? .section(id, at: nil)
  }
}
