import TableModel
import TableStore

/// A table as an edit is planned on it, with all that is under way: as the client sees it.
struct EditSnapshot: Sendable {
  var content: TableContent
  var table: Table

  /// The table as it is laid out here. On its queue.
  init(of writer: TableWriter) {
    content = writer.content.access { content in
      content.refreshResult(named: writer.name)
      defer { content.letGoOfPart() }
      return content
    }
    table = writer.versions.latest.table
  }
}
