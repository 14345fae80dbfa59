/// A section: an identity, perhaps a header and a footer, and rows.
public struct TableSection: Hashable, Sendable, Identifiable {
  public var id: String
  /// `{"cellIdentifier","payload"}`; nil where there is none.
  public var header: JSONText?
  public var footer: JSONText?
  public var rows: [TableRow]

  init(id: String) { (self.id, rows) = (id, []) }

  /// - Throws: `MalformedReply`.
  init(_ json: JSONText) throws {
    var id: String?
    var rows: [TableRow]?
    for (name, value) in json.members {
      switch name {
      case "id": id = value.string
      case "header": header = value.isNull ? nil : value.detached
      case "footer": footer = value.isNull ? nil : value.detached
      case "rows": rows = value.isArray ? try value.elements.map(TableRow.init) : nil
      default: continue
      }
    }
    guard let id, let rows else { throw MalformedReply("a section needs `id`, a text, and `rows`, a list") }
    (self.id, self.rows) = (id, rows)
  }

  /// As the service writes it.
  func write(to output: inout JSONOutput) {
    output.comma()
    output.raw("{")
    output.member("id", id)
    output.member("header", header)
    output.member("footer", footer)
    output.name("rows")
    output.raw("[")
    for row in rows {
      output.comma()
      output.raw(row.json)
    }
    output.raw("]}")
  }
}
