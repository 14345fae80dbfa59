/// A table at one cursor, as the service has it.
struct TableContent: Hashable, Sendable {
  /// As the service names it: a family's member with its parameters in order.
  var name: String
  var cursor: TableCursor
  var sections: [TableSection]
  var attributes = TableAttributes()

  /// Reads a snapshot, strictly: an identity twice is an error. O(bytes).
  init(snapshot json: JSONText) throws { self = try json.read { try TableContent(&$0) } }

  init(_ reader: inout JSONReader) throws {
    var name: String?
    var cursor: TableCursor?
    var sections: [TableSection]?
    attributes.state = .ready
    if reader.enterObject() {
      while let member = reader.nextName() {
        switch member {
        case "table": name = reader.string()
        case "cursor": cursor = reader.string().flatMap { TableCursor($0) }
        case "sections": sections = try reader.list(TableSection.init)
        default: attributes.read(member.text, reader.json())
        }
      }
    }
    guard let name, let cursor, let sections else {
      throw MalformedReply("a snapshot needs `table`, `cursor` and `sections`")
    }
    (self.name, self.cursor, self.sections) = (name, cursor, sections)
    _ = try TableIdentities(sections)
  }

  /// As the service writes a snapshot: what `init` reads.
  func write(to output: inout JSONOutput) {
    output.raw("{")
    output.member("table", name)
    output.member("cursor", cursor.text)
    output.member("state", attributes.state.rawValue)
    output.member("title", attributes.title)
    if let problem = attributes.problem {
      output.name("problem")
      output.raw("{")
      output.member("title", problem.title)
      output.member("detail", problem.detail)
      output.member("since", problem.since)
      output.raw("}")
    }
    output.name("animation")
    output.raw("{")
    output.member("insert", attributes.animation.insert)
    output.member("delete", attributes.animation.delete)
    output.member("reload", attributes.animation.reload)
    output.raw("}")
    output.name("sections")
    output.raw("[")
    for section in sections { section.write(to: &output) }
    output.raw("]")
    if let counts = attributes.counts {
      output.name("counts")
      output.raw(
        "{\"sections\":\(counts.sections),\"rows\":\(counts.rows),"
          + "\"omittedSections\":\(counts.omittedSections),\"skippedItems\":\(counts.skippedItems)}"
      )
    }
    if let window = attributes.window {
      output.name("window")
      output.raw(window.json)
    }
    if let find = attributes.find { output.member("find", find.json) }
    if attributes.isTruncated {
      output.name("truncated")
      output.raw("true")
    }
    if attributes.hasEdges {
      output.name("edges")
      output.raw("true")
    }
    output.raw("}")
  }
}

/// The identities of a table: none may stand in it twice.
struct TableIdentities: Hashable, Sendable {
  private(set) var rows: Set<Identity> = []
  private(set) var sections: Set<Identity> = []

  init(_ sections: [TableSection]) throws {
    rows.reserveCapacity(sections.reduce(0) { $0 + $1.rows.count })
    for section in sections { try insert(section) }
  }

  mutating func insert(_ section: TableSection) throws {
    guard sections.insert(section.identity).inserted else { throw MalformedReply("the section `\(section.id)` twice") }
    for row in section.rows { try insert(row: row.id) }
  }

  mutating func remove(_ section: TableSection) {
    sections.remove(section.identity)
    for row in section.rows { rows.remove(row.identity) }
  }

  mutating func insert(row id: String) throws {
    guard rows.insert(Identity(id)).inserted else { throw MalformedReply("the row `\(id)` twice") }
  }

  mutating func remove(row id: String) { rows.remove(Identity(id)) }
}
