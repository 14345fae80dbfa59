/// A table that is kept as the service has it: stages are applied strictly, and one that is illegal changes nothing.
struct TableMirror: Sendable {
  private(set) var content: TableContent
  private var identities: TableIdentities?

  init(_ content: TableContent) throws {
    self.content = content
    identities = try TableIdentities(content.sections)
  }

  /// Applies a changeset whole, or throws and stays as it was. O(rows of the sections in which rows enter,
  /// leave or move + operations).
  mutating func apply(_ stages: [TableStage], to cursor: TableCursor) throws {
    var (sections, attributes) = (content.sections, content.attributes)
    do {
      for stage in stages {
        // In place: a copy of 10,000 identities would cost more than the changeset.
        try stage.apply(to: &sections, &identities)
        for attribute in stage.attributes { attributes.read(attribute.name, attribute.value) }
      }
    } catch {
      identities = (try? TableIdentities(content.sections)) ?? identities
      throw error
    }
    content.sections = sections
    content.attributes = attributes
    content.cursor = cursor
  }
}

extension TableStage {
  /// Applies the stage to sections alone. Throws `MalformedReply` where it isn't legal for them.
  ///
  /// - Parameter identities: that stand there; nil where stages were checked before.
  func apply(to sections: inout [TableSection], _ identities: inout TableIdentities?) throws {
    guard changesStructure else { return try update(&sections) }
    let leaving = try leavingSections(sections)
    var carried: [Identity: TableRow] = [:]
    var rest = sections
    try removeRows(from: &rest, leaving, &identities, into: &carried)
    for deletion in deletedSections { identities?.remove(rest[deletion.at]) }
    var arriving: [(at: Int, section: TableSection)] = movedSections.map { ($0.to, rest[$0.from]) }
    for insertion in insertedSections {
      try identities?.insert(insertion.section)
      arriving.append((insertion.at, insertion.section))
    }
    let staying = leaving.isEmpty ? rest : rest.indices.filter { !leaving.contains($0) }.map { rest[$0] }
    var result = try merged(staying, arriving.map { ($0.at, $0.section) }, "sections")
    try insertRows(into: &result, carried, closed: Set(arriving.map(\.at)), &identities)
    try update(&result)
    sections = result
  }

  /// Indices, before the stage, of the sections that it deletes or moves.
  private func leavingSections(_ sections: [TableSection]) throws -> Set<Int> {
    var leaving: Set<Int> = []
    for (index, id) in deletedSections.map({ ($0.at, $0.id) }) + movedSections.map({ ($0.from, $0.id) }) {
      guard sections.indices.contains(index), sections[index].identity == Identity(id) else {
        throw MalformedReply("the section `\(id)` is not at \(index)")
      }
      guard leaving.insert(index).inserted else { throw MalformedReply("the section `\(id)` leaves twice") }
    }
    return leaving
  }

  private func removeRows(
    from sections: inout [TableSection],
    _ leavingSections: Set<Int>,
    _ identities: inout TableIdentities?,
    into moved: inout [Identity: TableRow]
  ) throws {
    var removed: [Int: Set<Int>] = [:]
    func remove(_ path: RowPath, _ id: String) throws -> TableRow {
      guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row),
        case let row = sections[path.section].rows[path.row], row.identity == Identity(id)
      else { throw MalformedReply("the row `\(id)` is not at \(path)") }
      guard !leavingSections.contains(path.section) else {
        throw MalformedReply("the row `\(id)` leaves a section that is deleted or moved in the same stage")
      }
      guard removed[path.section, default: []].insert(path.row).inserted else {
        throw MalformedReply("the row `\(id)` leaves twice")
      }
      return row
    }
    for deletion in deletedRows {
      _ = try remove(deletion.at, deletion.id)
      identities?.remove(row: deletion.id)
    }
    for move in movedRows { moved[Identity(move.id)] = try remove(move.from, move.id) }
    for (section, rows) in removed {
      let all = sections[section].rows
      var rest: [TableRow] = []
      rest.reserveCapacity(all.count)
      var next = 0
      for row in rows.sorted() {
        rest.append(contentsOf: all[next..<row])
        next = row + 1
      }
      rest.append(contentsOf: all[next...])
      sections[section].rows = TableRows(rest)
    }
  }

  private func insertRows(
    into sections: inout [TableSection],
    _ moved: [Identity: TableRow],
    closed: Set<Int>,
    _ identities: inout TableIdentities?
  ) throws {
    var arriving: [Int: [(at: Int, row: TableRow)]] = [:]
    for insertion in insertedRows {
      try identities?.insert(row: insertion.row.id)
      arriving[insertion.at.section, default: []].append((insertion.at.row, insertion.row))
    }
    for move in movedRows {
      guard let row = moved[Identity(move.id)] else { throw MalformedReply("the row `\(move.id)` moves from nowhere") }
      arriving[move.to.section, default: []].append((move.to.row, row))
    }
    for (section, rows) in arriving {
      guard sections.indices.contains(section), !closed.contains(section) else {
        throw MalformedReply("rows enter the section at \(section), which isn't there or comes in the same stage")
      }
      sections[section].rows = TableRows(try merged(sections[section].rows, rows.map { ($0.at, $0.row) }, "rows"))
    }
  }

  private func update(_ sections: inout [TableSection]) throws {
    for update in updatedSections {
      guard sections.indices.contains(update.at), sections[update.at].identity == Identity(update.id) else {
        throw MalformedReply("the section `\(update.id)` is not at \(update.at)")
      }
      sections[update.at].header = update.header
      sections[update.at].footer = update.footer
      if let skipped = update.skipped { sections[update.at].skipped = skipped }
    }
    for update in updatedRows {
      let path = update.at
      guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row),
        sections[path.section].rows[path.row].identity == update.row.identity
      else { throw MalformedReply("the row `\(update.row.id)` is not at \(path)") }
      sections[path.section].rows[path.row] = update.row
    }
  }
}

/// What stays, with each arrival at its index afterwards. O(n + k log k).
private func merged<Staying: RandomAccessCollection<Element>, Element>(
  _ staying: Staying,
  _ arriving: [(Int, Element)],
  _ what: String
) throws -> [Element] where Staying.Index == Int {
  var result: [Element] = []
  result.reserveCapacity(staying.count + arriving.count)
  var next = 0
  for (at, element) in arriving.sorted(by: { $0.0 < $1.0 }) {
    let gap = at - result.count
    guard gap >= 0, next + gap <= staying.count else {
      throw MalformedReply("\(what) arrive at \(at), where none can be")
    }
    result.append(contentsOf: staying[next..<next + gap])
    next += gap
    result.append(element)
  }
  result.append(contentsOf: staying[next...])
  return result
}

extension TableStage {
  /// The sections after the stage, or nil if the stage does not fit them. For stages from a client, which has checked
  /// before that no identity occurs twice. O(rows of the sections in which rows enter, leave or move), else O(updates).
  public func applied(to sections: [TableSection]) -> [TableSection]? {
    var (result, unchecked): ([TableSection], TableIdentities?) = (sections, nil)
    return (try? apply(to: &result, &unchecked)) == nil ? nil : result
  }
}
