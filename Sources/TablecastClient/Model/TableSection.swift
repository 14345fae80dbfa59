/// A section: an identity, an optional header and footer, and rows.
public struct TableSection: Hashable, Sendable, Identifiable {
  public var id: String
  /// `{"cellIdentifier","payload"}`, or nil.
  public var header: JSONText?
  public var footer: JSONText?
  /// The number of its rows before the window. Usually 0.
  public var skipped = 0
  public var rows: TableRows

  init(id: String) { (self.id, rows) = (id, []) }

  /// - Throws: `MalformedReply`.
  init(_ reader: inout JSONReader) throws {
    var id: String?
    var rows: [TableRow]?
    var skipped = 0
    if reader.enterObject() {
      while let name = reader.nextName() {
        switch name {
        case "id": id = reader.string()
        case "header": header = reader.isNull ? nil : reader.json()
        case "footer": footer = reader.isNull ? nil : reader.json()
        case "skipped": skipped = max(0, reader.integer() ?? 0)
        case "rows": rows = try reader.list(TableRow.init)
        default: continue
        }
      }
    }
    guard let id, let rows else { throw MalformedReply("a section needs `id`, a text, and `rows`, a list") }
    (self.id, self.skipped, self.rows) = (id, skipped, TableRows(rows))
  }

  /// As the service writes it.
  func write(to output: inout JSONOutput) {
    output.comma()
    output.raw("{")
    output.member("id", id)
    output.member("header", header)
    output.member("footer", footer)
    if skipped > 0 {
      output.name("skipped")
      output.raw(String(skipped))
    }
    output.name("rows")
    output.raw("[")
    for row in rows {
      output.comma()
      output.raw(row.json)
    }
    output.raw("]}")
  }
}
