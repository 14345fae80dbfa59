import Dispatch
import Synchronization
import TableModel
import TableStore

/// An upstream's items are the same in all languages of a table, so that the original's writer alone has edits sent. What may be
/// done to them is said by the table that the client sees.
extension TableWriter {
  /// Gives this table as it lays out an edit, and the request in terms of the original. On the table's queue.
  func translated(_ request: EditRequest) -> (TranslatedTable, EditRequest) {
    let content = content.access { content in
      content.refreshResult(named: name)
      return content
    }
    var request = request
    request.preconditions = original(of: request.preconditions)
    return (TranslatedTable(content: content, table: feed.latest.table), request)
  }

  /// Gives this table as it lays out an edit. A condition that does not hold by what is known here may do so by what another
  /// replica has stored. On the table's queue.
  func translating(_ request: EditRequest, _ body: @escaping @Sendable (TranslatedTable, EditRequest) -> Void) {
    let judge: @Sendable () -> Void = { [self] in
      let (table, own) = translated(request)
      body(table, own)
    }
    let isMet = request.preconditions.condition?.holds(for: feed.current.cursor) ?? true
    guard !isMet, needsReadBarrier else { return judge() }
    readBarrier { [content] _ in content.queue.async(execute: judge) }
  }

  /// Answers a request that the original has carried out, with a version of this table that has it; a repeat as the first one was.
  func answer(
    _ request: EditRequest,
    as outcome: EditResult,
    of other: TableWriter,
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) {
    guard case .success(let done) = outcome, done.cursor.epoch == other.feed.current.cursor.epoch else {
      return completion(outcome)
    }
    whenShown(isElsewhere: done.isRepeated) { shown in
      let cursor = shown.reader.cursor(shown.feed.current, request.lens)
      let answer = EditResult.success(EditAnswer(cursor: cursor, rows: done.rows, hasReplaced: done.hasReplaced))
      // Answers kept by earlier releases have the original's cursor.
      shown.remember(answer, for: request.preconditions.idempotency) { completion(answer) }
    }
  }

  /// Gives the table whose current version has an edit that was carried out, on its queue: another one where a configuration that
  /// was read meanwhile has put that in this one's place. On the table's queue.
  ///
  /// - Parameter isElsewhere: the edit may have come to another replica.
  private func whenShown(isElsewhere: Bool, _ body: @escaping @Sendable (TableWriter) -> Void) {
    guard !content.access({ $0.gate.isClosed }) else {
      return whenDecided { [self] in
        let shown = table.withLock { $0.value }?.present.writer ?? self
        shown.afterFollowing { body(shown) }
      }
    }
    guard isElsewhere, needsReadBarrier else { return body(self) }
    readBarrier { [self] _ in content.queue.async { [self] in body(self) } }
  }
}

/// A table in another language as a client sees it that edits an upstream's items.
struct TranslatedTable: Sendable {
  let content: TableContent
  let table: Table
}
