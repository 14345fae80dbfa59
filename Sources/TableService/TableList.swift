import HTTPServer
import JSON
import TableModel
import TableStore

/// `GET /v1/tables`
enum TableList {
  /// - Parameter isCallers: Others may be shown other tables.
  static func representation(_ tables: [LiveTable], isCallers: Bool) -> Representation {
    var writer = JSONWriter(capacity: 256 * tables.count)
    writer.beginObject()
    writer.name("tables")
    writer.beginArray()
    for table in tables {
      let current = table.feed.current
      let counts = current.table.counts
      writer.beginObject()
      writer.name("id")
      writer.write(table.name)
      writer.name("title")
      writer.write(current.table.title)
      writer.name("cursor")
      writer.write(current.cursor.description)
      writer.name("state")
      writer.write(current.table.state.rawValue)
      writer.name("sections")
      writer.write(counts.sections)
      writer.name("rows")
      writer.write(counts.rows)
      writer.name("url")
      writer.write(table.path)
      writer.name("changes")
      writer.write("\(table.path)/changes?after=\(current.cursor)")
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    // Without an entity tag: cursors change with every version of every table, so it would hardly ever match.
    return Representation(
      body: writer.bytes,
      contentType: "application/json",
      cacheControl: isCallers ? "private, no-cache" : "no-cache",
      vary: isCallers ? ["Authorization"] : []
    )
  }
}
