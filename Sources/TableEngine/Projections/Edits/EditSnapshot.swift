import TableModel
import TableStore

/// A table as an edit is planned on it, with all that is under way: as the client sees it.
struct EditSnapshot: Sendable {
  var content: TableContent
  var table: Table
}

extension TableWriter {
  /// The table as it is laid out here. On its queue.
  var snapshot: EditSnapshot {
    let content = content.access { content in
      content.refreshResult(named: name)
      return content
    }
    return EditSnapshot(content: content, table: versions.latest.table)
  }
}
