extension TableStage {
  /// Reads a stage. An operation that is not known is an error: the client asks for a snapshot then.
  init(_ json: JSONText) throws {
    guard json.isObject else { throw MalformedReply("a stage is an object") }
    for (name, value) in json.members {
      switch name {
      case "sections": try readSections(value)
      case "rows": try readRows(value)
      default: attributes.append(Attribute(name: name, value: value.detached))
      }
    }
  }

  private mutating func readSections(_ json: JSONText) throws {
    for (operation, list) in json.members {
      for json in list.elements {
        switch operation {
        case "delete":
          deletedSections.append(SectionDeletion(at: try json.index("at"), id: try json.identity()))
        case "insert":
          guard let section = json["section"] else { throw MalformedReply("an inserted section has no `section`") }
          insertedSections.append(SectionInsertion(at: try json.index("at"), section: try TableSection(section)))
        case "move":
          let (from, to) = (try json.index("from"), try json.index("to"))
          movedSections.append(SectionMove(from: from, to: to, id: try json.identity()))
        case "update":
          updatedSections.append(
            SectionUpdate(
              at: try json.index("at"),
              id: try json.identity(),
              header: json["header"]?.detached,
              footer: json["footer"]?.detached
            )
          )
        default: throw MalformedReply("`\(operation)` is no operation on sections that is known here")
        }
      }
    }
  }

  private mutating func readRows(_ json: JSONText) throws {
    for (operation, list) in json.members {
      for json in list.elements {
        switch operation {
        case "delete": deletedRows.append(RowDeletion(at: try json.path("at"), id: try json.identity()))
        case "insert": insertedRows.append(RowInsertion(at: try json.path("at"), row: try json.row()))
        case "move":
          let (from, to) = (try json.path("from"), try json.path("to"))
          movedRows.append(RowMove(from: from, to: to, id: try json.identity()))
        case "update":
          let reload = json["reload"]?.boolean ?? true
          updatedRows.append(RowUpdate(at: try json.path("at"), row: try json.row(), reload: reload))
        default: throw MalformedReply("`\(operation)` is no operation on rows that is known here")
        }
      }
    }
  }
}

extension JSONText {
  fileprivate func index(_ name: String) throws -> Int {
    guard let index = self[name]?.integer, index >= 0 else { throw MalformedReply("`\(name)` is no index: \(text)") }
    return index
  }

  fileprivate func path(_ name: String) throws -> RowPath {
    let parts = self[name]?.elements.compactMap(\.integer) ?? []
    guard parts.count == 2, parts.allSatisfy({ $0 >= 0 }) else {
      throw MalformedReply("`\(name)` is no section and row: \(text.prefix(80))")
    }
    return RowPath(section: parts[0], row: parts[1])
  }

  fileprivate func identity() throws -> String {
    guard let id = self["id"]?.string else { throw MalformedReply("an operation without `id`: \(text.prefix(80))") }
    return id
  }

  fileprivate func row() throws -> TableRow {
    guard let row = self["row"] else { throw MalformedReply("an operation without `row`: \(text.prefix(80))") }
    return try TableRow(row)
  }
}
