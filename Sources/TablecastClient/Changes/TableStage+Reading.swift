extension TableStage {
  private enum Operation: String {
    case delete, insert, move, update

    /// An operation that is not known is an error: the client asks for a snapshot then.
    init(_ name: String, on what: String) throws {
      guard let known = Operation(rawValue: name) else {
        throw MalformedReply("`\(name)` is no operation on \(what) that is known here")
      }
      self = known
    }
  }

  /// Reads a stage, in one pass.
  init(_ reader: inout JSONReader) throws {
    guard reader.enterObject() else { throw MalformedReply("a stage is an object") }
    while let name = reader.nextName() {
      switch name {
      case "sections": try Self.operations(&reader, on: "sections") { try readSection($0, &$1) }
      case "rows": try Self.operations(&reader, on: "rows") { try readRow($0, &$1) }
      default: attributes.append(Attribute(name: name.text, value: reader.json()))
      }
    }
  }

  private static func operations(
    _ reader: inout JSONReader,
    on what: String,
    _ read: (Operation, inout JSONReader) throws -> Void
  ) throws {
    guard reader.enterObject() else { return }
    while let name = reader.nextName() {
      guard reader.enterList() else { continue }
      while reader.nextElement() { try read(Operation(name.text, on: what), &reader) }
    }
  }

  private mutating func readSection(_ operation: Operation, _ reader: inout JSONReader) throws {
    let start = reader.position
    var (at, from, to): (Int?, Int?, Int?)
    var id: String?
    var section: TableSection?
    var (header, footer, skipped): (JSONText?, JSONText?, Int?)
    if reader.enterObject() {
      while let name = reader.nextName() {
        switch name {
        case "at": at = reader.index()
        case "from": from = reader.index()
        case "to": to = reader.index()
        case "id": id = reader.string()
        case "section" where operation == .insert: section = try TableSection(&reader)
        case "header" where operation == .update: header = reader.isNull ? nil : reader.json()
        case "footer" where operation == .update: footer = reader.isNull ? nil : reader.json()
        case "skipped" where operation == .update: skipped = reader.index()
        default: continue
        }
      }
    }
    switch operation {
    case .delete:
      deletedSections.append(
        SectionDeletion(at: try reader.wanted(at, "at", start), id: try reader.wanted(id, "id", start))
      )
    case .insert:
      insertedSections.append(
        SectionInsertion(at: try reader.wanted(at, "at", start), section: try reader.wanted(section, "section", start))
      )
    case .move:
      let (from, to) = (try reader.wanted(from, "from", start), try reader.wanted(to, "to", start))
      movedSections.append(SectionMove(from: from, to: to, id: try reader.wanted(id, "id", start)))
    case .update:
      let (at, id) = (try reader.wanted(at, "at", start), try reader.wanted(id, "id", start))
      updatedSections.append(SectionUpdate(at: at, id: id, header: header, footer: footer, skipped: skipped))
    }
  }

  private mutating func readRow(_ operation: Operation, _ reader: inout JSONReader) throws {
    let start = reader.position
    var (at, from, to): (RowPath?, RowPath?, RowPath?)
    var id: String?
    var row: TableRow?
    var reload = true
    if reader.enterObject() {
      while let name = reader.nextName() {
        switch name {
        case "at": at = reader.path()
        case "from": from = reader.path()
        case "to": to = reader.path()
        case "id": id = reader.string()
        case "row" where operation == .insert || operation == .update: row = try TableRow(&reader)
        case "reload": reload = reader.boolean() ?? true
        default: continue
        }
      }
    }
    switch operation {
    case .delete:
      deletedRows.append(RowDeletion(at: try reader.wanted(at, "at", start), id: try reader.wanted(id, "id", start)))
    case .insert:
      insertedRows.append(
        RowInsertion(at: try reader.wanted(at, "at", start), row: try reader.wanted(row, "row", start))
      )
    case .move:
      let (from, to) = (try reader.wanted(from, "from", start), try reader.wanted(to, "to", start))
      movedRows.append(RowMove(from: from, to: to, id: try reader.wanted(id, "id", start)))
    case .update:
      let (at, row) = (try reader.wanted(at, "at", start), try reader.wanted(row, "row", start))
      updatedRows.append(RowUpdate(at: at, row: row, reload: reload))
    }
  }
}

extension JSONReader {
  fileprivate mutating func index() -> Int? { integer().flatMap { $0 < 0 ? nil : $0 } }

  /// `[section, row]`.
  fileprivate mutating func path() -> RowPath? {
    guard let parts = list({ $0.index() }), parts.count == 2, let section = parts[0], let row = parts[1] else {
      return nil
    }
    return RowPath(section: section, row: row)
  }

  /// What an operation, which began at `start`, must have.
  fileprivate func wanted<Value>(_ value: Value?, _ name: String, _ start: Int) throws -> Value {
    guard let value else {
      throw MalformedReply("an operation without a `\(name)` that can be: \(json(from: start).text.prefix(80))")
    }
    return value
  }
}
