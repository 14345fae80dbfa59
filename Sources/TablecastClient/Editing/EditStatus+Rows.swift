extension EditID {
  /// The identity of an added row: the service's, too, where its table takes it; else until the service gives it one.
  var localRow: String { description }

  /// What this client calls the row that a part of a batch adds, until the service gives it an identity.
  func localRow(ofPart number: Int) -> String { "\(description)-\(number)" }
}

extension EditStatus {
  var isAcknowledged: Bool { if case .acknowledged = state { true } else { false } }

  /// The row that it adds, as this client names it.
  var addedRow: String? { edit.isAdd ? id.localRow : nil }

  /// It adds rows that are shown before the service has named them.
  var isNamedByService: Bool {
    guard case .batch(let edits) = edit else { return isPosted }
    return edits.contains { if case .add(_, _, _?) = $0 { true } else { false } }
  }

  /// It is about a row that the other one adds.
  func namesRow(addedBy other: EditStatus) -> Bool {
    edit.parts.contains { part in
      part.row.map(other.adds) ?? false || part.place?.row.map(other.adds) ?? false
    }
  }

  /// - Parameter row: as this client names it.
  private func adds(_ row: String) -> Bool {
    guard case .batch(let edits) = edit else { return addedRow == row }
    guard row.hasPrefix(id.localRow) else { return false }
    return edits.indices.contains { edits[$0].isAdd && id.localRow(ofPart: $0) == row }
  }

  /// The names that an answer gives the added rows, by those that they had.
  func names(in answer: JSONText) -> [String: String] {
    guard case .batch(let edits) = edit else {
      guard let local = addedRow, let row = answer["id"]?.string, row != local else { return [:] }
      return [local: row]
    }
    var names: [String: String] = [:]
    for (number, (part, row)) in zip(edits, answer["ids"]?.elements ?? []).enumerated() where part.isAdd {
      names[id.localRow(ofPart: number)] = row.string
    }
    return names
  }
}

extension TableEdit {
  var isAdd: Bool { if case .add = self { true } else { false } }

  fileprivate var place: EditPlace? {
    switch self {
    case .add(_, let place, _), .move(_, let place): place
    case .patch, .delete, .tap, .action, .refresh, .batch: nil
    }
  }

  func renaming(_ names: [String: String]) -> TableEdit {
    func name(_ row: String) -> String { names[row] ?? row }
    func place(_ place: EditPlace) -> EditPlace {
      switch place {
      case .before(let row): .before(name(row))
      case .after(let row): .after(name(row))
      case .end, .section: place
      }
    }
    return switch self {
    case .add(let item, let where_, let preview): .add(item: item, place(where_), preview: preview)
    case .patch(let row, let patch, let preview): .patch(row: name(row), patch, preview: preview)
    case .delete(let row): .delete(row: name(row))
    case .move(let row, let to): .move(row: name(row), place(to))
    case .tap(let row): .tap(row: name(row))
    case .action(let row, let id, let body): .action(row: name(row), id: id, body: body)
    case .refresh: .refresh
    case .batch(let edits): .batch(edits.map { $0.renaming(names) })
    }
  }
}
