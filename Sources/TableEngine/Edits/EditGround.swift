import TableModel
import TableStore

/// A table as an edit is planned on it, with all that is under way: as the client sees it.
struct EditGround: Sendable {
  var content: TableContent
  var table: Table
}

extension TableWriter {
  /// The table as it is laid out here. On its queue.
  var ground: EditGround {
    let content = content.access { content in
      content.refreshResult(named: name)
      return content
    }
    return EditGround(content: content, table: feed.latest.table)
  }
}
