public import JSON
public import TableModel

extension JSONWriter {
  /// The value of `stages`: every stage, with its empty lists left out. O(bytes): rows are copied, not encoded.
  public mutating func write(stages changeset: Changeset) {
    write(list: changeset.stages) { $0.write($1) }
  }

  private mutating func write(_ stage: Changeset.Stage) {
    beginObject()
    if !stage.sections.isEmpty {
      name("sections")
      write(stage.sections)
    }
    if !stage.rows.isEmpty {
      name("rows")
      write(stage.rows)
    }
    write(members: stage.attributes)
    endObject()
  }

  private mutating func write(_ operations: Changeset.SectionOperations) {
    beginObject()
    write(operations.delete, as: "delete") {
      $0.write($1.at, as: "at")
      $0.write($1.id, as: "id")
    }
    write(operations.insert, as: "insert") {
      $0.write($1.at, as: "at")
      $0.name("section")
      $0.write($1.section)
    }
    write(operations.move, as: "move") {
      $0.write($1.from, as: "from")
      $0.write($1.to, as: "to")
      $0.write($1.id, as: "id")
    }
    write(operations.update, as: "update") {
      $0.write($1.at, as: "at")
      $0.write($1.id, as: "id")
      $0.name("header")
      $0.write($1.header)
      $0.name("footer")
      $0.write($1.footer)
      if let skipped = $1.skipped { $0.write(skipped, as: "skipped") }
    }
    endObject()
  }

  private mutating func write(_ operations: Changeset.RowOperations) {
    beginObject()
    write(operations.delete, as: "delete") {
      $0.write($1.at, as: "at")
      $0.write($1.id, as: "id")
    }
    write(operations.insert, as: "insert") {
      $0.write($1.at, as: "at")
      $0.write($1.row, as: "row")
    }
    write(operations.move, as: "move") {
      $0.write($1.from, as: "from")
      $0.write($1.to, as: "to")
      $0.write($1.id, as: "id")
    }
    write(operations.update, as: "update") {
      $0.write($1.at, as: "at")
      $0.write($1.row, as: "row")
      $0.name("reload")
      $0.write($1.reload)
    }
    endObject()
  }

  private mutating func write(members attributes: Changeset.Attributes) {
    if let state = attributes.state { write(state.rawValue, as: "state") }
    if let change = attributes.problem {
      name("problem")
      if let problem = change { write(problem) } else { writeNull() }
    }
    if let title = attributes.title { write(title, as: "title") }
    if let animation = attributes.animation {
      name("animation")
      write(animation)
    }
    if let counts = attributes.counts {
      name("counts")
      write(counts)
    }
    if let isTruncated = attributes.isTruncated {
      name("truncated")
      if isTruncated { write(true) } else { writeNull() }
    }
    if let isForEdges = attributes.isForEdges {
      name("edges")
      if isForEdges { write(true) } else { writeNull() }
    }
    if let change = attributes.window {
      name("window")
      if let window = change { write(window) } else { writeNull() }
    }
    if let change = attributes.find {
      name("find")
      if let find = change { write(find) } else { writeNull() }
    }
  }

  /// A list of operations, each an object; nothing where it is empty.
  private mutating func write<Operation>(
    _ operations: [Operation],
    as listName: String,
    _ members: (inout JSONWriter, Operation) -> Void
  ) {
    guard !operations.isEmpty else { return }
    name(listName)
    write(list: operations) { writer, operation in
      writer.beginObject()
      members(&writer, operation)
      writer.endObject()
    }
  }

  private mutating func write(_ value: Int, as member: String) {
    name(member)
    write(value)
  }

  private mutating func write(_ value: String, as member: String) {
    name(member)
    write(value)
  }

  private mutating func write(_ path: IndexPath, as member: String) {
    name(member)
    write(path)
  }

  private mutating func write(_ row: Row, as member: String) {
    name(member)
    write(raw: row.encoded)
  }
}
